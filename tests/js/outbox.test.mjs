import assert from "node:assert/strict";
import { test } from "node:test";

import { MANY_TRIES, Outbox, RESEND_AFTER, frameOf, newKey } from "../../static/js/chat/outbox.js";
import { openStore } from "../../static/js/chat/store.js";

function memory() {
  const kept = new Map();
  return { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
}

function outboxOn(storage, path = "/w/1/", seat = 1) {
  let number = 0;
  return new Outbox(openStore(() => storage, path, seat), () => `key-0000${(number += 1)}`);
}

test("a key has 22 characters the server takes, and no two are alike", () => {
  const keys = new Set(Array.from({ length: 1000 }, () => newKey()));
  assert.equal(keys.size, 1000);
  for (const key of keys) assert.match(key, /^[A-Za-z0-9_-]{22}$/);
});

test("a text is sent at once and again when nothing is heard", () => {
  const outbox = outboxOn(memory());
  outbox.add("ask", "What moves?", {}, 1000);
  assert.equal(outbox.takeDue(1000).length, 1);
  assert.equal(outbox.takeDue(1000 + RESEND_AFTER - 1).length, 0);
  assert.equal(outbox.takeDue(1000 + RESEND_AFTER).length, 1);
});

test("an acknowledged text is not sent again but stays until its line is seen", () => {
  const outbox = outboxOn(memory());
  const { key } = outbox.add("ask", "What moves?", {}, 0);
  outbox.acknowledged(key, 4);
  outbox.reconnected();
  assert.deepEqual(outbox.takeDue(1e9), []);
  assert.equal(outbox.isWaiting, true);
  outbox.settle([{ key }]);
  assert.equal(outbox.isWaiting, false);
});

test("a new socket sends everything again in order", () => {
  const outbox = outboxOn(memory());
  outbox.add("ask", "first", {}, 0);
  outbox.add("ask", "second", {}, 0);
  outbox.takeDue(0);
  outbox.reconnected();
  assert.deepEqual(outbox.takeDue(1).map((entry) => entry.text), ["first", "second"]);
});

test("a refused text is given back and not sent again", () => {
  const outbox = outboxOn(memory());
  const { key } = outbox.add("answer", "Too short", {}, 0);
  assert.equal(outbox.refused(key, "too_short", 0), "Too short");
  assert.equal(outbox.isWaiting, false);
  assert.equal(outbox.refused(key, "too_short", 0), null);
});

test("busy is no refusal: the text stays and is sent later", () => {
  const outbox = outboxOn(memory());
  const { key } = outbox.add("answer", "It slides.", {}, 0);
  outbox.takeDue(0);
  assert.equal(outbox.refused(key, "busy", 100), null);
  assert.equal(outbox.takeDue(100).length, 0);
  assert.equal(outbox.takeDue(100 + 2000).length, 1);
});

test("a reload finds what was not stored, with the same key", () => {
  const storage = memory();
  const { key } = outboxOn(storage).add("ask", "What moves?", { typed_at: 5, evidence: { to_send: 1 } }, 0);
  const again = outboxOn(storage);
  const [entry] = again.takeDue(0);
  assert.deepEqual(frameOf(entry), { type: "ask", key, text: "What moves?", typed_at: 5, evidence: { to_send: 1 } });
});

test("two pages in one tab do not see each other's texts", () => {
  const storage = memory();
  outboxOn(storage, "/w/1/").add("ask", "What moves?", {}, 0);
  assert.equal(outboxOn(storage, "/w/2/").isWaiting, false);
  assert.equal(outboxOn(storage, "/w/1/", 2).isWaiting, false);
});

test("without storage everything works but the reload", () => {
  const refused = () => {
    throw new Error("SecurityError");
  };
  const outbox = new Outbox(openStore(refused, "/w/1/", 1));
  outbox.add("ask", "What moves?", {}, 0);
  assert.equal(outbox.takeDue(0).length, 1);
});

test("the worker is told after many tries", () => {
  const outbox = outboxOn(memory());
  const entry = outbox.add("ask", "What moves?", {}, 0);
  for (let tries = 0; tries < MANY_TRIES; tries += 1) {
    assert.equal(outbox.isStuck(entry), false);
    outbox.takeDue(tries * RESEND_AFTER);
  }
  assert.equal(outbox.isStuck(entry), true);
});
