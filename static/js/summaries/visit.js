/**
 * What is the same on the page of everybody who works alone: the video, the time that is left, leaving, reporting, and
 * how the work reaches the server: a draft again and again while it is made, then the whole as the last frame.
 */

import { ReportDialog, askBeforeLeaving } from "../chat/asking.js";
import { browser } from "../chat/backoff.js";
import { gettext } from "../chat/gettext.js";
import { Player } from "../chat/player.js";
import { poster } from "../chat/polling.js";
import { openStore } from "../chat/store.js";
import { rememberWayBack } from "../way_back.js";
import { Post } from "./post.js";

const DRAFT_EVERY = 2000; // milliseconds between two drafts while something is made
const LITTLE = 120; // seconds: from here on the time is shown as running out

const $ = (id) => document.getElementById(id);

export class Visit {
  #draftTimer = null;
  #seenAt = 0;
  #latest = null; // the newest draft, until the server has it; also where the browser keeps nothing for us

  /**
   * @param opening what the page began with: seen, duration.
   * @param last type of the frame that ends the work.
   * @param handlers render() shows how things stand; refused(frame, answer) may show why; words gives the sentences
   * kept, sending, work and watch.
   */
  constructor({ seen, duration }, last, handlers) {
    this.room = $("room");
    this.duration = duration;
    this.last = last;
    this.handlers = handlers;
    this.kept = openStore(() => sessionStorage, location.pathname, 1);
    this.seen = seen;
    this.#seenAt = performance.now();
    /** When the work could begin, on the page's clock; null before. */
    this.workFrom = this.isWatched ? performance.now() : null;
    const on = { answered: (frame, answer) => this.#answered(frame, answer), trouble: (isTrouble) => this.#trouble(isTrouble) };
    this.post = new Post(poster(this.room.dataset.post), on, browser);
    const report = new ReportDialog((about, reason) => this.post.add({ type: `report_${about}`, reason }));
    this.player = new Player($("player"), {
      onWatched: (ranges) => this.isWatched || this.post.add({ type: "watched", ranges }),
      onReport: () => report.open("does_not_play"),
    });
    this.player.useStore(this.kept);
    askBeforeLeaving((reason) => this.post.add({ type: "leave", reason }));
    addEventListener("online", () => this.post.wake());
    addEventListener("pagehide", () => this.#hide());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.post.wake());
    setInterval(() => this.#tick(), 1000);
    rememberWayBack(this.room.dataset);
  }

  get isWatched() {
    return this.seen.move !== "watch";
  }

  get isSending() {
    return this.post.has(this.last);
  }

  /** What was made and is not with the server yet, as its frame; null when all is there. */
  get unsent() {
    return this.kept.get("unsent", null);
  }

  /** Show the page; send what was being sent when it was left. */
  start() {
    const frame = this.kept.get("last", null);
    if (frame) return this.finish(frame);
    if (this.unsent) this.draft(this.unsent);
    this.render();
  }

  /** Keep how far the work is: on this page at once, and on the server soon. */
  draft(frame) {
    this.kept.set("unsent", frame);
    this.#latest = frame;
    this.#draftTimer ??= setTimeout(() => this.#sendDraft(), DRAFT_EVERY);
  }

  /** Send the whole; it is kept here until the server has it. */
  finish(frame) {
    this.kept.set("last", frame);
    this.#stopDrafts();
    this.post.add(frame);
    this.render();
  }

  render() {
    const { words } = this.handlers;
    this.room.dataset.move = this.isSending ? "wait" : this.seen.move;
    this.player.show(this.room.dataset.video, this.duration, this.isWatched);
    this.handlers.render();
    const said = this.isSending ? words.sending : this.isWatched ? words.work : words.watch;
    if ($("turn-text").textContent !== said) $("turn-text").textContent = said;
    this.#tick();
  }

  #stopDrafts() {
    clearTimeout(this.#draftTimer);
    this.#draftTimer = null;
    if (this.#latest) this.post.drop(this.#latest.type); // the whole says it too
  }

  #sendDraft() {
    this.#draftTimer = null;
    if (this.#latest && !this.isSending) this.post.add(this.#latest);
  }

  #answered(frame, answer) {
    if (answer.type === "over") return this.#over(answer.finish);
    if (answer.type === "refused") return this.#refused(frame, answer);
    if (frame === this.#latest) {
      this.#latest = null;
      this.kept.set("unsent", null);
    }
    if (this.seen.move !== answer.move) this.workFrom = performance.now();
    this.seen = answer;
    this.#seenAt = performance.now();
    this.render();
  }

  #refused(frame, answer) {
    if (frame.type === this.last) this.kept.set("last", null);
    if (answer.code === "watch_first") this.player.showRest();
    else this.handlers.refused(frame, answer);
    this.render();
  }

  #over(finish) {
    this.post.end();
    this.player.stop();
    this.#stopDrafts();
    for (const name of ["unsent", "last"]) this.kept.set(name, null);
    location.assign(finish);
  }

  #trouble(isTrouble) {
    $("banner").hidden = !isTrouble;
    $("banner-text").textContent = isTrouble ? this.handlers.words.kept : "";
    this.render();
  }

  #tick() {
    const passed = (performance.now() - this.#seenAt) / 1000;
    const lefts = [this.seen.task_left, this.seen.summary_left].filter((each) => each !== null);
    const left = Math.max(0, Math.min(...lefts) - passed);
    const time = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
    $("turn-time").textContent = gettext("{time} left", { time });
    $("turn").classList.toggle("turn--late", left < LITTLE);
    $("alarm").textContent = left > 0 && left < LITTLE && !this.isSending ? gettext("Less than two minutes are left.") : "";
    if (left === 0 && !this.post.has("look")) this.post.add({ type: "look" }); // it may be over
  }

  #hide() {
    if (!this.#latest || this.post.isOver || this.isSending) return;
    navigator.sendBeacon?.(this.room.dataset.post, JSON.stringify(this.#latest));
  }
}
