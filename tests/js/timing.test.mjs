import assert from "node:assert/strict";
import { test } from "node:test";

import { sayings } from "../../static/js/chat/clockwork.js";
import { apply, initial } from "../../static/js/chat/state.js";
import { begun, deadlines, left, look, passed, steady } from "../../static/js/chat/timing.js";

const times = { grace: 60, turn: 300, nudge: 120, typing: 120, watch: 76, summary: 900, dialog: 3600, warning: 3000 };
const line = (position) => ({ position, kind: position % 2 ? "answer" : "question", text: "text", key: "" });
const snapshot = (more = {}) => ({
  seat: 1, version: 2, phase: "dialog", move: "ask", role: "questioner", round: 2, rounds: 10, lines: [line(0), line(1)],
  times, partner_watched: true, partner_lost: null, turn_left: 300, dialog_left: 3000, choice_left: null, wait: null, pays: true,
  end: null, ...more,
});
const waiting = (wait = {}) =>
  snapshot({
    phase: "waiting", version: 0, role: null, lines: [], turn_left: null, dialog_left: null,
    wait: { so_far: 0, until_choice: 600, longest: 600, typical: null, ends_left: 2, is_first_in_line: false, pays: true, ...wait },
  });
const start = 5_000_000;
const held = (more) => initial(snapshot(more), start);
const after = (seconds) => start + 1000 * seconds;

test("what is left runs down to nothing by the page's own clock", () => {
  const { turn } = deadlines({ turn_left: 10 }, start);
  assert.deepEqual([0, 4, 10, 60].map((seconds) => left(turn, after(seconds))), [10, 6, 0, 0]);
  assert.equal(left(null, start), null);
});

test("a network's jitter is not shown, more time is", () => {
  const known = deadlines({ turn_left: 100 }, start);
  assert.equal(steady(known, deadlines({ turn_left: 99.6 }, after(0))).turn, known.turn);
  assert.equal(steady(known, deadlines({ turn_left: 160 }, after(0))).turn, after(160));
  assert.equal(steady(known, deadlines({ turn_left: null }, after(0))).turn, null);
});

test("the turn's time is the worker's own or the partner's", () => {
  assert.deepEqual(look(held(), after(60)).turn, { left: 240, isOwn: true });
  assert.equal(look(held({ lines: [line(0)], move: "wait" }), start).turn.isOwn, false);
  assert.equal(look(held({ lines: [line(0)], move: "answer", role: "answerer" }), start).turn.isOwn, true);
  assert.equal(look(held(), start, { isSending: true }).turn, null);
});

test("a line brings the time of the next turn and leaves the dialog's", () => {
  const said = { type: "said", version: 3, line: { ...line(2), key: "mine" }, move: "wait", round: 2, turn_left: 300 };
  const next = apply(held(), said, after(100)).held;
  assert.equal(left(next.until.turn, after(100)), 300);
  assert.equal(left(next.until.dialog, after(100)), 2900);
  assert.equal(look(next, after(100)).turn.isOwn, false);
});

test("who does not begin to write is nudged, and again after as long a silence", () => {
  assert.equal(look(held(), after(119)).isNudged, false);
  assert.equal(look(held(), after(120)).isNudged, true);
  assert.equal(look(held(), after(121), { activeAt: after(120) }).isNudged, false);
  assert.equal(look(held(), after(240), { activeAt: after(120) }).isNudged, true);
});

test("a reload does not begin the silence anew", () => {
  assert.equal(begun(snapshot({ turn_left: 180 })), 120);
  assert.equal(look(held({ turn_left: 180 }), start).isNudged, true);
  assert.equal(look(initial(snapshot({ turn_left: 180 }), 100), 200).isNudged, true); // the page's clock begins anew
  assert.equal(begun(snapshot({ lines: [line(0)], partner_watched: false, turn_left: 376 })), 0);
  assert.equal(begun(snapshot({ lines: Array.from({ length: 20 }, (_, i) => line(i)), turn_left: 880 })), 20);
});

test("whoever waits is never nudged", () => {
  assert.equal(look(held({ lines: [line(0)], move: "wait" }), after(290)).isNudged, false);
});

