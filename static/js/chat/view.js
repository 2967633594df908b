/**
 * What does the page show? Renders all that is known into the document the server sent; keeps no state of the dialog.
 */

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
    this.waitedFrom = performance.now();
    $("end-reload").addEventListener("click", () => location.reload());
  }

  /** Show who, what and whose move. */
  show(held, isSending) {
    const { snapshot: seen } = held;
    const { dataset } = this.room;
    dataset.phase = seen.phase;
    dataset.role = seen.role ?? "";
    dataset.move = isSending ? "wait" : seen.move;
    dataset.spoken = seen.lines.length > 1 ? "yes" : "";
    write($("turn-text"), words.turn(held, isSending));
    if (seen.phase === "waiting") this.#showWaited(seen);
    if (seen.role) this.#showDialog(held);
    this.#showTitle(held, isSending);
  }

  /** Show that it is over, with the way on. */
  showEnd(outcome, finish) {
    const [heading, sentence] = words.end(outcome);
    this.#panel(heading, sentence);
    $("end-go").href = finish || "finish/";
    write($("end-go"), outcome === "complete" ? "Get your completion code" : "Go on");
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

  /** Show or hide that the connection has trouble. */
  trouble(isTrouble) {
    $("banner").hidden = !isTrouble;
    write($("banner-text"), isTrouble ? "Reconnecting. What you wrote is kept." : "");
  }

  /** Count on while waiting. Not a live region. */
  tick(held) {
    if (held.snapshot.phase === "waiting") write($("waited"), words.clock((performance.now() - this.waitedFrom) / 1000));
  }

  #showWaited(seen) {
    const from = performance.now() - seen.waiting_since * 1000;
    if (Math.abs(from - this.waitedFrom) > 2000) this.waitedFrom = from;
  }

  #showDialog(held) {
    const { snapshot: seen } = held;
    write($("role-name"), words.roleName(seen.role));
    write($("round-text"), words.round(seen));
    write($("partner-text"), words.partnerIs(held));
    $("partner").dataset.state = words.partnerState(held);
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

  /** A hidden tab says in its title that it is waited for. */
  #showTitle(held, isSending) {
    const { snapshot: seen } = held;
    const isTurn = !isSending && (seen.move in KIND_OF || seen.move === "watch");
    const name = isTurn && document.visibilityState === "hidden" ? `● Your turn – ${this.title}` : this.title;
    if (document.title !== name) document.title = name;
  }

  #panel(heading, sentence) {
    this.room.dataset.phase = "ended";
    write($("end-heading"), heading);
    write($("end-sentence"), sentence);
    write($("turn-text"), heading);
    $("banner").hidden = true;
  }
}

/** Wire the leave button: asked once more in a dialog, which gives the focus back by itself. */
export function askBeforeLeaving(onLeave) {
  const dialog = $("leave-dialog");
  $("leave").addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("close", () => dialog.returnValue === "leave" && onLeave());
}
