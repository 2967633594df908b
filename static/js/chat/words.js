/**
 * What is the worker told? Sentences from what the page knows; no document, no timers. How it ended the server says.
 */

import { dollars, gettext, ngettext } from "./gettext.js";
import { isTyping } from "./state.js";
import { KIND_OF } from "./rules.js";

/** @returns whose move it is and what comes next, in one line. */
export function turn(held, isSending, now) {
  const { snapshot: seen } = held;
  if (seen.phase === "waiting") return gettext("Looking for a partner for you.");
  if (seen.phase === "choice") return gettext("Your partner is gone. Choose how to go on.");
  if (seen.phase === "ended") return gettext("This dialog is over.");
  if (isSending) return gettext("Sending …");
  switch (seen.move) {
    case "ask":
      return seen.lines.length === 0 && !seen.partner_watched && !seen.partner_lost
        ? gettext("Your turn: ask your first question. Your partner is watching the video.")
        : gettext("Your turn: ask question {round} of {rounds}.", seen);
    case "answer":
      return gettext("Your turn: answer question {round} of {rounds}.", seen);
    case "summarise":
      return gettext("Your turn: summarise what happens in the video.");
    case "watch":
      return seen.lines.length
        ? gettext("Your partner has asked. Watch the video to its end, then answer.")
        : gettext("Watch the video to its end, with sound. Then you can answer.");
    case "wait":
      return waiting(held, now);
    default:
      return gettext("Nothing is left to do.");
  }
}

function waiting(held, now) {
  const { snapshot: seen } = held;
  if (seen.partner_lost) return gettext("Please wait for your partner to come back.");
  if (seen.role === "questioner" && !seen.partner_watched) return gettext("Your partner is watching the video, then answers.");
  if (isTyping(held, now)) return gettext("Your partner is writing …");
  return seen.role === "questioner"
    ? gettext("Your partner is answering. Please wait.")
    : gettext("Your partner is asking. Please wait.");
}

/** @returns what the partner is doing, in a few words. */
export function partnerIs(held, now) {
  const { snapshot: seen } = held;
  if (seen.role === "questioner" && seen.lines.length >= 2 * seen.rounds) return gettext("Partner is done");
  if (seen.partner_lost) return gettext("Partner away");
  if (isTyping(held, now)) return gettext("Partner is writing");
  if (seen.role === "questioner" && !seen.partner_watched) return gettext("Partner is watching");
  return gettext("Partner is here");
}

export function partnerState(held, now) {
  if (held.snapshot.partner_lost) return "away";
  return isTyping(held, now) ? "typing" : "here";
}

export function round(seen) {
  if (seen.move === "summarise") return gettext("Summary");
  return gettext("Round {round} of {rounds}", seen);
}

/** @returns who wrote a line, in words, and what it is. */
export function speaker(kind, position, isOwn) {
  const number = Math.floor(position / 2) + 1;
  switch (kind) {
    case "question":
      return isOwn ? gettext("You, question {number}", { number }) : gettext("Partner, question {number}", { number });
    case "answer":
      return isOwn ? gettext("You, answer {number}", { number }) : gettext("Partner, answer {number}", { number });
    default:
      return isOwn ? gettext("You, summary") : gettext("Partner, summary");
  }
}

export function roleName(role) {
  return role === "questioner" ? gettext("Questioner") : gettext("Answerer");
}

