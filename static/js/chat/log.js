/**
 * The dialog's texts. Append only: a pending text's node becomes the stored line's, so nothing is announced twice.
 */

import { gettext } from "./gettext.js";
import { KIND_OF } from "./rules.js";
import { speaker } from "./words.js";

const NEAR_END = 60; // pixels

export class Log {
  /** @param onRetry is called when the worker asks for texts to be sent again. */
  constructor(list, more, onRetry) {
    this.list = list;
    this.more = more;
    this.onRetry = onRetry;
    this.pending = new Map();
    this.positions = new Set(Array.from(list.children, (item) => Number(item.dataset.position)));
    this.isAtEnd = true;
    this.scroller = list.closest(".scroll");
    this.height = this.scroller.clientHeight;
    this.scroller.addEventListener("scroll", () => this.#noteScroll(), { passive: true });
    this.more.addEventListener("click", () => this.scrollToEnd());
    new ResizeObserver(() => this.#resized()).observe(this.scroller);
  }

  /** Show the dialog's lines, then what waits in the outbox. */
  show(seen, outbox) {
    const isOwn = (position) => (position % 2 === 0) === (seen.role === "questioner");
    const before = this.list.childElementCount;
    for (const line of seen.lines) if (!this.positions.has(line.position)) this.#place(line, isOwn(line.position));
    for (const entry of outbox.entries) this.#showPending(entry, seen, outbox);
    this.#dropRefused(outbox);
    if (this.list.childElementCount > before) this.#grown(seen);
  }

  /** Begin anew with another dialog. */
  reset() {
    this.list.replaceChildren();
    this.pending.clear();
    this.positions.clear();
    this.isAtEnd = true;
    this.more.hidden = true;
  }

  scrollToEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.more.hidden = true;
    this.isAtEnd = true;
  }

  #place(line, isOwn) {
    this.positions.add(line.position);
    const waiting = isOwn && this.pending.get(line.key);
    if (waiting) {
      this.pending.delete(line.key);
      waiting.dataset.position = line.position;
      waiting.classList.remove("line--pending", "line--stuck");
      waiting.querySelector(".line-note")?.remove();
      return;
    }
    const item = makeLine(line.kind, line.position, line.text, isOwn);
    item.dataset.position = line.position;
    this.list.append(item);
  }

  #showPending(entry, seen, outbox) {
    let item = this.pending.get(entry.key);
    if (!item) {
      item = makeLine(KIND_OF[entry.type], seen.lines.length, entry.text, true);
      item.classList.add("line--pending");
      item.append(this.#note());
      this.pending.set(entry.key, item);
      this.list.append(item);
      this.isAtEnd = true;
    }
    const isStuck = outbox.isStuck(entry);
    item.classList.toggle("line--stuck", isStuck);
    item.querySelector(".line-note span").textContent = isStuck ? gettext("Not stored yet. It is kept here, and we keep trying.") : gettext("Sending …");
    item.querySelector(".line-note button").hidden = !isStuck;
  }

  #note() {
    const note = document.createElement("p");
    note.className = "line-note";
    note.setAttribute("aria-hidden", "true");
    const retry = document.createElement("button");
    retry.type = "button";
    retry.className = "link";
    retry.textContent = gettext("Try now");
    retry.addEventListener("click", this.onRetry);
    note.append(document.createElement("span"), retry);
    return note;
  }

  #dropRefused(outbox) {
    const kept = new Set(outbox.entries.map((entry) => entry.key));
    for (const [key, item] of this.pending) {
      if (!kept.has(key)) {
        item.remove();
        this.pending.delete(key);
      }
    }
  }

  #grown(seen) {
    if (this.isAtEnd) {
      this.scrollToEnd();
    } else {
      this.more.textContent = seen.role === "questioner" ? gettext("New answer below") : gettext("New question below");
      this.more.hidden = false;
    }
  }

  #resized() {
    this.height = this.scroller.clientHeight;
    if (this.isAtEnd && this.list.childElementCount) this.scrollToEnd();
  }

  /** Note whether the reader is at the end. Where the composer grew, it was not the reader who moved. */
  #noteScroll() {
    const { scrollTop, clientHeight, scrollHeight } = this.scroller;
    if (clientHeight !== this.height) return;
    this.isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_END;
    if (this.isAtEnd) this.more.hidden = true;
  }
}

/** The same markup as in templates/chat/room.html. */
function makeLine(kind, position, text, isOwn) {
  const item = document.createElement("li");
  item.className = `line line--${kind === "answer" ? "answerer" : "questioner"} line--${isOwn ? "own" : "partner"}`;
  const who = document.createElement("p");
  who.className = "line-who";
  who.textContent = speaker(kind, position, isOwn);
  const words = document.createElement("p");
  words.className = "line-text";
  words.dir = "auto";
  words.textContent = text;
  item.append(who, words);
  return item;
}
