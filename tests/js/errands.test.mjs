import assert from "node:assert/strict";
import { test } from "node:test";

import { Errands } from "../../static/js/chat/errands.js";
import { RESEND_AFTER } from "../../static/js/chat/outbox.js";

const seen = (more = {}) => ({ seat: 1, phase: "dialog", partner_watched: false, partner_lost: null, ...more });

function errand(type, more) {
  const errands = new Errands();
  errands.add({ type }, seen(more), 0);
  return errands;
}

test("an errand is sent at once, and again until it is done", () => {
  const errands = errand("leave");
  assert.deepEqual(errands.takeDue(0), [{ type: "leave" }]);
  assert.deepEqual(errands.takeDue(RESEND_AFTER - 1), []);
  assert.deepEqual(errands.takeDue(RESEND_AFTER), [{ type: "leave" }]);
  errands.settle(seen({ phase: "ended" }));
  assert.equal(errands.has("leave"), false);
});

test("a new connection sends it again", () => {
  const errands = errand("choose", { phase: "choice" });
  errands.takeDue(0);
  errands.reconnected();
  assert.equal(errands.takeDue(1).length, 1);
});

test("an errand of an earlier seat is forgotten", () => {
  const errands = errand("choose", { phase: "choice" });
  errands.settle(seen({ seat: 2, phase: "waiting" }));
  assert.deepEqual(errands.takeDue(1e9), []);
});

test("a watched video is told until the server knows", () => {
  const errands = errand("watched");
  errands.settle(seen());
  assert.equal(errands.has("watched"), true);
  errands.settle(seen({ partner_watched: true }));
  assert.equal(errands.has("watched"), false);
});

test("nobody ends alone whose partner is back", () => {
  const errands = errand("end_alone", { partner_lost: {} });
  errands.settle(seen({ partner_lost: {} }));
  assert.equal(errands.has("end_alone"), true);
  errands.settle(seen());
  assert.equal(errands.has("end_alone"), false);
});

test("busy puts it off, other refusals end it", () => {
  const errands = errand("end_waiting");
  errands.takeDue(0);
  errands.refused("busy", 100);
  assert.equal(errands.takeDue(100).length, 0);
  assert.equal(errands.takeDue(2100).length, 1);
  errands.refused("too_early", 2200);
  assert.deepEqual(errands.takeDue(1e9), []);
});
