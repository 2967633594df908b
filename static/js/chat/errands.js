/**
 * What did the worker ask for that is not a text, and is not done yet? Sent again until the dialog's state shows it.
 *
 * No clock, no socket, as in outbox.js. The server may be asked for each of them twice.
 */

import { LATER, RESEND_AFTER } from "./outbox.js";

const BUSY_PAUSE = 2000;

export class Errands {
  constructor() {
    this.open = new Map();
  }

  /** Take one in; another of its type is replaced. */
  add(frame, seen, now) {
    this.open.set(frame.type, { frame, seat: seen.seat, phase: seen.phase, due: now });
  }

  has(type) {
    return this.open.has(type);
  }

  /** @returns the frames to send now. */
  takeDue(now) {
    const due = [...this.open.values()].filter((errand) => errand.due <= now);
    for (const errand of due) errand.due = now + RESEND_AFTER;
    return due.map((errand) => errand.frame);
  }

  /** The connection is new: everything is due. */
  reconnected() {
    for (const errand of this.open.values()) errand.due = 0;
  }

  /** Frames like these are refused without saying which: put off what is only early, give up the others. */
  refused(code, now) {
    if (code === "watch_first") this.open.delete("watched");
    else if (LATER.has(code)) for (const errand of this.open.values()) errand.due = now + BUSY_PAUSE;
    else this.open.clear();
  }

  /** Forget what the state shows to be done, or to be past. */
  settle(seen) {
    for (const [type, { seat, phase }] of this.open) {
      const isOver = type === "watched" ? seen.partner_watched : type === "end_alone" && !seen.partner_lost;
      if (isOver || seen.seat !== seat || seen.phase !== phase) this.open.delete(type);
    }
  }
}
