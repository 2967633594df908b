/** The two ways to the server: a websocket, and polling. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Polling } from "../../static/js/chat/polling.js";
import { Socket } from "../../static/js/chat/socket.js";
import { FakeClock, settled } from "./support/clock.mjs";

const state = { type: "state", snapshot: {} };

class FakeSocket extends EventTarget {
  readyState = 1;
  sent = [];
  isClosed = false;

  send(text) {
    this.sent.push(JSON.parse(text).type);
  }

  close() {
    this.isClosed = true;
  }

  open() {
    this.dispatchEvent(new Event("open"));
  }

  tell(frame) {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(frame) }));
  }

  end(code) {
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }
}

function openSocket() {
  const clock = new FakeClock();
  const raw = new FakeSocket();
  const told = { heard: [], lost: [] };
  const handlers = {
    heard: (frame) => told.heard.push(frame.type),
    lost: (code) => told.lost.push(code),
    hello: () => ({ type: "hello" }),
    probe: () => ({ type: "have" }),
  };
  const socket = new Socket(() => raw, handlers, clock);
  socket.start();
  raw.open();
  return { clock, raw, told, socket };
}

test("a socket says hello and is greeted by a state", () => {
  const { raw, socket } = openSocket();
  assert.deepEqual(raw.sent, ["hello"]);
  raw.tell({ type: "refused", code: "busy" });
  assert.equal(socket.isGreeted, false);
  assert.equal(socket.send({ type: "typing" }), false);
  raw.tell(state);
  assert.equal(socket.send({ type: "typing" }), true);
});

test("a visible page that heard nothing for ten seconds asks, and five later gives the socket up", async () => {
  const { clock, raw, told } = openSocket();
  raw.tell(state);
  await clock.pass(9_000);
  assert.deepEqual(raw.sent, ["hello"]);
  await clock.pass(1_000);
  assert.deepEqual(raw.sent, ["hello", "have"]);
  await clock.pass(4_000);
  assert.deepEqual(told.lost, []);
  await clock.pass(1_000);
  assert.deepEqual(told.lost, [1006]);
  assert.equal(raw.isClosed, true);
});

test("an answer keeps the socket", async () => {
  const { clock, raw, told } = openSocket();
  raw.tell(state);
  for (let turn = 0; turn < 5; turn += 1) {
    await clock.pass(10_000);
    raw.tell(state);
  }
  assert.deepEqual(told.lost, []);
  assert.equal(raw.sent.filter((type) => type === "have").length, 5);
});

test("a hidden page does not ask", async () => {
  const { clock, raw, told } = openSocket();
  raw.tell(state);
  clock.visible = false;
  await clock.pass(600_000);
  assert.deepEqual(raw.sent, ["hello"]);
  assert.deepEqual(told.lost, []);
});

test("a socket that never greets is given up", async () => {
  const { clock, told } = openSocket();
  await clock.pass(8_000);
  assert.deepEqual(told.lost, [1006]);
});

test("a stopped socket tells nothing", () => {
  const { raw, told, socket } = openSocket();
  socket.stop();
  raw.tell(state);
  raw.end(1000);
  assert.deepEqual(told, { heard: [], lost: [] });
});

/** Polling against a server that answers when the test says so. */
function poll() {
  const clock = new FakeClock();
  const told = { heard: [], lost: [] };
  const posts = [];
  const post = (body, signal) =>
    new Promise((answer, fail) => {
      posts.push({ ...body, types: body.frames.map((frame) => frame.type).join(" "), answer, fail });
      signal.addEventListener("abort", () => fail(new Error("aborted")));
    });
  const handlers = {
    heard: (frame) => told.heard.push(frame.type),
    lost: (code) => told.lost.push(code),
    hello: () => ({ type: "hello" }),
    probe: () => ({ type: "have" }),
    have: () => 7,
  };
  const polling = new Polling(post, "page", handlers, clock);
  polling.start();
  return { clock, told, posts, polling };
}

async function greeted() {
  const all = poll();
  all.posts[0].answer([state]);
  await settled();
  return all;
}

test("polling says hello first, then asks without frames, again and again", async () => {
  const { posts, told, clock } = await greeted();
  assert.deepEqual(posts.map((each) => each.types), ["hello", ""]);
  assert.equal(posts[1].have, 7);
  assert.equal(posts[1].page, "page");
  await clock.pass(10_000);
  posts[1].answer([state]);
  await settled();
  assert.equal(posts.length, 3);
  assert.deepEqual(told.heard, ["state", "state"]);
});

test("frames go beside the held post, together and in order", async () => {
  const { posts, polling } = await greeted();
  polling.send({ type: "ask" });
  polling.send({ type: "typing" });
  await settled();
  assert.equal(posts[2].types, "ask typing");
  polling.send({ type: "have" });
  await settled();
  assert.equal(posts.length, 3);
  posts[2].answer([state]);
  await settled();
  assert.equal(posts[3].types, "have");
});

test("no frame leaves before the greeting", async () => {
  const { polling } = poll();
  assert.equal(polling.send({ type: "ask" }), false);
});

test("moved and a bad link end polling for good", async () => {
  for (const [frame, code] of [[{ type: "moved" }, 4001], [{ type: "refused", code: "bad_link" }, 4003]]) {
    const { posts, told } = await greeted();
    posts[1].answer([frame]);
    await settled();
    assert.deepEqual(told.lost, [code]);
    assert.equal(posts.length, 2);
  }
});

test("that it is over is final before the greeting; afterwards it is about a frame", async () => {
  const { posts, told } = poll();
  posts[0].answer([{ type: "refused", code: "over" }]);
  await settled();
  assert.deepEqual(told.lost, [4004]);
  const later = await greeted();
  later.posts[1].answer([{ type: "refused", code: "over" }]);
  await settled();
  assert.deepEqual(later.told.lost, []);
});

test("an answer that is none, and one that never comes, lose the connection", async () => {
  const failing = await greeted();
  failing.posts[1].fail(new Error("answered with 500"));
  await settled();
  assert.deepEqual(failing.told.lost, [1006]);
  const silent = await greeted();
  await silent.clock.pass(25_000);
  assert.deepEqual(silent.told.lost, [1006]);
});

test("a hello that is refused is no greeting", async () => {
  const { posts, told } = poll();
  posts[0].answer([{ type: "refused", code: "too_fast" }]);
  await settled();
  assert.deepEqual(told.lost, [1006]);
  assert.equal(posts.length, 1);
});

test("a server that answers too soon is not asked in a circle", async () => {
  const { posts, clock } = await greeted();
  for (let turn = 0; turn < 3; turn += 1) {
    posts.at(-1).answer([state]);
    await settled();
  }
  assert.equal(posts.length, 4);
  await clock.pass(3_000);
  assert.equal(posts.length, 5);
});

test("polling that is stopped tells nothing more", async () => {
  const { posts, told, polling } = await greeted();
  polling.stop();
  await settled();
  assert.deepEqual(told.lost, []);
  assert.equal(posts.length, 2);
});
