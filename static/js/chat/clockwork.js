/**
 * What is to be said now because of the time? Compares what the clocks show with what they showed a moment ago.
 *
 * A countdown is no live region: it speaks at two minutes, one minute and thirty seconds, once each.
 */

import { gettext } from "./gettext.js";
import { passed } from "./timing.js";
import * as words from "./words.js";

/**
 * @param before what look() gave a moment ago, null at first; `sameTurn` tells whether its turn is still the same.
 * @returns sentences to say to who does not see the page, and whether one of them is worth a sound.
 */
export function sayings(held, before, after, sameTurn) {
  const said = [];
  let isLoud = false;
  const { snapshot: seen } = held;
  if (after.lost && !before?.lost) said.push(words.lost(after.lost));
  if (!after.lost && before?.lost && seen.phase === "dialog") said.push(gettext("Your partner is back."));
  if (after.lost?.mayEnd && before?.lost && !before.lost.mayEnd) said.push(words.mayEnd(seen));
  const mark = sameTurn && after.turn?.isOwn ? passed(before?.turn?.left ?? null, after.turn.left, [120]) : null;
  if (mark) said.push(words.timeLeft(seen, words.duration(mark)));
  if (after.isNudged && !before?.isNudged) {
    said.push(words.nudge(seen));
    isLoud = true;
  }
  if (after.dialog !== null && (before?.dialog ?? null) === null) said.push(words.dialogWarning(after.dialog, seen.pays));
  const near = passed(before?.dialog ?? null, after.dialog, [120, 60]);
  if (near) said.push(words.dialogWarning(near, seen.pays));
  const choice = passed(before?.choice ?? null, after.choice);
  if (choice) said.push(gettext("{time} left to choose.", { time: words.duration(choice) }));
  if (after.wait?.asks && !before?.wait?.asks) {
    said.push(words.waitChoice(seen.wait));
    isLoud = true;
  }
  return { said, isLoud };
}
