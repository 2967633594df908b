/**
 * What is the worker told? Sentences from what the page knows; no document, no timers.
 */

const PARTNER = { questioner: "Answerer", answerer: "Questioner" };

/** @returns whose move it is and what comes next, in one line. */
export function turn(held, isSending) {
  const { snapshot: seen, partner } = held;
  if (seen.phase === "waiting") return "Looking for a partner for you.";
  if (seen.phase === "ended") return "This dialog is over.";
  if (isSending) return "Sending …";
  switch (seen.move) {
    case "ask":
      return seen.lines.length === 0 && !seen.partner_watched
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
      return waiting(seen, partner);
    default:
      return "Nothing is left to do.";
  }
}

function waiting(seen, partner) {
  if (!partner.here) return "Your partner is not connected right now. Please wait a moment.";
  if (seen.role === "questioner" && !seen.partner_watched) return "Your partner is watching the video, then answers.";
  const deed = seen.role === "questioner" ? "answering" : "asking";
  return partner.typing ? "Your partner is writing …" : `Your partner is ${deed}. Please wait.`;
}

/** @returns what the partner is doing, in a few words. */
export function partnerIs(held) {
  const { snapshot: seen, partner } = held;
  if (seen.role === "questioner" && seen.lines.length >= 2 * seen.rounds) return "Partner is done";
  if (!partner.here) return "Partner away";
  if (partner.typing) return "Partner is writing";
  if (seen.role === "questioner" && !seen.partner_watched) return "Partner is watching";
  return "Partner is here";
}

export function partnerState(held) {
  if (!held.partner.here) return "away";
  return held.partner.typing ? "typing" : "here";
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

export function partnerRole(role) {
  return PARTNER[role];
}

/** @returns seconds as minutes and seconds, "1:05". */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

const ENDS = {
  complete: ["Thank you, all done", "Your part is complete and stored."],
  partner_left: ["Your partner has left", "That is not your doing, and what you wrote is stored."],
  left: ["You have left", "What you wrote until then is stored."],
  timed_out: ["The time is over", "Nothing was written for too long."],
  no_partner: ["Nobody came", "We found no partner for you this time."],
  study_ended: ["The study has ended", "It ended while you took part."],
};

/** @returns [heading, sentence] for an outcome. */
export function end(outcome) {
  return ENDS[outcome] ?? ["This is over", "Go on to the last page to see what comes next."];
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
