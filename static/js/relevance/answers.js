/**
 * The answers to judge, some on a page: each is marked as correct or not, by mouse, by arrow keys, or by C and N.
 */

import { gettext } from "../chat/gettext.js";

const KEYS = { c: true, n: false };

export class Answers {
  /**
   * @param root the list; @param options the texts; @param marks of each: true is correct, null not marked yet.
   * @param onMark is called after each mark.
   */
  constructor(root, options, marks, page, onMark) {
    this.root = root;
    this.options = options;
    this.marks = [...marks];
    this.page = page;
    this.onMark = onMark;
    this.start = 0;
    this.mayMark = false;
    root.addEventListener("change", ({ target }) => this.#mark(Number(target.name.slice(1)), target.value === "true"));
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  get pages() {
    return Math.ceil(this.options.length / this.page);
  }

  /** The number of the page, from 0. */
  get number() {
    return this.start / this.page;
  }

  /** How many answers of the page shown are not marked. */
  get open() {
    return this.marks.slice(this.start, this.start + this.page).filter((mark) => mark === null).length;
  }

  get done() {
    return this.marks.filter((mark) => mark !== null).length;
  }

  /** The first page with something to mark; the last when there is none. */
  get firstOpen() {
    const first = this.marks.indexOf(null);
    return first < 0 ? this.pages - 1 : Math.floor(first / this.page);
  }

  show(number) {
    this.start = number * this.page;
    const texts = this.options.slice(this.start, this.start + this.page);
    this.root.start = this.start + 1;
    this.root.replaceChildren(...texts.map((text, index) => this.#row(this.start + index, text)));
    this.allow(this.mayMark);
  }

  /** Let the answers be marked, or not. */
  allow(mayMark) {
    this.mayMark = mayMark;
    for (const input of this.root.querySelectorAll("input")) input.disabled = !mayMark;
  }

  /** Show which answers are not marked, and go to the first of them. */
  pointOut() {
    const rows = [...this.root.children].filter((row) => !row.querySelector(":checked"));
    for (const row of rows) row.classList.add("judged--missing");
    rows[0]?.querySelector("input").focus();
  }

  #row(number, text) {
    const row = document.createElement("li");
    row.className = "judged";
    const group = document.createElement("div");
    group.className = "judged-row";
    group.role = "radiogroup";
    const said = document.createElement("p");
    said.id = `answer-${number}`;
    said.className = "judged-text";
    said.dir = "auto";
    said.textContent = text;
    group.setAttribute("aria-labelledby", said.id);
    group.append(said, this.#choice(number, true, gettext("Correct")), this.#choice(number, false, gettext("Not correct")));
    row.append(group);
    return row;
  }

  #choice(number, value, name) {
    const label = document.createElement("label");
    label.className = `judged-choice judged-choice--${value ? "correct" : "not"}`;
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name: `o${number}`, value: String(value), checked: this.marks[number] === value });
    label.append(input, ` ${name}`);
    return label;
  }

  #mark(number, isCorrect) {
    this.marks[number] = isCorrect;
    this.root.children[number - this.start]?.classList.remove("judged--missing");
    this.onMark();
  }

  #key(event) {
    const isCorrect = KEYS[event.key.toLowerCase()];
    const row = event.target.closest(".judged");
    if (!this.mayMark || isCorrect === undefined || !row || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const input = row.querySelector(`input[value=${isCorrect}]`);
    input.checked = true;
    this.#mark(Number(input.name.slice(1)), isCorrect);
    const next = row.nextElementSibling?.querySelector("input:checked") ?? row.nextElementSibling?.querySelector("input");
    (next ?? input).focus();
  }
}
