import assert from "node:assert/strict";
import { test } from "node:test";

import { find, hint } from "../../static/js/chat/personal.js";

const LOOKS = {
  "an e-mail address": [
    "Write to me: anna.b+x@mail.example.com, please",
    "anna＠example.com",
    "ёлка@почта.рф",
    "I am anna at gmail dot com",
    "anna (at) gmail (dot) com",
  ],
  "a web address": ["see https://example.org/x", "Look at www.example.de now", "It is on example.com.", "go to t.me/anna", "bit.ly/3xYz"],
  "an account name": ["I am @anna_b", "(@anna.b)", "my insta is annab", "Instagram: annab", "Telegram id = annab", "anna#1234"],
  "a phone number": ["call +39 333 123 4567", "555-1234", "(212) 555-0199", "06 12 34 56 78", "+393331234567", "٠٥٠ ١٢٣ ٤٥٦٧", "0171/1234567"],
  "a long number": ["my number is 3331234567", "It is 1234567 long"],
};

for (const [what, texts] of Object.entries(LOOKS)) {
  test(`what looks like ${what} is named so`, () => {
    for (const text of texts) assert.equal(find(text)?.what, what, text);
  });
}

test("what people say about videos looks like nothing", () => {
  const texts = [
    "",
    "How many people are there? 2 or 3?",
    "I count 1 2 3 4 5 6 7 8 9 of them.",
    "10 20 30 40 50 people",
    "It is 10:30 - 11:45 on the clock.",
    "The calendar says 2019-11-05, or 05.11.2019.",
    "A film from 1990 - 2000",
    "About 1,000,000 pieces, each 3.1415 cm",
    "He sits down.Then he stands up.Is he at home?",
    "She looks at her phone.Maybe facebook.",
    "She is on instagram, it seems.",
    "He arrives @ the door",
    "He says: yes and/or no, it is his/her dog",
    "彼女は何をしていますか？3人います。",
    "She looks at the dot on the wall",
    "Is the sofa #1 or #2?",
  ];
  for (const text of texts) assert.equal(find(text), null, text);
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
