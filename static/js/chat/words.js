/**
 * What is the worker told? Sentences from what the page knows; no document, no timers. How it ended the server says.
 */

import { isTyping } from "./state.js";
import { KIND_OF } from "./rules.js";

/** @returns whose move it is and what comes next, in one line. */
export function turn(held, isSending, now) {
  const { snapshot: seen } = held;
  if (seen.phase === "waiting") return "Looking for a partner for you.";
  if (seen.phase === "choice") return "Your partner is gone. Choose how to go on.";
  if (seen.phase === "ended") return "This dialog is over.";
  if (isSending) return "Sending …";
  switch (seen.move) {
    case "ask":
      return seen.lines.length === 0 && !seen.partner_watched && !seen.partner_lost
        ? "Your turn: ask your first question. Your partner is watching the video."
        : `Your turn: ask question ${seen.round} of ${seen.rounds}.`;
    case "answer":
      return `Your turn: answer question ${seen.round} of ${seen.rounds}.`;
    case "summarise":
      return "Your turn: summarise what happens in the video.";
    case "watch":
      return seen.lines.length
        ? "Your partner has asked. Watch the video to its end, then answer."
        : "Watch the video to its end, with sound. Then you can answer.";
    case "wait":
      return waiting(held, now);
    default:
      return "Nothing is left to do.";
  }
}

function waiting(held, now) {
  const { snapshot: seen } = held;
  if (seen.partner_lost) return "Please wait for your partner to come back.";
  if (seen.role === "questioner" && !seen.partner_watched) return "Your partner is watching the video, then answers.";
  const deed = seen.role === "questioner" ? "answering" : "asking";
  return isTyping(held, now) ? "Your partner is writing …" : `Your partner is ${deed}. Please wait.`;
}

/** @returns what the partner is doing, in a few words. */
export function partnerIs(held, now) {
  const { snapshot: seen } = held;
  if (seen.role === "questioner" && seen.lines.length >= 2 * seen.rounds) return "Partner is done";
  if (seen.partner_lost) return "Partner away";
  if (isTyping(held, now)) return "Partner is writing";
  if (seen.role === "questioner" && !seen.partner_watched) return "Partner is watching";
  return "Partner is here";
}

export function partnerState(held, now) {
  if (held.snapshot.partner_lost) return "away";
  return isTyping(held, now) ? "typing" : "here";
}

export function round(seen) {
  if (seen.move === "summarise") return "Summary";
  return `Round ${seen.round} of ${seen.rounds}`;
}

/** @returns who wrote a line, in words, and what it is. */
export function speaker(kind, position, isOwn) {
  const who = isOwn ? "You" : "Partner";
  return kind === "summary" ? `${who}, summary` : `${who}, ${kind} ${Math.floor(position / 2) + 1}`;
}

export function roleName(role) {
  return role === "questioner" ? "Questioner" : "Answerer";
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
  const [number, unit] = seconds < 60 ? [Math.ceil(seconds), "second"] : [Math.round(seconds / 60), "minute"];
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}

/** @returns what the worker is to write, as in "for your answer". */
export function thing({ move, lines, role }) {
  const kind = KIND_OF[move] ?? (role === "questioner" ? "question" : "answer");
  return lines.length === 0 && kind === "question" ? "your first question" : `your ${kind}`;
}

/** @returns the turn's time with whose it is, as it stands beside the turn. */
export function turnTime({ left, isOwn }) {
  return isOwn ? `${countdown(left)} left` : `Partner has ${countdown(left)}`;
}

/** @returns what to say to who has not begun to write for a while. */
export function nudge(seen) {
  if (seen.lines.length === 0 && seen.move === "ask") return "Please begin to write your first question.";
  if (seen.move === "watch") return "Your partner is waiting for your answer. Play the video to its end, then write.";
  const who = seen.move === "summarise" ? "Your summary is still missing." : `Your partner is waiting for ${thing(seen)}.`;
  return `${who} Please begin to write.`;
}

