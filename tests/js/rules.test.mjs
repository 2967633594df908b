import assert from "node:assert/strict";
import { test } from "node:test";

import { cover, firstGap, merge } from "../../static/js/chat/ranges.js";
import { check, count, length } from "../../static/js/chat/rules.js";

const limits = {
  language: "en", least_question: 2, least_answer: 5, least_summary: 8, longest_text: 20, longest_summary: 40,
};
const code = (kind, text, more = {}) => check(kind, text, { ...limits, ...more })?.code ?? null;

test("lengths are code points after NFC", () => {
  assert.equal(length("e\u0301👍🏽"), 3);
});

test("a word has a letter or a digit; languages without spaces count characters", () => {
  assert.equal(count("a red — 3D cube !", "en"), 4);
  assert.equal(count("赤い箱。", "ja"), 3);
});

test("what the server would refuse is refused", () => {
  assert.equal(code("question", "  \n"), "empty");
  assert.equal(code("question", "Why?"), "too_short");
  assert.equal(code("question", "What moves"), "no_question_mark");
  assert.equal(code("question", "What moves in there now?"), "too_long");
  assert.equal(code("answer", "A cube does"), "too_short");
});

test("what the server would take is taken", () => {
  assert.equal(code("question", "What moves?"), null);
  assert.equal(code("question", "何が動く？", { language: "ja" }), null);
  assert.equal(code("answer", "A b c d e"), null);
});

test("played ranges that overlap are joined", () => {
  assert.deepEqual(merge([[4, 6]], [[0, 3], [2, 4.02]]), [[0, 6]]);
});

test("a video is watched when nearly all of it and its end were played", () => {
  assert.equal(cover([[0, 8]], 8), true);
  assert.equal(cover([[0, 6]], 8), false);
  assert.equal(cover([[4, 8]], 8), false);
  assert.equal(cover([[0, 4], [4, 8]], 8), true);
  assert.equal(cover([], 8), false);
});

test("what was skipped begins where playing stopped", () => {
  assert.equal(firstGap([[0, 3], [5, 8]]), 3);
  assert.equal(firstGap([[5, 8]]), 0);
  assert.equal(firstGap([]), 0);
});
