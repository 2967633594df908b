/**
 * The Answerer's video: which parts were played, and has it been watched to its end?
 */

import { cover, firstGap, merge } from "./ranges.js";

export class Player {
  /** @param onWatched is called with the played ranges when they cover the video, each time it ends. */
  constructor(root, store, onWatched) {
    this.video = root.querySelector("video");
    this.note = root.querySelector(".player-note");
    this.rest = root.querySelector(".player-rest");
    this.onWatched = onWatched;
    this.store = store;
    this.earlier = store.get("played", []);
    this.isWatched = false;
    this.video.addEventListener("ended", () => this.#ended());
    for (const moment of ["pause", "seeking"]) this.video.addEventListener(moment, () => this.#keep());
    addEventListener("pagehide", () => this.#keep());
    this.video.addEventListener("error", () => this.#failed());
    this.rest.addEventListener("click", () => this.#playRest());
  }

  /** Show the video behind a link, unless it is shown already. */
  show(link, duration, isWatched) {
    this.duration = duration;
    if (isWatched && !this.isWatched) this.#say(this.video.ended || this.video.currentTime ? "Watched. You can play it again at any time." : "");
    this.isWatched = isWatched;
    if (this.link === link) return;
    this.link = link;
    this.video.src = link;
  }

  get ranges() {
    const { played } = this.video;
    const now = Array.from({ length: played.length }, (_, index) => [played.start(index), played.end(index)]);
    return merge(this.earlier, now);
  }

  /** The server did not count it as watched. */
  showRest() {
    this.#say("Some parts were skipped. Play them too, then you can answer.");
    this.rest.hidden = false;
  }

  stop() {
    this.video.pause();
  }

  #ended() {
    this.#keep();
    if (cover(this.ranges, this.duration || this.video.duration)) {
      this.rest.hidden = true;
      this.onWatched(this.ranges.slice(0, 500));
    } else if (!this.isWatched) {
      this.showRest();
    }
  }

  #playRest() {
    if (this.video.error) this.video.load();
    else this.video.currentTime = firstGap(this.ranges);
    this.rest.hidden = true;
    this.#say("");
    this.video.play().catch(() => this.#say("Press play to go on."));
  }

  #keep() {
    this.store.set("played", this.ranges.slice(0, 500));
  }

  #failed() {
    this.#say("The video does not load. Check your connection and try again.");
    this.rest.hidden = false;
  }

  #say(sentence) {
    this.note.textContent = sentence;
  }
}
