import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { find, hint } from "../../static/js/chat/personal.js";

// What the server looks for before a release has to be the same: tests/exports/test_personal.py reads this file as well.
const { looks: LOOKS, nothing: NOTHING } = JSON.parse(readFileSync(new URL("personal.json", import.meta.url)));

for (const [what, texts] of Object.entries(LOOKS)) {
  test(`what looks like ${what} is named so`, () => {
    for (const text of texts) assert.equal(find(text)?.what, what, text);
  });
}

test("what people say about videos looks like nothing", () => {
  for (const text of NOTHING) assert.equal(find(text), null, text);
});

test("the part is what was found, so that it is asked about once", () => {
  assert.equal(find("one: a@b.example").part, find("another: a@b.example").part);
  assert.notEqual(find("a@b.example").part, find("c@b.example").part);
});

test("a hint says what it looks like and what may be done, and blames nobody", () => {
  assert.match(hint({ what: "a web address" }), /^This looks like a web address\. Do not share .* send it as it is\.$/);
});

test("no text takes long to look through", () => {
  for (const piece of ["a", "@", "1", "a@", "1 ", "a.", "at dot ", "insta ", "(", "+1-"]) find(piece.repeat(10_000 / piece.length));
});
