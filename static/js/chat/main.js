/**
 * One worker's page: puts connection, outbox, state and the parts of the page together.
 */

import { ReportDialog, askBeforeLeaving } from "./asking.js";
import { sayings } from "./clockwork.js";
import { Composer } from "./composer.js";
import { BAD_LINK, Connection, OPENED_ELSEWHERE, listenForWaking } from "./connection.js";
import { browser } from "./backoff.js";
import { Errands } from "./errands.js";
import { Frames } from "./frames.js";
import { gettext } from "./gettext.js";
import { Log } from "./log.js";
import { Outbox, frameOf, newKey } from "./outbox.js";
import { Player } from "./player.js";
import { Practice } from "./practice.js";
import { Polling, poster } from "./polling.js";
import { KIND_OF } from "./rules.js";
import { Socket } from "./socket.js";
import { Sound } from "./sound.js";
import { apply, initial } from "./state.js";
import { openStore } from "./store.js";
import { isOwnTurn, look } from "./timing.js";
import { View, isOwnMove } from "./view.js";
import * as words from "./words.js";
import { rememberWayBack } from "../way_back.js";

const ACTION_OF = { question: "ask", answer: "answer", summary: "summarise" };
const ON_TO_THE_END = 4000; // milliseconds in which the thanks can be read
const LINE_FOLLOWS = 1500; // milliseconds after an acknowledgement
const RECONNECTING = gettext("Reconnecting. What you wrote is kept.");
const BUSY = gettext("We are busy for a moment. What you wrote is kept and sent again.");

const $ = (id) => document.getElementById(id);
const now = () => performance.now();
const room = $("room");
const { token } = room.dataset;

let held = initial(JSON.parse($("snapshot").textContent), now());
let seat = null;
let store;
let outbox;
let lastMove = held.snapshot.move;
let lastPhase = held.snapshot.phase;
let lastLook = null;
let lastTurn = "";
let askAgainAt = 0; // seconds waited
let news = ""; // what has come while the page was hidden
let isBusy = false;
let isApart = false;
let goesOn = false;

const view = new View();
const log = new Log($("log"), $("more"), sendAgain);
const frames = new Frames($("frames"), $("viewer"));
const errands = new Errands();
const practice = new Practice($("practise"), $("practice"));
const report = new ReportDialog((about, reason) => run({ type: `report_${about}`, reason }));
const player = new Player($("player"), {
  onWatched(ranges) {
    if (!held.snapshot.partner_watched) run({ type: "watched", ranges });
  },
  onReport: () => report.open("does_not_play"),
});
const composer = new Composer($("composer"), {
  onSend(kind, text, evidence) {
    outbox.add(ACTION_OF[kind], text, { typed_at: Date.now() / 1000, evidence }, Date.now());
    flush();
    render();
  },
  onTyping: () => connection.send({ type: "typing" }),
});
const sound = new Sound([...document.querySelectorAll("input.sound")], openStore(() => sessionStorage, location.pathname, 0));
takeSeat(held.snapshot.seat);

const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const page = newKey();
const asks = {
  hello: () => ({ type: "hello", token, have: held.snapshot.version }),
  probe: () => ({ type: "have", version: held.snapshot.version }),
  have: () => held.snapshot.version,
};
const connection = new Connection(
  {
    socket: (tells) => new Socket(() => new WebSocket(`${scheme}//${location.host}/ws/chat/`), { ...asks, ...tells }, browser),
    polling: (tells) => new Polling(poster(room.dataset.frames), page, { ...asks, ...tells }, browser),
  },
  {
    onFrame: hear,
    onOpen() {
      outbox.reconnected();
      errands.reconnected();
      flush();
    },
    onTrouble(isTrouble) {
      isApart = isTrouble;
      showTrouble();
    },
    onClosed(code) {
      player.stop();
      if (code === OPENED_ELSEWHERE || code === BAD_LINK) view.showClosed(code);
      else if (held.end) view.showEnd(held.end);
      else location.assign("finish/"); // it was over before this page came
    },
  },
);

/** Storage, outbox, texts and video belong to a seat: a new seat begins anew. */
function takeSeat(number) {
  if (number === seat) return;
  const isNew = seat !== null;
  seat = number;
  store = openStore(() => sessionStorage, location.pathname, seat);
  outbox = new Outbox(store);
  askAgainAt = store.get("ask_again_at", 0);
  composer.useStore(store);
  player.useStore(store);
  if (!isNew) return;
  log.reset();
  view.reset();
}

function hear(frame) {
  if (frame.type === "ack") acknowledged(frame);
  else if (frame.type === "refused") refused(frame);
  if (["ack", "said", "state"].includes(frame.type)) busy(false);
  const { held: next, missing } = apply(held, frame, now());
  held = next;
  if (missing) askForMore();
  takeSeat(held.snapshot.seat);
  if (frame.type === "ended") end(frame.end);
  render();
}

function acknowledged({ key, version }) {
  outbox.acknowledged(key, version);
  setTimeout(() => version > held.snapshot.version && askForMore(), LINE_FOLLOWS);
}

function refused({ key, code, sentence }) {
  if (code === "busy") busy(true);
  if (key) {
    const text = outbox.refused(key, code, Date.now());
    if (text !== null) composer.refuse(sentence, code, text);
    return;
  }
  errands.refused(code, Date.now());
  if (code === "watch_first") player.showRest();
  else if (code === "too_early" || code === "no_more_partners") view.say([sentence]);
  else if (code !== "too_fast" && code !== "busy" && connection.isOpen) composer.refuse(sentence, code);
}

