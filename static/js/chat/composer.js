/**
 * Where the worker writes: Enter sends, Shift+Enter breaks the line. A text is never lost: not by a reload, not by a
 * refusal.
 */

import { Evidence } from "./evidence.js";
import { gettext, ngettext } from "./gettext.js";
import * as personal from "./personal.js";
import * as rules from "./rules.js";

const NEAR = 0.8; // of the longest text: from here on the page counts
const TYPING_EVERY = 3000; // milliseconds
const HINT_STANDS = 700; // milliseconds before which a second press is still the first: a double click, a trembling key

const LABELS = { question: gettext("Your question"), answer: gettext("Your answer"), summary: gettext("Your summary") };
const BUTTONS = { question: gettext("Ask"), answer: gettext("Answer"), summary: gettext("Send summary") };
const SEND_AS_IT_IS = gettext("Send as it is");

export class Composer {
  /** @param handlers onSend(kind, text, evidence) and onTyping(); `now` tells the time in milliseconds. */
  constructor(form, handlers, now = () => performance.now()) {
    this.now = now;
    this.form = form;
    this.field = form.querySelector("textarea");
    this.label = form.querySelector("label");
    this.button = form.querySelector("[type=submit]");
    this.counter = form.querySelector(".counter");
    this.refusal = form.querySelector(".refusal");
    this.sentence = form.querySelector(".refusal-sentence");
    this.offer = form.querySelector(".offer");
    this.caution = form.querySelector(".caution");
    this.cautioned = null; // what was found in the text and asked about
    this.cautionedAt = 0;
    this.handlers = handlers;
    this.kind = "";
    this.mayType = this.maySend = false;
    this.evidence = new Evidence();
    this.toldAt = -Infinity;
    this.activeAt = -Infinity; // when something was typed last
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.field.addEventListener("keydown", (event) => this.#key(event));
    this.field.addEventListener("input", (event) => this.#input(event));
    this.field.addEventListener("paste", (event) => {
      if (this.mayType) this.evidence.pasted(event.clipboardData?.getData("text") ?? "");
    });
    document.addEventListener("visibilitychange", () => this.#lookAway(document.visibilityState === "hidden"));
    addEventListener("blur", () => this.#lookAway(true));
    addEventListener("focus", () => this.#lookAway(false));
    this.offer.addEventListener("click", () => this.#sendAsQuestion());
  }

  /** Take up the draft of the seat. */
  useStore(store) {
    this.store = store;
    this.field.value = store.get("draft", "");
    this.evidence.useStore(store);
    this.#clearRefusal();
    this.#clearCaution();
    this.#count();
  }

  /**
   * Say what is to be written now, and whether it may be typed and sent. `why` is shown when it may not be typed;
   * evidence is kept of what is typed from `turnFrom` on, null while it is not the worker's turn.
   */
  set(kind, limits, { mayType, maySend, why, keepsEvidence, turnFrom }) {
    this.limits = limits;
    this.evidence.set(keepsEvidence, turnFrom);
    const wasKind = this.kind;
    this.kind = kind;
    this.maySend = maySend;
    if (this.mayType !== mayType) this.field.readOnly = !mayType;
    this.mayType = mayType;
    this.form.dataset.kind = kind;
    this.form.classList.toggle("composer--closed", !mayType);
    this.label.textContent = LABELS[kind];
    this.#nameButton();
    this.field.placeholder = mayType ? "" : why;
    this.button.setAttribute("aria-disabled", String(!maySend));
    if (wasKind !== kind) {
      this.field.rows = kind === "summary" ? 5 : 2;
      this.#clearRefusal();
      this.#clearCaution();
    }
    this.#count();
  }

  /** Show why the text was not taken, and give it back when it was already gone from the field. */
  refuse(sentence, code, text = "") {
    if (text) {
      const rest = this.field.value && this.field.value !== text ? `\n${this.field.value}` : "";
      this.field.value = text + rest;
      this.#keep();
    }
    this.#showRefusal(sentence, code);
    this.#count();
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (event.repeat) return;
    if (!this.offer.hidden) this.#sendAsQuestion();
    else this.#submit();
  }

  #input(event) {
    this.activeAt = this.now();
    this.evidence.changed(this.activeAt, event.inputType);
    this.#clearRefusal();
    this.#hideCaution();
    this.#keep();
    this.#count();
    if (this.maySend && this.field.value && this.activeAt - this.toldAt > TYPING_EVERY) {
      this.toldAt = this.activeAt;
      this.handlers.onTyping();
    }
  }

  #lookAway(isAway) {
    if (isAway) this.evidence.left();
    else if (document.visibilityState === "visible") this.evidence.back();
  }

  #submit() {
    if (!this.mayType) return;
    const wrong = this.maySend
      ? rules.check(this.kind, this.field.value, this.limits)
      : { code: "not_your_turn", sentence: gettext("It is not your turn yet. Your text is kept; send it when it is yours.") };
    if (wrong) {
      this.#showRefusal(wrong.sentence, wrong.code);
      this.field.focus();
    } else if (this.#mayGo(this.field.value)) {
      this.#send();
    }
  }

  /** Ask once about what looks personal; whoever presses again means it. */
  #mayGo(text) {
    const found = personal.find(text);
    if (!found) return true;
    if (found.part === this.cautioned) return this.now() - this.cautionedAt > HINT_STANDS;
    this.#clearRefusal();
    this.cautioned = found.part;
    this.cautionedAt = this.now();
    this.caution.textContent = personal.hint(found);
    this.#nameButton();
    this.field.focus();
    return false;
  }

  #hideCaution() {
    this.caution.textContent = "";
    this.#nameButton();
  }

  #clearCaution() {
    this.cautioned = null;
    this.#hideCaution();
  }

