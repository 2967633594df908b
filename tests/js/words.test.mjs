import assert from "node:assert/strict";
import { test } from "node:test";

import * as words from "../../static/js/chat/words.js";

const wait = (more = {}) => ({ typical: null, ends_left: 2, is_first_in_line: false, pays: true, ...more });

test("what is left is rounded up, what has passed down", () => {
  assert.equal(words.countdown(46.2), "0:47");
  assert.equal(words.clock(46.8), "0:46");
  assert.equal(words.countdown(299.5), "5:00");
  assert.equal(words.countdown(-3), "0:00");
});

test("an estimate says what was, and nothing where too little is known", () => {
  assert.equal(words.estimate(wait({ typical: 150 })), "Half of the people who waited here in the last day waited less than 3 minutes.");
  assert.equal(words.estimate(wait({ typical: 5 })), "Half of the people who waited here in the last day waited less than 1 minute.");
  assert.equal(words.estimate(wait({ typical: 180 })), "Half of the people who waited here in the last day waited less than 4 minutes.");
  assert.match(words.estimate(wait()), /cannot say how long/);
});

test("paid ends of the day are counted for who has had no partner yet", () => {
  assert.match(words.endsLeft(wait()), /2 times today, this time included/);
  assert.match(words.endsLeft(wait({ ends_left: 1 })), /last time today/);
  assert.equal(words.endsLeft(wait({ ends_left: 0 })), "");
  assert.equal(words.endsLeft(wait({ is_first_in_line: true })), "");
});

test("the dialog's limit says what it means", () => {
  assert.equal(words.dialogWarning(600, true), "10 minutes are left for this dialog. Then the round in progress is the last, and both of you are paid in full.");
  assert.match(words.dialogWarning(40, true), /^1 minute is left for this dialog. Then the round/);
  assert.match(words.dialogWarning(0, true), /^The time for this dialog is over. This round is the last/);
});

test("where nothing is paid no word is said of pay", () => {
  const seen = { pays: false, may_wait: true };
  const said = [
    words.dialogWarning(600, false),
    words.dialogWarning(0, false),
    words.endsLeft(wait({ pays: false })),
    words.endsLeft(wait({ pays: false, ends_left: 1 })),
    words.waitChoice({ pays: false }),
    words.mayEnd(seen),
    words.choice(seen),
    words.choice({ ...seen, may_wait: false }),
  ];
  for (const sentence of said) {
    assert.doesNotMatch(sentence, /paid|pay/);
    assert.match(sentence, /^[A-Z0-9].*\.$/);
  }
  assert.match(words.choice({ pays: true, may_wait: false }), /^You are paid for this dialog\. No other/);
  assert.match(words.waitChoice({ pays: true }), /are paid for waiting/);
});

test("a last call keeps its words for half a minute", () => {
  const seen = { move: "answer", lines: [1], role: "answerer" };
  assert.equal(words.lastCall(seen, 60), words.lastCall(seen, 31));
  assert.notEqual(words.lastCall(seen, 31), words.lastCall(seen, 30));
  assert.match(words.lastCall(seen, 60), /^Time left for your answer: less than a minute\./);
});

test("a hidden tab says in its title what happens", () => {
  const title = (more) => words.title("Task", { isHidden: true, isTurn: false, isNudged: false, news: "", ...more });
  assert.equal(title({}), "Task");
  assert.equal(title({ isTurn: true }), "● Your turn – Task");
  assert.equal(title({ isTurn: true, news: "Your partner is here" }), "● Your partner is here – Task");
  assert.equal(title({ isTurn: true, isHidden: false }), "Task");
  assert.equal(title({ isNudged: true, isHidden: false }), "● Your partner waits – Task");
});

test("who is left alone reads how the partner went, or what it may have been", () => {
  assert.equal(words.leftAlone("partner_left"), "They left the dialog.");
  assert.match(words.leftAlone("partner_lost"), /lost the connection and did not come back/);
  assert.equal(words.leftAlone("partner_idle"), "They wrote nothing for too long.");
  assert.match(words.leftAlone(undefined), /left, lost the connection or wrote nothing/); // an older server
});

test("a wait is worth what is paid for it: nothing in its first minute, then by the second, rounded up to cents", () => {
  assert.equal(words.waitingPay(0, "0.15"), "");
  assert.equal(words.waitingPay(60.9, "0.15"), "");
  assert.equal(words.waitingPay(61, "0.15"), "This wait has earned you $0.01 so far.");
  assert.equal(words.waitingPay(120, "0.15"), "This wait has earned you $0.15 so far.");
  assert.equal(words.waitingPay(3661.2, "0.15"), "This wait has earned you $9.01 so far.");
});
