/**
 * The Answerer's video: which parts were played, and has it been watched to its end?
 */

import { gettext } from "./gettext.js";
import { cover, firstGap, merge } from "./ranges.js";

const BACK = 5; // seconds
const SLOW = 0.5;
const PATIENCE = 1000; // milliseconds before it is said that the video loads
const LOADING = gettext("The video is loading. You can play it in a moment.");
const KEYS = { k: "toggle", r: "restart", j: "back", s: "slow" };

export class Player {
  /**
   * @param handlers onWatched(ranges) is called with the played ranges when they cover the video, each time it ends;
   * onReport() when the worker gives up on a video that does not load.
   */
  constructor(root, handlers) {
    this.video = root.querySelector("video");
    this.note = root.querySelector(".player-note");
    this.rest = root.querySelector(".player-rest");
    this.report = root.querySelector(".player-report");
    this.handlers = handlers;
    this.earlier = [];
    this.isWatched = false;
    this.video.addEventListener("ended", () => this.#ended());
    for (const moment of ["pause", "seeking"]) this.video.addEventListener(moment, () => this.#keep());
    addEventListener("pagehide", () => this.#keep());
    this.video.addEventListener("error", () => this.#failed());
    this.video.addEventListener("playing", () => this.#offerReport(false));
    this.video.addEventListener("waiting", () => this.#wait());
    for (const moment of ["canplay", "playing", "error"]) this.video.addEventListener(moment, () => this.#waitNoMore());
    this.rest.addEventListener("click", () => this.#playRest());
    this.report.addEventListener("click", () => this.handlers.onReport());
    for (const tool of root.querySelectorAll("[data-do]")) tool.addEventListener("click", () => this.#do(tool.dataset.do));
    this.slow = root.querySelector("[data-do=slow]");
    this.video.addEventListener("ratechange", () => this.slow.setAttribute("aria-pressed", String(this.video.playbackRate === SLOW)));
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Take up what was played in the seat. The next show() brings its video. */
  useStore(store) {
    if (this.link) {
      this.link = "";
      this.video.removeAttribute("src");
      this.video.load();
    }
    this.store = store;
    this.earlier = store.get("played", []);
    this.isWatched = false;
    this.rest.hidden = true;
    this.#offerReport(false);
    this.#say("");
  }

  get isPlaying() {
    return Boolean(this.link) && !this.video.paused && !this.video.ended;
  }

  /** Show the video behind a link, unless it is shown already. */
  show(link, duration, isWatched) {
    this.duration = duration;
    if (isWatched && !this.isWatched) this.#say(this.video.ended || this.video.currentTime ? gettext("Watched. You can play it again at any time.") : "");
    this.isWatched = isWatched;
    if (this.link === link) return;
    this.link = link;
    this.video.src = link;
    this.#wait();
  }

  get ranges() {
    const { played } = this.video;
    const now = Array.from({ length: played.length }, (_, index) => [played.start(index), played.end(index)]);
    return merge(this.earlier, now);
  }

  /** The server did not count it as watched. */
  showRest() {
    this.#say(gettext("Some parts were skipped. Play them too, then you can write."));
    this.rest.hidden = false;
  }

  stop() {
    this.video.pause();
  }

  /** Keys of the player count while the focus is in it, so that none of them is taken from who types. */
  #key(event) {
    const name = KEYS[event.key.toLowerCase()];
    if (!name || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.#do(name);
  }

  #do(name) {
    const { video } = this;
    if (name === "slow") video.playbackRate = video.playbackRate === SLOW ? 1 : SLOW;
    if (name === "back") video.currentTime = Math.max(0, video.currentTime - BACK);
    if (name === "restart") video.currentTime = 0;
    if (name === "toggle" && !video.paused) video.pause();
    else if (name === "toggle" || name === "restart") this.#play();
  }

  #play() {
    this.video.play().catch(() => this.#say(gettext("Press play to go on.")));
  }

  #ended() {
    this.#keep();
    if (cover(this.ranges, this.duration || this.video.duration)) {
      this.rest.hidden = true;
      this.handlers.onWatched(this.ranges.slice(0, 500));
    } else if (!this.isWatched) {
      this.showRest();
    }
  }

  #playRest() {
    if (this.video.error) this.video.load();
    else this.video.currentTime = firstGap(this.ranges);
    this.rest.hidden = true;
    this.#offerReport(false);
    this.#say("");
    this.#play();
  }

  /** Say that it loads when it takes a while, where nothing else is said. */
  #wait() {
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.note.textContent || this.#say(LOADING), PATIENCE);
  }

  #waitNoMore() {
    clearTimeout(this.patience);
    if (this.note.textContent === LOADING) this.#say("");
  }

  #keep() {
    this.store?.set("played", this.ranges.slice(0, 500));
  }

  #failed() {
    if (!this.link) return;
    this.#say(gettext("The video does not load. Check your connection and try again; if that does not help, report it."));
    this.rest.textContent = gettext("Try again");
    this.rest.hidden = false;
    this.#offerReport(true);
  }

  #offerReport(isOffered) {
    this.report.hidden = !isOffered;
    if (!isOffered) this.rest.textContent = gettext("Play on from there");
  }

  #say(sentence) {
    this.note.textContent = sentence;
  }
}