  #nameButton() {
    this.button.textContent = this.caution.textContent ? SEND_AS_IT_IS : BUTTONS[this.kind];
  }

  #sendAsQuestion() {
    const text = this.field.value.trimEnd().replace(/[.,;:!。，]+$/u, "");
    this.field.value = text + rules.questionMark(this.limits.language);
    this.#clearRefusal();
    this.#keep();
    this.#submit();
    this.field.focus();
  }

  #send() {
    const text = this.field.value;
    const evidence = this.evidence.take(this.now());
    this.field.value = "";
    this.#clearRefusal();
    this.#clearCaution();
    this.#keep();
    this.#count();
    this.handlers.onSend(this.kind, text, evidence);
  }

  #showRefusal(sentence, code) {
    this.sentence.textContent = sentence;
    this.refusal.hidden = false;
    this.offer.hidden = code !== "no_question_mark";
    this.field.setAttribute("aria-invalid", "true");
  }

  #clearRefusal() {
    if (this.refusal.hidden) return;
    this.refusal.hidden = true;
    this.offer.hidden = true;
    this.sentence.textContent = "";
    this.field.removeAttribute("aria-invalid");
  }

  #count() {
    if (!this.limits) return;
    const size = rules.length(this.field.value);
    const most = rules.longest(this.kind, this.limits);
    const fewest = rules.least(this.kind, this.limits);
    const words = rules.count(this.field.value, this.limits.language);
    this.counter.classList.toggle("counter--over", size > most);
    if (size > most) this.counter.textContent = ngettext("{number} character too many", "{number} characters too many", size - most);
    else if (size >= NEAR * most) this.counter.textContent = ngettext("{number} character left", "{number} characters left", most - size);
    else if (this.maySend && words < fewest) this.counter.textContent = gettext("at least {number}", { number: rules.many(this.limits.language, fewest) });
    else this.counter.textContent = "";
  }

  #keep() {
    this.store?.set("draft", this.field.value);
  }
}
