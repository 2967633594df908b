/**
 * One worker's page: puts connection, outbox, state and the parts of the page together.
 */

import { Composer } from "./composer.js";
import { BAD_LINK, Connection, OPENED_ELSEWHERE } from "./connection.js";
import { Frames } from "./frames.js";
import { Log } from "./log.js";
import { Outbox, frameOf } from "./outbox.js";
import { Player } from "./player.js";
import { KIND_OF } from "./rules.js";
import { Sound } from "./sound.js";
import { apply, initial } from "./state.js";
import { openStore } from "./store.js";
import { View, askBeforeLeaving } from "./view.js";

const ACTION_OF = { question: "ask", answer: "answer", summary: "summarise" };
const ON_TO_THE_END = 4000; // milliseconds in which the thanks can be read
const LINE_FOLLOWS = 1500; // milliseconds after an acknowledgement

const $ = (id) => document.getElementById(id);
const room = $("room");
const { token } = room.dataset;

let held = initial(JSON.parse($("snapshot").textContent));
let seat = 0;
let store;
let outbox;
let player;
let watched = null; // played ranges the server has not taken yet
let lastMove = held.snapshot.move;
let goesOn = false;

const view = new View();
const log = new Log($("log"), $("more"), sendAgain);
const frames = new Frames($("frames"), $("viewer"));
const composer = new Composer($("composer"), {
  onSend(kind, text, evidence) {
    outbox.add(ACTION_OF[kind], text, { typed_at: Date.now() / 1000, evidence }, Date.now());
    flush();
    render();
  },
  onTyping: () => connection.send({ type: "typing" }),
});
takeSeat(held.snapshot.seat);
const sound = new Sound($("sound"), openStore(() => sessionStorage, location.pathname, 0));

const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const connection = new Connection(`${scheme}//${location.host}/ws/chat/`, {
  hello: () => ({ type: "hello", token, have: held.snapshot.version }),
  probe: () => ({ type: "have", version: held.snapshot.version }),
  onFrame: hear,
  onOpen() {
    outbox.reconnected();
    flush();
    if (watched) connection.send({ type: "watched", ranges: watched });
  },
  onTrouble: (isTrouble) => view.trouble(isTrouble),
  onClosed(code) {
    player.stop();
    if (code === OPENED_ELSEWHERE || code === BAD_LINK) view.showClosed(code);
    else view.showEnd(held.snapshot.outcome || held.ended?.outcome, held.snapshot.finish);
  },
});

/** Storage and outbox belong to a seat: a new seat begins anew. */
function takeSeat(number) {
  if (outbox && number === seat) return;
  seat = number;
  store = openStore(() => sessionStorage, location.pathname, seat);
  outbox = new Outbox(store);
  player ??= new Player($("player"), store, (ranges) => {
    if (held.snapshot.partner_watched) return;
    watched = ranges;
    connection.send({ type: "watched", ranges });
  });
  composer.useStore(store);
}

function hear(frame) {
  if (frame.type === "ack") acknowledged(frame);
  else if (frame.type === "refused") refused(frame);
  const { held: next, missing } = apply(held, frame);
  held = next;
  if (missing) askForMore();
  takeSeat(held.snapshot.seat);
  if (frame.type === "ended") end(frame);
  render();
}

function acknowledged({ key, version }) {
  outbox.acknowledged(key, version);
  setTimeout(() => version > held.snapshot.version && askForMore(), LINE_FOLLOWS);
}

function refused({ key, code, sentence }) {
  if (!key) {
    if (code === "watch_first") {
      watched = null;
      player.showRest();
    } else if (code !== "too_fast") {
      composer.refuse(sentence, code);
    }
    return;
  }
  const text = outbox.refused(key, code, Date.now());
  if (text !== null) composer.refuse(sentence, code, text);
}

function end({ outcome, finish }) {
  if (outcome === "moved") return; // the close code says the rest
  connection.end();
  player.stop();
  $("leave-dialog").close();
  view.showEnd(outcome, finish);
  if (goesOn || outcome !== "complete") return;
  goesOn = true;
  setTimeout(() => location.assign(finish || "finish/"), ON_TO_THE_END);
}

function askForMore() {
  connection.send({ type: "have", version: held.snapshot.version });
}

function flush() {
  if (!connection.isOpen || held.snapshot.phase !== "dialog") return;
  for (const entry of outbox.takeDue(Date.now())) connection.send(frameOf(entry));
}

function sendAgain() {
  outbox.reconnected();
  connection.wake();
  flush();
}

function render() {
  const { snapshot: seen } = held;
  outbox.settle(seen.lines);
  const isSending = outbox.isWaiting;
  if (seen.partner_watched) watched = null;
  view.show(held, isSending);
  if (seen.role) showDialog(seen, isSending);
  signal(seen, isSending);
}

function showDialog(seen, isSending) {
  log.show(seen, outbox);
  if (seen.media?.frames.length) frames.show(seen.media.frames);
  if (seen.media?.video) player.show(seen.media.video, seen.media.duration, seen.partner_watched);
  const own = seen.role === "questioner" ? "question" : "answer";
  composer.set(KIND_OF[seen.move] ?? composerKind(seen, own), seen.limits, {
    mayType: seen.phase === "dialog" && seen.move !== "watch" && seen.move !== "none",
    maySend: seen.move in KIND_OF && !isSending,
    why: "You can write here when the video has played to its end.",
  });
}

function composerKind(seen, own) {
  return own === "question" && seen.lines.length >= 2 * seen.rounds ? "summary" : own;
}

/** On one's turn: a sound, and the focus when it was in the chat. Nothing moves because something arrived. */
function signal(seen, isSending) {
  const move = isSending ? "wait" : seen.move;
  if (move !== lastMove && (move in KIND_OF || (move === "watch" && lastMove === "wait"))) sound.play();
  lastMove = move;
}

askBeforeLeaving(() => {
  if (!connection.send({ type: "leave" })) view.trouble(true);
});
document.addEventListener("visibilitychange", render);
setInterval(() => {
  view.tick(held);
  flush();
  if (outbox.isWaiting) render();
}, 1000);

/** The invitation, opened again, shows the way back here. */
function remember({ slug, participant }) {
  try {
    const name = participant.startsWith("anon-") ? "" : participant;
    localStorage.setItem(`collector.join.${slug}.${name}`, location.pathname);
  } catch {
    // Storage is refused: the personal link on the page does the same.
  }
}

remember(room.dataset);
render();
connection.open();
