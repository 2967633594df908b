import assert from "node:assert/strict";
import { test } from "node:test";

import { Post } from "../../static/js/summaries/post.js";
import { FakeClock, settled } from "./support/clock.mjs";

const SEEN = { type: "seen", move: "summarise", task_left: 100, summary_left: 50 };

/** A server that answers each post with the next of `answers`; an Error is an answer that was lost. */
function postTo(...answers) {
  const clock = new FakeClock();
  const made = { clock, sent: [], heard: [], trouble: [] };
  const send = async (frame) => {
    made.sent.push(frame);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  made.post = new Post(
    send,
    { answered: (frame, answer) => made.heard.push([frame.type, answer.type]), trouble: (isTrouble) => made.trouble.push(isTrouble) },
    clock,
  );
  return made;
}

test("frames go one after the other, in order", async () => {
  const { post, sent, heard } = postTo(SEEN);
  post.add({ type: "watched", ranges: [] });
  post.add({ type: "draft", text: "A" });
  assert.equal(sent.length, 1);
  await settled();
  assert.deepEqual(heard, [["watched", "seen"], ["draft", "seen"]]);
  assert.equal(post.has("draft"), false);
});

test("a frame without an answer is sent again, unchanged, and the page knows of the trouble", async () => {
  const { post, sent, heard, trouble, clock } = postTo(new Error("gone"), new Error("gone"), SEEN);
  post.add({ type: "summarise", key: "k", text: "T" });
  await clock.pass(60_000);
  assert.equal(sent.length, 3);
  assert.equal(new Set(sent.map((frame) => JSON.stringify(frame))).size, 1);
  assert.deepEqual(heard, [["summarise", "seen"]]);
  assert.deepEqual(trouble, [true, true, false]);
});

test("busy is no refusal", async () => {
  const { post, heard, clock } = postTo({ type: "refused", code: "busy" }, { type: "refused", code: "too_fast" }, SEEN);
  post.add({ type: "summarise", key: "k", text: "T" });
  await clock.pass(60_000);
  assert.deepEqual(heard, [["summarise", "seen"]]);
});

test("a refusal is passed on and not sent again", async () => {
  const { post, sent, heard, clock } = postTo({ type: "refused", code: "too_short" });
  post.add({ type: "summarise", key: "k", text: "T" });
  await clock.pass(60_000);
  assert.deepEqual(heard, [["summarise", "refused"]]);
  assert.equal(sent.length, 1);
});

test("of drafts only the newest waits, also behind one that is under way", async () => {
  const { post, sent } = postTo(SEEN);
  for (const text of ["A", "B", "C"]) post.add({ type: "draft", text });
  await settled();
  assert.deepEqual(sent.map((frame) => frame.text), ["A", "C"]);
});

test("waking sends at once, and after the end nothing is sent", async () => {
  const { post, sent, clock } = postTo(new Error("gone"));
  post.add({ type: "draft", text: "A" });
  await settled();
  post.wake();
  await settled();
  assert.equal(sent.length, 2);
  post.end();
  await clock.pass(60_000);
  assert.equal(sent.length, 2);
});