function busy(isSo) {
  isBusy = isSo;
  showTrouble();
}

function showTrouble() {
  view.trouble(isApart ? RECONNECTING : isBusy ? BUSY : "");
}

function end(how) {
  connection.end();
  player.stop();
  practice.close();
  closeDialogs();
  view.showEnd(how);
  if (goesOn || how.outcome !== "complete") return;
  goesOn = true;
  setTimeout(() => location.assign(how.finish || "finish/"), ON_TO_THE_END);
}

function closeDialogs() {
  report.close();
  for (const id of ["leave-dialog", "viewer"]) $(id).close();
}

function askForMore() {
  connection.send(asks.probe());
}

/** Ask the server for something that is no text, until it is done. */
function run(frame) {
  errands.add(frame, held.snapshot, Date.now());
  if (!connection.isOpen) view.trouble(RECONNECTING);
  flush();
}

function flush() {
  if (!connection.isOpen) return;
  for (const frame of errands.takeDue(Date.now())) connection.send(frame);
  if (held.snapshot.phase !== "dialog") return;
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
  errands.settle(seen);
  const isSending = outbox.isWaiting && seen.phase === "dialog";
  view.show(held, isSending, now());
  if (seen.phase === "dialog") showDialog(seen, isSending);
  signal(seen, isSending);
  tick();
}

function showDialog(seen, isSending) {
  log.show(seen, outbox);
  if (seen.media?.frames.length) frames.show(seen.media.frames);
  if (seen.media?.video) player.show(seen.media.video, seen.media.duration, seen.partner_watched);
  const own = seen.role === "questioner" ? "question" : "answer";
  const maySend = seen.move in KIND_OF && !isSending;
  composer.set(KIND_OF[seen.move] ?? composerKind(seen, own), seen.limits, {
    mayType: seen.move !== "watch" && seen.move !== "none",
    maySend,
    why: gettext("You can write here when the video has played to its end."),
    keepsEvidence: seen.evidence,
    turnFrom: maySend ? held.moveFrom : null,
  });
}

function composerKind(seen, own) {
  return own === "question" && seen.lines.length >= 2 * seen.rounds ? "summary" : own;
}

/** On what the worker waited for: a sound, and the title of a hidden tab. Nothing moves because something arrived. */
function signal(seen, isSending) {
  const move = isSending ? "wait" : seen.move;
  const isTurn = move !== lastMove && (move in KIND_OF || (move === "watch" && lastMove === "wait"));
  if (seen.phase !== lastPhase) {
    if (lastPhase === "waiting" && seen.phase === "dialog") announce(gettext("Your partner is here"));
    else if (seen.phase === "choice") announce(gettext("Your partner is gone"), words.leftAlone(seen.left_alone));
    else if (isTurn) sound.play();
    if (lastPhase === "waiting") practice.close();
    else closeDialogs();
  } else if (isTurn) {
    news = "";
    sound.play();
  }
  lastMove = move;
  lastPhase = seen.phase;
}

function announce(sentence, more = "") {
  if (document.visibilityState === "hidden") news = sentence;
  if (lastPhase !== "ended") view.say([`${sentence}. ${more}`.trimEnd()]);
  sound.play();
}

/** Show the time; each second, and whenever something has come. */
function tick() {
  const { snapshot: seen } = held;
  const time = now();
  if (player.isPlaying) composer.activeAt = time;
  const isSending = outbox.isWaiting;
  const looked = look(held, time, { activeAt: composer.activeAt, isSending, askAgainAt });
  const turn = `${seen.seat} ${seen.lines.length} ${seen.move}`;
  const { said, isLoud } = sayings(held, lastLook, looked, turn === lastTurn);
  view.showTimes(held, looked);
  view.say(said);
  if (isLoud) sound.play();
  [lastLook, lastTurn] = [looked, turn];
  const isHidden = document.visibilityState === "hidden";
  if (!isHidden) news = "";
  else if (looked.wait?.asks) news = gettext("Nobody has come yet");
  const isTurn = !isSending && isOwnMove(seen.move) && (seen.move !== "watch" || isOwnTurn(seen));
  view.showTitle({ isHidden, isTurn, isNudged: looked.isNudged, news });
}

function keepWaiting() {
  askAgainAt = (lastLook?.wait?.waited ?? 0) + held.snapshot.wait.longest;
  store.set("ask_again_at", askAgainAt);
  tick();
}

askBeforeLeaving((reason) => run({ type: "leave", reason }));
$("keep-waiting").addEventListener("click", keepWaiting);
for (const id of ["end-waiting", "end-waiting-later"]) $(id).addEventListener("click", () => run({ type: "end_waiting" }));
$("end-alone").addEventListener("click", () => run({ type: "end_alone" }));
$("choose-wait").addEventListener("click", () => run({ type: "choose", wait: true }));
$("choose-end").addEventListener("click", () => run({ type: "choose", wait: false }));
document.addEventListener("visibilitychange", render);
setInterval(() => {
  flush();
  if (outbox.isWaiting || held.typingUntil) render();
  else tick();
}, 1000);

rememberWayBack(room.dataset);
render();
listenForWaking(connection);
connection.open();