test("the last minute of the own turn is special, the partner's is not", () => {
  assert.equal(look(held(), after(239)).isLast, false);
  assert.equal(look(held(), after(240)).isLast, true);
  assert.equal(look(held({ lines: [line(0)], move: "wait" }), after(290)).isLast, false);
});

test("while a partner is lost no turn counts, and when one may end is told", () => {
  const alone = held({ partner_lost: { back_within: 180, may_end_in: 60 } });
  assert.deepEqual(look(alone, after(59)).lost, { left: 121, mayEnd: false });
  assert.deepEqual(look(alone, after(60)).lost, { left: 120, mayEnd: true });
  assert.equal(look(alone, after(60)).turn, null);
  assert.equal(look(alone, after(290)).isNudged, false);
});

test("the dialog's limit shows from its warning on", () => {
  assert.equal(look(held(), start).dialog, null);
  assert.equal(look(held({ dialog_left: 601 }), start).dialog, null);
  assert.equal(look(held({ dialog_left: 601 }), after(1)).dialog, 600);
  assert.equal(look(held({ dialog_left: 100, times: { ...times, warning: 4000 } }), start).dialog, 100);
});

test("the choice while waiting comes with the longest wait and again after another", () => {
  const alone = initial(waiting({ so_far: 30, until_choice: 570 }), start);
  assert.deepEqual(look(alone, after(10)).wait, { waited: 40, mayEnd: false, asks: false });
  assert.deepEqual(look(alone, after(570)).wait, { waited: 600, mayEnd: true, asks: true });
  const later = { askAgainAt: 1200 };
  assert.equal(look(alone, after(600), later).wait.asks, false);
  assert.equal(look(alone, after(600), later).wait.mayEnd, true);
  assert.equal(look(alone, after(1170), later).wait.asks, true);
});

test("a mark is passed once", () => {
  assert.equal(passed(121, 120), 120);
  assert.equal(passed(120, 119), null);
  assert.equal(passed(125, 20), 30);
  assert.equal(passed(null, 20), null);
  assert.equal(passed(50, 110), null);
});

/** Let a page look each second. @returns all it said, with the second. */
function listen(page, seconds, options = {}) {
  const all = [];
  let before = null;
  for (let second = 0; second <= seconds; second += 1) {
    const looked = look(page, after(second), options);
    for (const sentence of sayings(page, before, looked, true).said) all.push([second, sentence]);
    before = looked;
  }
  return all;
}

test("a turn speaks at the nudge and at two minutes; the alarm does the rest", () => {
  assert.deepEqual(listen(held(), 300), [
    [120, "Your partner is waiting for your question. Please begin to write."],
    [180, "Time left for your question: 2 minutes."],
  ]);
});

test("the partner's turn says nothing", () => {
  assert.deepEqual(listen(held({ lines: [line(0)], move: "wait" }), 300), []);
});

test("a lost partner is told once, and when one may end", () => {
  assert.deepEqual(listen(held({ partner_lost: { back_within: 47, may_end_in: 10 } }), 47), [
    [0, "Your partner has lost the connection. They have 47 seconds to come back."],
    [10, "You may end now, paid."],
  ]);
});

test("a partner who is back is told", () => {
  const lost = look(held({ partner_lost: { back_within: 47, may_end_in: 47 } }), start);
  assert.deepEqual(sayings(held(), lost, look(held(), start), true).said, ["Your partner is back."]);
});

test("the dialog's limit speaks at its warning, at two minutes and at one", () => {
  const own = held({ dialog_left: 602, lines: [line(0)], move: "wait" });
  assert.deepEqual(listen(own, 602).map(([second, sentence]) => [second, sentence.slice(0, 12)]), [
    [2, "10 minutes a"], [482, "2 minutes ar"], [542, "1 minute is "],
  ]);
});

test("the choice speaks at two minutes, one minute and thirty seconds", () => {
  const alone = held({ phase: "choice", turn_left: null, dialog_left: null, choice_left: 300 });
  assert.deepEqual(listen(alone, 300), [
    [180, "2 minutes left to choose."], [240, "1 minute left to choose."], [270, "30 seconds left to choose."],
  ]);
});

test("what the worker waited for in vain is loud", () => {
  const alone = initial(waiting({ until_choice: 5 }), start);
  assert.equal(sayings(alone, look(alone, after(4)), look(alone, after(5)), true).isLoud, true);
});
