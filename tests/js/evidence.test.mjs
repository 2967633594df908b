import assert from "node:assert/strict";
import { test } from "node:test";

import { Evidence } from "../../static/js/chat/evidence.js";

function memory() {
  const kept = new Map();
  return { get: (name, fallback) => kept.get(name) ?? fallback, set: (name, value) => kept.set(name, value), kept };
}

function evidence(isKept = true, turnFrom = 1000) {
  const counted = new Evidence();
  counted.useStore(memory());
  counted.set(isKept, turnFrom);
  return counted;
}

test("times are seconds from when it became the worker's turn", () => {
  const counted = evidence();
  counted.changed(4250, "insertText");
  counted.changed(5000, "insertText");
  assert.deepEqual(counted.take(9000), { to_first_key: 3.3, to_send: 8, pastes: [], focus_losses: 0, corrections: 0 });
});

test("what is typed ahead is typed at the beginning of the turn", () => {
  const counted = evidence(true, null);
  counted.changed(500, "insertText");
  counted.set(true, 1000);
  const { to_first_key, to_send } = counted.take(3000);
  assert.deepEqual([to_first_key, to_send], [0, 2]);
});

test("pastes are lengths, deletions and absences are counts", () => {
  const counted = evidence();
  counted.pasted("a👍");
  counted.pasted("four");
  for (const kind of ["deleteContentBackward", "insertText", "deleteByCut"]) counted.changed(2000, kind);
  counted.left();
  counted.left(); // the window lost the focus and was then hidden
  counted.back();
  counted.left();
  const { pastes, corrections, focus_losses } = counted.take(3000);
  assert.deepEqual([pastes, corrections, focus_losses], [[2, 4], 2, 2]);
});

test("who leaves the page in the partner's turn is not counted", () => {
  const counted = evidence(true, null);
  counted.left();
  counted.back();
  assert.equal(counted.take(2000).focus_losses, 0);
});

test("a text begins anew after another", () => {
  const counted = evidence();
  counted.pasted("abc");
  counted.take(2000);
  assert.deepEqual(counted.take(3000).pastes, []);
});

test("nothing is counted, stored or sent where the study keeps none", () => {
  const counted = evidence(false);
  counted.changed(2000, "deleteContentBackward");
  counted.pasted("abc");
  counted.left();
  assert.equal(counted.store.kept.size, 0);
  assert.equal(counted.take(3000), undefined);
});

test("never the text, and no more pastes than the server takes", () => {
  const counted = evidence();
  for (let turn = 0; turn < 30; turn += 1) counted.pasted("secret");
  const sent = counted.take(2000);
  assert.equal(sent.pastes.length, 20);
  assert.equal(JSON.stringify([...counted.store.kept]).includes("secret"), false);
});

test("a reload goes on counting", () => {
  const store = memory();
  const before = new Evidence();
  before.useStore(store);
  before.set(true, 1000);
  before.pasted("abc");
  const afterwards = new Evidence();
  afterwards.useStore(store);
  afterwards.set(true, 0);
  assert.deepEqual(afterwards.take(500).pastes, [3]);
});
