import assert from "node:assert/strict";
import { test } from "node:test";

import { apply as applyAt, initial as initialAt, isTyping } from "../../static/js/chat/state.js";

const now = 1000;
const initial = (seen) => initialAt(seen, now);
const apply = (held, frame, at = now) => applyAt(held, frame, at);
const times = { turn: 300, watch: 76, summary: 900 };
const line = (position, key = "") => ({ position, kind: position % 2 ? "answer" : "question", text: `text ${position}`, key });
const snapshot = (more = {}) => ({
  seat: 1, version: 3, phase: "dialog", move: "wait", role: "questioner", round: 1, rounds: 10, lines: [line(0, "mine")],
  times, partner_lost: null, partner_watched: true, turn_left: 300, ...more,
});
const said = (version, position, more = {}) => ({ type: "said", version, line: line(position), move: "ask", round: 2, turn_left: 300, ...more });

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

test("a snapshot of the same version tells that the partner is lost", () => {
  const partner_lost = { back_within: 47, may_end_in: 47 };
  const { held } = apply(initial(snapshot()), { type: "state", snapshot: snapshot({ partner_lost }) });
  assert.deepEqual(held.snapshot.partner_lost, partner_lost);
});

test("the move began when it changed, not when its state was told again", () => {
  const first = initial(snapshot());
  const same = apply(first, { type: "state", snapshot: snapshot({ version: 4 }) }, 5000).held;
  assert.equal(same.moveFrom, first.moveFrom);
  assert.equal(apply(same, said(5, 1), 9000).held.moveFrom, 9000);
});

test("how it ended comes with the state or by itself", () => {
  const end = { outcome: "complete", heading: "Done", sentence: "Thanks.", finish: "/w/1/finish/" };
  assert.deepEqual(apply(initial(snapshot()), { type: "ended", end }).held.end, end);
  const over = { type: "state", snapshot: snapshot({ phase: "ended", end }) };
  assert.deepEqual(apply(initial(snapshot()), over).held.end, end);
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

test("the partner types until a text of theirs comes, or for some seconds", () => {
  const typing = apply(initial(snapshot()), { type: "partner", typing: true }).held;
  assert.equal(isTyping(typing, now + 5900), true);
  assert.equal(isTyping(typing, now + 6000), false);
  assert.equal(isTyping(apply(typing, said(4, 1)).held, now), false);
  assert.equal(isTyping(apply(typing, said(4, 1, { line: line(1, "mine") })).held, now), true);
});

test("a partner who is lost does not type", () => {
  const typing = apply(initial(snapshot({ partner_lost: {} })), { type: "partner", typing: true }).held;
  assert.equal(isTyping(typing, now), false);
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
