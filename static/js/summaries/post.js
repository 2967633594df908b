/**
 * What a watcher's page has to tell the server: one post at a time, in order, again until it is answered.
 *
 * The server takes the same frame twice with the same result. Of each type only the newest waits, since it says all.
 */

import { pause } from "../chat/backoff.js";

const PATIENCE = 15_000;
const LATER = new Set(["busy", "too_fast"]);

export class Post {
  /**
   * @param send (frame, signal) returns the server's answer, or throws.
   * @param handlers answered(frame, answer) and trouble(isTrouble).
   * @param clock as in backoff.js.
   */
  constructor(send, handlers, clock) {
    this.send = send;
    this.handlers = handlers;
    this.clock = clock;
    this.waiting = [];
    this.failures = 0;
    this.isUnderWay = false;
    this.isOver = false;
    this.timer = null;
  }

  /** Send a frame as soon as it may be; a waiting one of its type is replaced. */
  add(frame) {
    this.waiting = [...this.waiting.filter((each) => each.type !== frame.type), frame];
    this.#next();
  }

  /** @returns whether a frame of this type waits or is under way. */
  has(type) {
    return this.waiting.some((each) => each.type === type);
  }

  /** Forget what waits of a type. */
  drop(type) {
    this.waiting = this.waiting.filter((each) => each.type !== type);
  }

  /** Try at once: the network is back, or the page is looked at again. */
  wake() {
    this.clock.cancel(this.timer);
    this.timer = null;
    this.#next();
  }

  /** Send nothing more. */
  end() {
    this.isOver = true;
    this.waiting = [];
    this.clock.cancel(this.timer);
  }

  async #next() {
    if (this.isUnderWay || this.isOver || this.timer !== null || !this.waiting.length) return;
    this.isUnderWay = true;
    const [frame] = this.waiting;
    const answer = await this.#exchange(frame);
    this.isUnderWay = false;
    if (this.isOver) return;
    if (answer === null || (answer.type === "refused" && LATER.has(answer.code))) {
      this.failures += 1;
      this.handlers.trouble(true);
      this.timer = this.clock.after(500 + pause(this.failures, this.clock.random), () => this.wake());
      return;
    }
    this.waiting = this.waiting.filter((each) => each !== frame);
    this.failures = 0;
    this.handlers.trouble(false);
    this.handlers.answered(frame, answer);
    this.#next();
  }

  /** @returns the answer, or null when there was none. */
  async #exchange(frame) {
    const request = new AbortController();
    const timer = this.clock.after(PATIENCE, () => request.abort());
    try {
      return await this.send(frame, request.signal);
    } catch {
      return null;
    } finally {
      this.clock.cancel(timer);
    }
  }
}
