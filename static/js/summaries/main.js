/**
 * A watcher's page: the video, then the summary. Puts player, composer and what is posted together.
 */

import { ReportDialog, askBeforeLeaving } from "../chat/asking.js";
import { browser } from "../chat/backoff.js";
import { Composer } from "../chat/composer.js";
import { newKey } from "../chat/outbox.js";
import { Player } from "../chat/player.js";
import { poster } from "../chat/polling.js";
import { openStore } from "../chat/store.js";
import { Post } from "./post.js";

const DRAFT_EVERY = 2000; // milliseconds between two drafts while something is typed
const LITTLE = 120; // seconds: from here on the time is shown as running out

const $ = (id) => document.getElementById(id);
const now = () => performance.now();
const room = $("room");
const { seen: first, limits, evidence: keepsEvidence, duration, draft } = JSON.parse($("opening").textContent);

let seen = first;
let seenAt = now();
let moveFrom = first.move === "summarise" ? now() : null;
let draftTimer = null;

const kept = openStore(() => sessionStorage, location.pathname, 1);
/** The composer keeps its draft here: on this page at once, and on the server soon. */
const store = {
  get: (name, fallback) => (name === "draft" ? kept.get("unsent", null) ?? draft : kept.get(name, fallback)),
  set(name, value) {
    if (name !== "draft") return kept.set(name, value);
    kept.set("unsent", value);
    draftTimer ??= setTimeout(sendDraft, DRAFT_EVERY);
  },
};

const post = new Post(poster(room.dataset.post), { answered, trouble }, browser);
const report = new ReportDialog((about, reason) => post.add({ type: `report_${about}`, reason }));
const player = new Player($("player"), {
  onWatched: (ranges) => seen.move === "watch" && post.add({ type: "watched", ranges }),
  onReport: () => report.open("does_not_play"),
});
const composer = new Composer($("composer"), {
  onSend(kind, text, evidence) {
    const frame = { type: "summarise", key: newKey(), text, typed_at: Date.now() / 1000, evidence };
    kept.set("summary", frame);
    sendSummary(frame);
  },
  onTyping() {},
});
composer.useStore(store);
player.useStore(kept);

function sendSummary(frame) {
  clearTimeout(draftTimer);
  draftTimer = null;
  post.drop("draft"); // the server drops the draft with the summary; the text is kept here until then
  post.add(frame);
  render();
}

function sendDraft() {
  draftTimer = null;
  const text = kept.get("unsent", null);
  if (text !== null && !post.has("summarise")) post.add({ type: "draft", text });
}

function answered(frame, answer) {
  if (answer.type === "over") return over(answer.finish);
  if (answer.type === "refused") return refused(frame, answer);
  if (frame.type === "draft" && kept.get("unsent", null) === frame.text) kept.set("unsent", null);
  if (seen.move !== answer.move) moveFrom = now();
  seen = answer;
  seenAt = now();
  render();
}

function refused(frame, { code, sentence }) {
  if (frame.type === "summarise") {
    kept.set("summary", null);
    composer.refuse(sentence, code, frame.text);
  } else if (code === "watch_first") player.showRest();
  else if (frame.type !== "draft") composer.refuse(sentence, code);
  render();
}

function over(finish) {
  post.end();
  player.stop();
  clearTimeout(draftTimer);
  for (const name of ["unsent", "summary"]) kept.set(name, null);
  location.assign(finish);
}

function trouble(isTrouble) {
  $("banner").hidden = !isTrouble;
  $("banner-text").textContent = isTrouble ? "No answer from us just now. What you wrote is kept; this page tries again by itself." : "";
  render();
}

function render() {
  const isSending = post.has("summarise");
  const isWatched = seen.move === "summarise";
  room.dataset.move = isSending ? "wait" : seen.move;
  player.show(room.dataset.video, duration, isWatched);
  composer.set("summary", limits, {
    mayType: isWatched && !isSending,
    maySend: isWatched && !isSending,
    why: isSending ? "Your summary is being sent." : "You can write here when the video has played to its end.",
    keepsEvidence,
    turnFrom: isWatched ? moveFrom : null,
  });
  const said = isSending ? "Sending your summary …" : isWatched ? "Write your summary. You can play the video again." : "Watch the video to its end, with sound";
  if ($("turn-text").textContent !== said) $("turn-text").textContent = said;
  tick();
}

function tick() {
  const passed = (now() - seenAt) / 1000;
  const lefts = [seen.task_left, seen.summary_left].filter((each) => each !== null).map((each) => Math.max(0, each - passed));
  const left = Math.min(...lefts);
  const time = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
  $("turn-time").textContent = `${time} left`;
  $("turn").classList.toggle("turn--late", left < LITTLE);
  $("alarm").textContent = left > 0 && left < LITTLE && !post.has("summarise") ? "Less than two minutes are left." : "";
  if (left === 0 && !post.has("look")) post.add({ type: "look" }); // it may be over
}

/** The invitation, opened again, shows the way back here. */
function remember({ slug, participant }) {
  try {
    const name = participant.startsWith("anon-") ? "" : participant;
    localStorage.setItem(`collector.join.${slug}.${name}`, location.pathname);
  } catch {
    // Storage is refused: the personal link on the page does the same.
  }
}

askBeforeLeaving((reason) => post.add({ type: "leave", reason }));
addEventListener("online", () => post.wake());
addEventListener("pagehide", () => {
  const text = kept.get("unsent", null);
  if (text === null || post.isOver || post.has("summarise")) return;
  navigator.sendBeacon?.(room.dataset.post, JSON.stringify({ type: "draft", text }));
});
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && post.wake());
setInterval(tick, 1000);

remember(room.dataset);
const unsent = kept.get("summary", null);
if (unsent) sendSummary(unsent);
else render();
