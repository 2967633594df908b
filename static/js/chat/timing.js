/**
 * How much time is left, for what? Moments in milliseconds by a clock that never jumps; the server sends only how many
 * seconds were left when it looked. Pure: the caller says what time it is.
 */

const JITTER = 1_000;
export const LAST_SECONDS = 60;
const MARKS = [120, 60, 30];

const moment = (seconds, now) => (seconds === null || seconds === undefined ? null : now + 1000 * seconds);

/** @returns the moments at which something runs out, or null each; `waitFrom` is when the wait began. */
export function deadlines(seen, now) {
  return {
    turn: moment(seen.turn_left, now),
    dialog: moment(seen.dialog_left, now),
    choice: moment(seen.choice_left, now),
    partner: moment(seen.partner_lost?.back_within, now),
    mayEnd: moment(seen.partner_lost?.may_end_in, now),
    waitFrom: seen.wait ? now - 1000 * seen.wait.so_far : null,
    waitChoice: moment(seen.wait?.until_choice, now),
  };
}

/** @returns the newer moments, but the older one where both mean the same: a network's jitter is not shown. */
export function steady(known, next) {
  const kept = Object.entries(next).map(([name, at]) => {
    const before = known[name];
    const isSame = at !== null && before !== null && Math.abs(at - before) < JITTER;
    return [name, isSame ? before : at];
  });
  return Object.fromEntries(kept);
}

/** @returns the seconds left until a moment, 0 when it has passed, null when there is none. */
export function left(at, now) {
  return at === null ? null : Math.max(0, (at - now) / 1000);
}

/** @returns whether the clock of the turn runs for this worker. */
export function isOwnTurn({ phase, role, lines }) {
  return phase === "dialog" && (lines.length % 2 === 0) === (role === "questioner");
}

/** @returns how many seconds ago the turn in a snapshot began, as far as it tells. */
export function begun(seen) {
  if (seen.phase !== "dialog" || seen.turn_left === null || seen.turn_left === undefined) return 0;
  const { times, lines } = seen;
  const isSummary = lines.length >= 2 * seen.rounds;
  const watch = lines.length % 2 && !seen.partner_watched ? times.watch : 0;
  return Math.max(0, (isSummary ? times.summary : times.turn + watch) - seen.turn_left);
}

/**
 * What do the clocks of the page show? `activeAt` is when the worker last did something towards the move.
 *
 * @returns {{turn, isNudged, isLast, lost, dialog, choice, wait}}: turn {left, isOwn} or null; lost {left, mayEnd} or
 * null; dialog and choice in seconds or null; wait {waited, mayEnd} or null.
 */
export function look(held, now, { activeAt = -Infinity, isSending = false, askAgainAt = 0 } = {}) {
  const { snapshot: seen, until } = held;
  const inDialog = seen.phase === "dialog" && !held.end;
  const lost = inDialog && seen.partner_lost ? { left: left(until.partner, now), mayEnd: until.mayEnd <= now } : null;
  const isOwn = isOwnTurn(seen) && !isSending;
  // The partner's grace decides while it runs: whoever waits for somebody who is lost is not late.
  const turn = inDialog && !lost && until.turn !== null && !isSending ? { left: left(until.turn, now), isOwn } : null;
  const quiet = (now - Math.max(held.moveFrom, activeAt)) / 1000;
  const dialog = inDialog ? left(until.dialog, now) : null;
  return {
    turn,
    isNudged: Boolean(turn?.isOwn) && quiet >= seen.times.nudge,
    isLast: Boolean(turn?.isOwn) && turn.left <= LAST_SECONDS,
    lost,
    dialog: dialog !== null && dialog <= warnedAt(seen.times) ? dialog : null,
    choice: seen.phase === "choice" && !held.end ? left(until.choice, now) : null,
    wait: lookAtWait(held, now, askAgainAt),
  };
}

/** @returns at how many seconds left the dialog's limit shows; near its end where the study's warning comes too late. */
function warnedAt(times) {
  return times.warning < times.dialog ? times.dialog - times.warning : 2 * LAST_SECONDS;
}

/** Whoever chose to go on waiting is asked again after another longest wait: `askAgainAt` in seconds waited. */
function lookAtWait({ snapshot: seen, until, end }, now, askAgainAt) {
  if (seen.phase !== "waiting" || end || until.waitFrom === null) return null;
  const waited = (now - until.waitFrom) / 1000;
  const mayEnd = until.waitChoice <= now;
  return { waited, mayEnd, asks: mayEnd && waited >= askAgainAt };
}

/** @returns the mark in seconds that was passed between two looks, or null. */
export function passed(before, after, marks = MARKS) {
  if (before === null || after === null) return null;
  return marks.findLast((mark) => after <= mark && mark < before) ?? null;
}
