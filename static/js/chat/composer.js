/**
 * Where the worker writes: Enter sends, Shift+Enter breaks the line. A text is never lost: not by a reload, not by a
 * refusal.
 */

import * as rules from "./rules.js";

const NEAR = 0.8; // of the longest text: from here on the page counts
const TYPING_EVERY = 3000;

const LABELS = { question: "Your question", answer: "Your answer", summary: "Your summary" };
const BUTTONS = { question: "Ask", answer: "Answer", summary: "Send summary" };

export class Composer {
  /** @param handlers onSend(kind, text, evidence, typedAt) and onTyping(). */
  constructor(form, handlers) {
    this.form = form;
    this.field = form.querySelector("textarea");
    this.label = form.querySelector("label");
    this.button = form.querySelector("[type=submit]");
    this.counter = form.querySelector(".counter");
    this.refusal = form.querySelector(".refusal");
    this.sentence = form.querySelector(".refusal-sentence");
    this.offer = form.querySelector(".offer");
    this.handlers = handlers;
    this.kind = "";
    this.mayType = this.maySend = false;
    this.#forgetEvidence();
    this.typedAt = 0;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.field.addEventListener("keydown", (event) => this.#key(event));
    this.field.addEventListener("input", () => this.#input());
    this.field.addEventListener("paste", (event) => {
      this.pasted += [...(event.clipboardData?.getData("text") ?? "")].length;
    });
    this.offer.addEventListener("click", () => this.#sendAsQuestion());
  }

  /** Take up the draft of the seat. */
  useStore(store) {
    this.store = store;
    const draft = store.get("draft", "");
    if (draft && !this.field.value) this.field.value = draft;
    this.#count();
  }

  /** Say what is to be written now, and whether it may be typed and sent. `why` is shown when it may not be typed. */
  set(kind, limits, { mayType, maySend, why }) {
    this.limits = limits;
    const wasKind = this.kind;
    this.kind = kind;
    this.maySend = maySend;
    if (this.mayType !== mayType) this.field.readOnly = !mayType;
    this.mayType = mayType;
    this.form.dataset.kind = kind;
    this.form.classList.toggle("composer--closed", !mayType);
    this.label.textContent = LABELS[kind];
    this.button.textContent = BUTTONS[kind];
    this.field.placeholder = mayType ? "" : why;
    this.button.setAttribute("aria-disabled", String(!maySend));
    if (wasKind !== kind) {
      this.field.rows = kind === "summary" ? 5 : 2;
      this.#clearRefusal();
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

  get hasFocus() {
    return document.activeElement === this.field;
  }

  focus() {
    this.field.focus({ preventScroll: true });
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (event.repeat) return;
    if (!this.offer.hidden) this.#sendAsQuestion();
    else this.#submit();
  }

  #input() {
    this.startedAt ||= performance.now();
    this.#clearRefusal();
    this.#keep();
    this.#count();
    if (this.maySend && this.field.value && Date.now() - this.typedAt > TYPING_EVERY) {
      this.typedAt = Date.now();
      this.handlers.onTyping();
    }
  }

  #submit() {
    if (!this.mayType) return;
    const wrong = this.maySend
      ? rules.check(this.kind, this.field.value, this.limits)
      : { code: "not_your_turn", sentence: "It is not your turn yet. Your text is kept; send it when it is yours." };
    if (wrong) {
      this.#showRefusal(wrong.sentence, wrong.code);
      this.field.focus();
    } else {
      this.#send();
    }
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
    const seconds = this.startedAt ? Math.round((performance.now() - this.startedAt) / 100) / 10 : 0;
    const evidence = { pasted: this.pasted, seconds };
    this.field.value = "";
    this.#forgetEvidence();
    this.#clearRefusal();
    this.#keep();
    this.#count();
    this.handlers.onSend(this.kind, text, evidence);
  }

  #forgetEvidence() {
    this.pasted = 0;
    this.startedAt = 0;
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
    if (size > most) this.counter.textContent = `${size - most} characters too many`;
    else if (size >= NEAR * most) this.counter.textContent = `${most - size} characters left`;
    else if (this.maySend && words < fewest) this.counter.textContent = `at least ${fewest} ${rules.unit(this.limits.language, fewest)}`;
    else this.counter.textContent = "";
  }

  #keep() {
    this.store?.set("draft", this.field.value);
  }
}
