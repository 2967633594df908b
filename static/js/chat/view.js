/**
 * What does the page show? Renders all that is known into the document the server sent; keeps no state of the dialog.
 */

import { gettext } from "./gettext.js";
import { KIND_OF } from "./rules.js";
import * as words from "./words.js";

const $ = (id) => document.getElementById(id);

/** Set a text only when it changes: live regions would say it again. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export class View {
  constructor() {
    this.room = $("room");
    this.title = document.title;
    $("end-reload").addEventListener("click", () => location.reload());
  }

  /** Show who, what and whose move. */
  show(held, isSending, now) {
    const { snapshot: seen } = held;
    const { dataset } = this.room;
    if (dataset.phase !== "ended" || seen.phase === "ended") dataset.phase = seen.phase;
    dataset.role = seen.role ?? "";
    dataset.move = isSending ? "wait" : seen.move;
    // The task folds away with the worker's own first text, not with one that comes: nothing moves of itself.
    dataset.spoken = seen.lines.length > (seen.role === "questioner" ? 0 : 1) ? "yes" : "";
    write($("turn-text"), words.turn(held, isSending, now));
    if (seen.wait) this.#showWait(seen.wait);
    if (seen.phase === "choice") this.#showChoice(seen);
    if (seen.role) this.#showDialog(held, now);
  }

  /** Show how much time is left; see look() in timing.js. Nothing of it is a live region but the last call. */
  showTimes(held, look) {
    const { snapshot: seen } = held;
    $("turn-time").hidden = !look.turn;
    if (look.turn) write($("turn-time"), words.turnTime(look.turn));
    $("turn").classList.toggle("turn--late", look.isLast);
    write($("alarm"), look.isLast ? words.lastCall(seen, look.turn.left) : "");
    $("nudge").hidden = !look.isNudged || look.isLast;
    write($("nudge"), look.isNudged ? words.nudge(seen) : "");
    this.#showLost(look.lost);
    $("dialog-time").hidden = look.dialog === null;
    if (look.dialog !== null) write($("dialog-time"), words.dialogWarning(look.dialog, seen.pays));
    if (look.choice !== null) write($("choice-left"), words.countdown(look.choice));
    if (look.wait) this.#showWaited(look.wait.waited);
    $("wait-choice").hidden = !look.wait?.asks;
    $("wait-on").hidden = !look.wait?.mayEnd || look.wait.asks;
  }

  /** Say something to who does not see the page. */
  say(sentences) {
    if (sentences.length) $("spoken").textContent = sentences.join(" ");
  }

  /** Show that it is over, with the way on. */
  showEnd({ heading, sentence, finish }) {
    this.#panel(heading, sentence);
    $("end-go").href = finish || "finish/";
    $("end-reload").hidden = true;
    $("end-go").hidden = false;
  }

  /** Show that this page stops although the dialog may go on. */
  showClosed(code) {
    const said = words.closed(code);
    if (!said) return;
    this.#panel(...said);
    $("end-go").hidden = true;
    $("end-reload").hidden = code !== 4001;
  }

  /** Say what is the matter with the way to the server; nothing when `sentence` is empty. */
  trouble(sentence) {
    $("banner").hidden = !sentence;
    write($("banner-text"), sentence);
  }

  showTitle(about) {
    const name = words.title(this.title, about);
    if (document.title !== name) document.title = name;
  }

  /** A new seat: the task is read anew. */
  reset() {
    this.hasSpoken = false;
    $("task").open = true;
  }

  #showWaited(seconds) {
    write($("waited"), words.clock(seconds));
    const pay = $("waiting-pay");
    const said = pay && words.waitingPay(seconds, pay.dataset.aMinute);
    if (said) write(pay, said);
  }

  #showWait(wait) {
    write($("estimate"), words.estimate(wait));
    write($("ends-left"), words.endsLeft(wait));
    $("first-in-line").hidden = !wait.is_first_in_line;
  }

  #showLost(lost) {
    $("lost").hidden = !lost;
    if (!lost) return;
    write($("lost-left"), words.countdown(lost.left));
    for (const id of ["end-alone", "lost-end-text"]) $(id).hidden = !lost.mayEnd;
  }

  #showChoice(seen) {
    write($("choice-why"), words.leftAlone(seen.left_alone));
    $("choose-wait").hidden = !seen.may_wait;
    $("choose-end").classList.toggle("button--quiet", seen.may_wait);
    write($("choice-text"), words.choice(seen));
  }

  #showDialog(held, now) {
    const { snapshot: seen } = held;
    write($("role-name"), words.roleName(seen.role));
    write($("round-text"), words.round(seen));
    write($("partner-text"), words.partnerIs(held, now));
    $("partner").dataset.state = words.partnerState(held, now);
    this.#showTicks(seen);
    if (seen.media?.script) write($("script-text"), seen.media.script);
    $("script").hidden = !seen.media?.script;
    if (this.room.dataset.spoken && !this.hasSpoken) $("task").open = false;
    this.hasSpoken = Boolean(this.room.dataset.spoken);
  }

  #showTicks(seen) {
    const ticks = $("ticks");
    while (ticks.childElementCount < Math.min(seen.rounds, 20)) ticks.append(document.createElement("i"));
    const done = Math.floor(seen.lines.length / 2);
    for (const [index, tick] of Array.from(ticks.children).entries()) {
      tick.className = index < done ? "done" : index === done ? "now" : "";
    }
  }

  #panel(heading, sentence) {
    if ($("end-heading").textContent !== heading) this.say([heading, sentence]);
    this.room.dataset.phase = "ended";
    write($("end-heading"), heading);
    write($("end-sentence"), sentence);
    write($("turn-text"), heading);
    write($("alarm"), "");
    this.trouble("");
  }
}

export function isOwnMove(move) {
  return move in KIND_OF || move === "watch";
}