/** @returns seconds as minutes and seconds, "1:05"; what is left is rounded up, what has passed down. */
export function clock(seconds, round = Math.floor) {
  const whole = Math.max(0, round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export function countdown(seconds) {
  return clock(seconds, Math.ceil);
}

/** @returns seconds in words: "40 seconds", "3 minutes". */
export function duration(seconds) {
  return seconds < 60
    ? ngettext("{number} second", "{number} seconds", Math.ceil(seconds))
    : ngettext("{number} minute", "{number} minutes", Math.round(seconds / 60));
}

/** @returns what the worker is to write: a first question, a question, an answer or a summary. */
function thing({ move, lines, role }) {
  const kind = KIND_OF[move] ?? (role === "questioner" ? "question" : "answer");
  return lines.length === 0 && kind === "question" ? "first" : kind;
}

/** @returns how much time, given in words, is left for what the worker is to write. */
export function timeLeft(seen, time) {
  switch (thing(seen)) {
    case "first":
      return gettext("Time left for your first question: {time}.", { time });
    case "question":
      return gettext("Time left for your question: {time}.", { time });
    case "answer":
      return gettext("Time left for your answer: {time}.", { time });
    default:
      return gettext("Time left for your summary: {time}.", { time });
  }
}

/** @returns the turn's time with whose it is, as it stands beside the turn. */
export function turnTime({ left, isOwn }) {
  const values = { time: countdown(left) };
  return isOwn ? gettext("{time} left", values) : gettext("Partner has {time}", values);
}

/** @returns what to say to who has not begun to write for a while. */
export function nudge(seen) {
  if (seen.lines.length === 0 && seen.move === "ask") return gettext("Please begin to write your first question.");
  if (seen.move === "watch") return gettext("Your partner is waiting for your answer. Play the video to its end, then write.");
  if (seen.move === "summarise") return gettext("Your summary is still missing. Please begin to write.");
  return thing(seen) === "question"
    ? gettext("Your partner is waiting for your question. Please begin to write.")
    : gettext("Your partner is waiting for your answer. Please begin to write.");
}

/** @returns what to say when a turn is nearly over; the same words until half a minute is left. */
export function lastCall(seen, left) {
  const time = left <= 30 ? gettext("less than half a minute") : gettext("less than a minute");
  const end = seen.move === "summarise" ? gettext("After that your part ends.") : gettext("After that the dialog ends for both of you.");
  return `${timeLeft(seen, time)} ${end}`;
}

export function lost({ left }) {
  return gettext("Your partner has lost the connection. They have {time} to come back.", { time: duration(left) });
}

/** @returns how the partner of who is to choose went. */
export function leftAlone(why) {
  switch (why) {
    case "partner_left":
      return gettext("They left the dialog.");
    case "partner_lost":
      return gettext("They lost the connection and did not come back in time.");
    case "partner_idle":
      return gettext("They wrote nothing for too long.");
    default:
      return gettext("They left, lost the connection or wrote nothing for too long.");
  }
}

/** @returns what the end of a dialog's time means, and how near it is; `pays` tells whether the study pays. */
export function dialogWarning(left, pays) {
  if (left <= 0) {
    return pays
      ? gettext("The time for this dialog is over. This round is the last, and both of you are paid in full.")
      : gettext("The time for this dialog is over. This round is the last.");
  }
  const minutes = Math.max(1, Math.round(left / 60));
  const time = ngettext("{number} minute is left for this dialog.", "{number} minutes are left for this dialog.", minutes);
  const end = pays
    ? gettext("Then the round in progress is the last, and both of you are paid in full.")
    : gettext("Then the round in progress is the last.");
  return `${time} ${end}`;
}

/** @returns how long it may take, from what others waited. No promise, no position. */
export function estimate(wait) {
  if (wait.typical === null || wait.typical === undefined) {
    return gettext("Hardly anybody has waited here lately, so we cannot say how long it takes.");
  }
  const minutes = Math.floor(wait.typical / 60) + 1;
  return gettext("Half of the people who waited here in the last day waited less than {time}.", { time: duration(60 * minutes) });
}

/** @returns what a wait is worth so far, as it is paid; nothing in its first minute, which is not. */
export function waitingPay(seconds, aMinute) {
  const paid = Math.floor(seconds) - 60;
  if (paid <= 0) return "";
  const cents = Math.ceil((Math.round(100 * aMinute) * paid) / 60);
  return gettext("This wait has earned you {amount} so far.", { amount: dollars(cents / 100) });
}

/** @returns what to say when nobody has come for long. */
export function waitChoice({ pays }) {
  return pays
    ? gettext("Nobody has come yet. You may end now and are paid for waiting, or wait on.")
    : gettext("Nobody has come yet. You may end now, or wait on.");
}

/** @returns what ending costs of the day's ends without a partner, or nothing where they do not count. */
export function endsLeft(wait) {
  if (wait.is_first_in_line || wait.ends_left < 1) return "";
  if (wait.ends_left === 1) {
    return wait.pays
      ? gettext("This is the last time today that you can be paid for waiting alone.")
      : gettext("This is the last time today that you can end without a partner.");
  }
  const times = { number: wait.ends_left };
  return wait.pays
    ? gettext("You can be paid for waiting alone {number} times today, this time included.", times)
    : gettext("You can end without a partner {number} times today, this time included.", times);
}

/** @returns what to say to who is told that they may end before a lost partner is given up. */
export function mayEnd({ pays }) {
  return pays ? gettext("You may end now, paid.") : gettext("You may end now.");
}

/** @returns what either choice means to who was left alone. */
export function choice({ pays, may_wait: mayWait }) {
  if (mayWait) {
    const next = gettext("If you wait, you are first in line for another partner and begin a new dialog with them.");
    return pays ? `${gettext("You are paid for this dialog either way.")} ${next}` : next;
  }
  const none = gettext("No other partner will come: the study has no dialogs left for you.");
  return pays ? `${gettext("You are paid for this dialog.")} ${none}` : none;
}

/** @returns how the page is called: a hidden tab says what happens in it. `news` is what came while it was hidden. */
export function title(name, { isHidden, isTurn, isNudged, news }) {
  if (isNudged) return `● ${gettext("Your partner waits")} – ${name}`;
  if (!isHidden) return name;
  if (news) return `● ${news} – ${name}`;
  return isTurn ? `● ${gettext("Your turn")} – ${name}` : name;
}

/** @returns [heading, sentence] for a close code after which the page does not connect again, or null. */
export function closed(code) {
  switch (code) {
    case 4001:
      return [gettext("Opened elsewhere"), gettext("You opened this task in another tab or window. Go on there, or take it back here.")];
    case 4003:
      return [gettext("This link is not valid any more"), gettext("Open the invitation again to go on where you were.")];
    default:
      return null;
  }
}
