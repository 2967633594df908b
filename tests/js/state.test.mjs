import assert from "node:assert/strict";
import { test } from "node:test";

import { apply, initial } from "../../static/js/chat/state.js";

const line = (position, key = "") => ({ position, kind: position % 2 ? "answer" : "question", text: `text ${position}`, key });
const snapshot = (more = {}) => ({
  seat: 1, version: 3, phase: "dialog", move: "wait", role: "questioner", round: 1, rounds: 10, lines: [line(0, "mine")],
  partner_here: true, partner_watched: true, ...more,
});
const said = (version, position, more = {}) => ({ type: "said", version, line: line(position), move: "ask", round: 2, ...more });

test("a line that follows the version held is added", () => {
  const { held, missing } = apply(initial(snapshot()), said(4, 1));
  assert.equal(missing, false);
  assert.deepEqual([held.snapshot.version, held.snapshot.move, held.snapshot.round], [4, "ask", 2]);
  assert.deepEqual(held.snapshot.lines.map((each) => each.position), [0, 1]);
});

test("a line told twice is added once", () => {
  const once = apply(initial(snapshot()), said(4, 1)).held;
  const twice = apply(once, said(4, 1));
  assert.equal(twice.held, once);
  assert.equal(twice.missing, false);
});

test("a line after one that was lost changes nothing and is asked for", () => {
  const before = initial(snapshot());
  const { held, missing } = apply(before, said(5, 2));
  assert.equal(held, before);
  assert.equal(missing, true);
});

test("an older snapshot is ignored", () => {
  const before = initial(snapshot());
  assert.equal(apply(before, { type: "state", snapshot: snapshot({ version: 2, lines: [] }) }).held, before);
});

test("a snapshot of the same version tells whether the partner is here", () => {
  const { held } = apply(initial(snapshot()), { type: "state", snapshot: snapshot({ partner_here: false }) });
  assert.equal(held.partner.here, false);
});

test("a later seat replaces an earlier one whatever its version", () => {
  const next = snapshot({ seat: 2, version: 0, phase: "waiting", lines: [] });
  const { held } = apply(initial(snapshot()), { type: "state", snapshot: next });
  assert.equal(held.snapshot.phase, "waiting");
  assert.equal(apply(held, { type: "state", snapshot: snapshot({ version: 9 }) }).held, held);
});

test("an end is never taken back", () => {
  const over = apply(initial(snapshot()), { type: "state", snapshot: snapshot({ phase: "ended", move: "none" }) }).held;
  assert.equal(over.snapshot.phase, "ended");
  assert.equal(apply(over, { type: "state", snapshot: snapshot({ version: 8 }) }).held, over);
});

test("the partner types until a text of theirs comes", () => {
  const typing = apply(initial(snapshot()), { type: "partner", here: true, typing: true }).held;
  assert.equal(typing.partner.typing, true);
  assert.equal(apply(typing, said(4, 1)).held.partner.typing, false);
  assert.equal(apply(typing, said(4, 1, { line: line(1, "mine") })).held.partner.typing, true);
});

test("a partner who is gone does not type", () => {
  const { held } = apply(initial(snapshot()), { type: "partner", here: false, typing: true });
  assert.deepEqual(held.partner, { here: false, typing: false });
});

test("any order and repetition of frames ends where the server is", () => {
  let seed = 7;
  const random = (most) => (seed = (seed * 16807) % 2147483647) % most;
  for (let run = 0; run < 300; run += 1) {
    let held = initial(snapshot({ version: 0, lines: [] }));
    const server = { version: 0, lines: [] };
    const sent = [];
    for (let step = 0; step < 20; step += 1) {
      const added = line(server.lines.length);
      server.version += 1;
      server.lines = [...server.lines, added];
      sent.push({ type: "said", version: server.version, line: added, move: "wait", round: 1 });
      for (let times = random(3); times > 0; times -= 1) {
        const result = apply(held, sent[random(sent.length)]);
        held = result.held;
        if (result.missing && random(2)) held = apply(held, { type: "state", snapshot: snapshot(server) }).held;
        const positions = held.snapshot.lines.map((each) => each.position);
        assert.deepEqual(positions, positions.map((_, index) => index));
        assert.equal(held.snapshot.version, held.snapshot.lines.length);
      }
    }
    held = apply(held, { type: "state", snapshot: snapshot(server) }).held;
    assert.deepEqual(held.snapshot.lines, server.lines);
  }
});