/** @returns what to say when a turn is nearly over; the same words until half a minute is left. */
export function lastCall(seen, left) {
  const time = left <= 30 ? "Less than half a minute" : "Less than a minute";
  const end = seen.move === "summarise" ? "After that your part ends." : "After that the dialog ends for both of you.";
  return `${time} is left for ${thing(seen)}. ${end}`;
}

export function lost({ left }) {
  return `Your partner has lost the connection. They have ${duration(left)} to come back.`;
}

/** @returns how the partner of who is to choose went. */
export function leftAlone(why) {
  switch (why) {
    case "partner_left":
      return "They left the dialog.";
    case "partner_lost":
      return "They lost the connection and did not come back in time.";
    case "partner_idle":
      return "They wrote nothing for too long.";
    default:
      return "They left, lost the connection or wrote nothing for too long.";
  }
}

/** @returns what the end of a dialog's time means, and how near it is; `pays` tells whether the study pays. */
export function dialogWarning(left, pays) {
  const paid = pays ? "is the last, and both of you are paid in full." : "is the last.";
  if (left <= 0) return `The time for this dialog is over. This round ${paid}`;
  const minutes = Math.max(1, Math.round(left / 60));
  const [verb, they] = minutes === 1 ? ["is", "it is"] : ["are", "they are"];
  return `${duration(60 * minutes)} ${verb} left for this dialog. When ${they} over, the round in progress ${paid}`;
}

/** @returns how long it may take, from what others waited. No promise, no position. */
export function estimate(wait) {
  if (wait.typical === null || wait.typical === undefined) {
    return "Hardly anybody has waited here lately, so we cannot say how long it takes.";
  }
  const minutes = Math.floor(wait.typical / 60) + 1;
  return `Half of the people who waited here in the last day waited less than ${duration(60 * minutes)}.`;
}

/** @returns what to say when nobody has come for long. */
export function waitChoice({ pays }) {
  return `Nobody has come yet. You may end now${pays ? " and are paid for waiting" : ""}, or wait on.`;
}

/** @returns what ending costs of the day's ends without a partner, or nothing where they do not count. */
export function endsLeft(wait) {
  if (wait.is_first_in_line || wait.ends_left < 1) return "";
  const what = wait.pays ? "be paid for waiting alone" : "end without a partner";
  return wait.ends_left === 1
    ? `This is the last time today that you can ${what}.`
    : `You can ${what} ${wait.ends_left} times today, this time included.`;
}

/** @returns what to say to who is told that they may end before a lost partner is given up. */
export function mayEnd({ pays }) {
  return pays ? "You may end now, paid." : "You may end now.";
}

/** @returns what either choice means to who was left alone. */
export function choice({ pays, may_wait: mayWait }) {
  const paid = pays ? ["You are paid for this dialog either way. ", "You are paid for this dialog. "] : ["", ""];
  return mayWait
    ? `${paid[0]}If you wait, you are first in line for another partner and begin a new dialog with them.`
    : `${paid[1]}No other partner will come: the study has no dialogs left for you.`;
}

/** @returns how the page is called: a hidden tab says what happens in it. `news` is what came while it was hidden. */
export function title(name, { isHidden, isTurn, isNudged, news }) {
  if (isNudged) return `● Your partner waits – ${name}`;
  if (!isHidden) return name;
  if (news) return `● ${news} – ${name}`;
  return isTurn ? `● Your turn – ${name}` : name;
}

/** @returns [heading, sentence] for a close code after which the page does not connect again, or null. */
export function closed(code) {
  switch (code) {
    case 4001:
      return ["Opened elsewhere", "You opened this task in another tab or window. Go on there, or take it back here."];
    case 4003:
      return ["This link is not valid any more", "Open the invitation again to go on where you were."];
    default:
      return null;
  }
}
