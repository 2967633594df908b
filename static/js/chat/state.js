/**
 * What does this page know of the dialog? A pure function of what it knew, the next frame and the time (milliseconds
 * by a clock that never jumps).
 *
 * held = {snapshot, until, moveFrom, typingUntil, end}; frames are those of chat/protocol.py. `until` has the moments
 * at which something runs out (timing.js), `moveFrom` is when the present move began.
 */

import { begun, deadlines, steady } from "./timing.js";

const TYPES_FOR = 6_000; // after the last sign of typing; one comes every three seconds

/** @returns what a page knows that holds only a snapshot. */
export function initial(snapshot, now) {
  return {
    snapshot,
    until: deadlines(snapshot, now),
    moveFrom: now - 1000 * begun(snapshot),
    typingUntil: 0,
    end: snapshot.end ?? null,
  };
}

/** @returns {{held, missing}}: what is known after `frame`, and whether a version in between is missing. */
export function apply(held, frame, now) {
  switch (frame.type) {
    case "state":
      return { held: withSnapshot(held, frame.snapshot, now), missing: false };
    case "said":
      return withLine(held, frame, now);
    case "partner":
      return { held: { ...held, typingUntil: frame.typing ? now + TYPES_FOR : 0 }, missing: false };
    case "ended":
      return { held: { ...held, end: frame.end }, missing: false };
    default:
      return { held, missing: false };
  }
}

export function isTyping(held, now) {
  return now < held.typingUntil && !held.snapshot.partner_lost;
}

/** A later seat replaces an earlier one, whatever their versions; an end is never taken back. */
function isOlder(snapshot, known) {
  if (snapshot.seat !== known.seat) return snapshot.seat < known.seat;
  if (snapshot.phase === "ended") return false;
  return snapshot.version < known.version || known.phase === "ended";
}

function withSnapshot(held, snapshot, now) {
  const known = held.snapshot;
  if (isOlder(snapshot, known)) return held;
  if (snapshot.seat !== known.seat) return initial(snapshot, now);
  const grown = snapshot.lines.length > known.lines.length;
  return {
    snapshot,
    until: steady(held.until, deadlines(snapshot, now)),
    moveFrom: sameMove(snapshot, known) ? held.moveFrom : now,
    typingUntil: grown ? 0 : held.typingUntil,
    end: snapshot.end ?? held.end,
  };
}

function withLine(held, frame, now) {
  const known = held.snapshot;
  if (frame.version <= known.version) return { held, missing: false };
  if (frame.version !== known.version + 1) return { held, missing: true };
  const snapshot = {
    ...known,
    version: frame.version,
    lines: [...known.lines, frame.line],
    move: frame.move,
    round: frame.round,
    turn_left: frame.turn_left ?? null,
  };
  const { turn } = deadlines(snapshot, now);
  const next = {
    ...held,
    snapshot,
    until: { ...held.until, turn },
    moveFrom: now,
    typingUntil: frame.line.key ? held.typingUntil : 0,
  };
  return { held: next, missing: false };
}

function sameMove(one, other) {
  return one.phase === other.phase && one.move === other.move && one.lines.length === other.lines.length;
}
