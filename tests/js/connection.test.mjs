import assert from "node:assert/strict";
import { test } from "node:test";

import { pause } from "../../static/js/chat/backoff.js";
import { Connection, nextWay } from "../../static/js/chat/connection.js";
import { FakeClock } from "./support/clock.mjs";

const state = { type: "state", snapshot: {} };

/** A way that does what the test says. */
class Way {
  constructor(kind, tells) {
    Object.assign(this, { kind, tells, isGreeted: false, started: 0, stopped: false, sent: [], asked: 0 });
  }

  start() {
    this.started += 1;
  }

  send(frame) {
    this.sent.push(frame);
    return true;
  }

  ask() {
    this.asked += 1;
  }

  stop() {
    this.stopped = true;
    this.isGreeted = false;
  }

  greet() {
    this.isGreeted = true;
    this.tells.heard(state);
  }

  lose(code = 1006) {
    this.isGreeted = false;
    this.tells.lost(code);
  }
}

function connect() {
  const clock = new FakeClock();
  const ways = [];
  const told = { opened: 0, closed: [], trouble: [], frames: [] };
  const make = (kind) => (tells) => {
    ways.push(new Way(kind, tells));
    return ways.at(-1);
  };
  const handlers = {
    onFrame: (frame) => told.frames.push(frame.type),
    onOpen: () => (told.opened += 1),
    onTrouble: (isTrouble) => told.trouble.push(isTrouble),
    onClosed: (code) => told.closed.push(code),
  };
  const connection = new Connection({ socket: make("socket"), polling: make("polling") }, handlers, clock);
  connection.open();
  return { clock, ways, told, connection, kinds: () => ways.map((way) => way.kind).join(" ") };
}

test("a network that is said to be gone is doubted: trouble soon, unless there is an answer", async () => {
  const { clock, ways, told, connection } = connect();
  ways[0].greet();
  told.trouble.length = 0;
  connection.doubt();
  assert.equal(ways[0].asked, 1);
  ways[0].tells.heard(state);
  await clock.pass(2_000);
  assert.deepEqual(told.trouble, [false]);
  connection.doubt();
  await clock.pass(2_000);
  assert.deepEqual(told.trouble, [false, true]);
  ways[0].tells.heard(state);
  assert.deepEqual(told.trouble, [false, true, false]);
  assert.equal(ways.length, 1);
});

/** Lose every way until `count` have been made. */
async function blockUntil({ clock, ways }, count) {
  while (ways.length < count) {
    if (!ways.at(-1).isGreeted) ways.at(-1).lose();
    await clock.pass(15_000);
  }
}

test("pauses grow to fifteen seconds, with full jitter", () => {
  assert.deepEqual([0, 1, 2, 9].map((failures) => pause(failures, () => 1)), [500, 1000, 2000, 15_000]);
  assert.equal(pause(9, () => 0), 0);
});

test("a refusal before the first state is no greeting", () => {
  const { ways, told, connection } = connect();
  ways[0].tells.heard({ type: "refused", code: "busy", key: "" });
  assert.equal(connection.isOpen, false);
  assert.equal(told.opened, 0);
  ways[0].greet();
  assert.equal(connection.isOpen, true);
  assert.equal(told.opened, 1);
});

test("after trouble it connects again, and at once when it is woken", async () => {
  const all = connect();
  all.ways[0].greet();
  all.ways[0].lose();
  assert.equal(all.ways.length, 1);
  all.connection.wake();
  assert.equal(all.ways.length, 2);
  all.ways[1].greet();
  all.connection.wake();
  assert.equal(all.ways[1].asked, 1);
  assert.equal(all.told.opened, 2);
});

test("trouble is told when it lasts, and when it is over", async () => {
  const { clock, ways, told } = connect();
  await clock.pass(1400);
  assert.deepEqual(told.trouble, []);
  await clock.pass(200);
  assert.deepEqual(told.trouble, [true]);
  ways[0].greet();
  assert.deepEqual(told.trouble, [true, false]);
});

for (const code of [4001, 4003, 4004]) {
  test(`after ${code} it connects no more`, async () => {
    const { clock, ways, told, connection } = connect();
    ways[0].greet();
    ways[0].lose(code);
    connection.wake();
    await clock.pass(120_000);
    assert.equal(ways.length, 1);
    assert.deepEqual(told.closed, [code]);
  });
}

test("a socket closed as later is tried again", async () => {
  const { clock, ways } = connect();
  ways[0].lose(1013);
  await clock.pass(15_000);
  assert.equal(ways.length, 2);
});

test("three sockets in a row that came to nothing, and the page polls; then both in turns", async () => {
  const all = connect();
  await blockUntil(all, 6);
  assert.equal(all.kinds(), "socket socket socket polling socket polling");
  assert.equal(nextWay(2, "socket"), "socket");
});

test("sockets that were greeted are not blocked, however often they break", async () => {
  const { clock, ways, kinds } = connect();
  for (let turn = 0; turn < 4; turn += 1) {
    ways.at(-1).greet();
    ways.at(-1).lose();
    await clock.pass(15_000);
  }
  assert.equal(kinds(), "socket socket socket socket socket");
});

test("while it polls a socket is tried each minute, and takes over once it is greeted", async () => {
  const all = connect();
  const { clock, ways, told, connection } = all;
  await blockUntil(all, 4);
  ways[3].greet();
  await clock.pass(59_000);
  assert.equal(ways.length, 4);
  await clock.pass(1_000);
  assert.equal(ways[4].kind, "socket");
  ways[4].lose();
  assert.equal(ways[3].stopped, false);
  await clock.pass(60_000);
  ways[5].greet();
  assert.equal(ways[3].stopped, true);
  connection.send({ type: "typing" });
  assert.deepEqual(ways[5].sent, [{ type: "typing" }]);
  assert.equal(told.opened, 2);
  ways[5].lose();
  connection.wake();
  assert.equal(ways[6].kind, "socket");
});

test("that a tried socket took the seat from polling ends nothing", async () => {
  const all = connect();
  const { clock, ways, told } = all;
  await blockUntil(all, 4);
  ways[3].greet();
  await clock.pass(60_000);
  ways[3].lose(4001);
  assert.deepEqual(told.closed, []);
  ways[4].lose();
  assert.equal(ways[5].kind, "polling");
  ways[5].greet();
  ways[5].lose(4001);
  assert.deepEqual(told.closed, [4001]);
});

test("an end stops every way", async () => {
  const all = connect();
  await blockUntil(all, 4);
  all.ways[3].greet();
  await all.clock.pass(60_000);
  all.connection.end();
  assert.equal(all.ways[3].stopped && all.ways[4].stopped, true);
  await all.clock.pass(120_000);
  assert.equal(all.ways.length, 5);
});
