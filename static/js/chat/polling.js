/**
 * The way around a network that blocks websockets: the same frames, posted. The same interface as Socket.
 *
 * A post without frames is held by the server until something is new, so that nothing depends on timers, which sleep
 * in hidden tabs. Frames to send go beside it, one post at a time, in order.
 */

const HELD = 25_000; // a held post is answered sooner; later than this it never is
const BRISK = 15_000; // so long may the answer to a post with frames take
const AT_LEAST = 500; // an answer to a held post that comes sooner than this says that something is odd
const ODD = 3; // so many of them in a row, and the page takes its time
const REST = 3_000;
const MOST_FRAMES = 10;
const OPENED_ELSEWHERE = 4001;
const REFUSED = { bad_link: 4003, over: 4004 }; // as the server closes a socket whose hello it refuses so
const BROKEN = 1006;

export class Polling {
  /**
   * @param post (body, signal) returns the server's frames, or throws.
   * @param page this page's name for itself.
   * @param handlers heard(frame), lost(code); hello() returns a frame and have() the version held.
   */
  constructor(post, page, handlers, clock) {
    this.post = post;
    this.page = page;
    this.handlers = handlers;
    this.clock = clock;
    this.isGreeted = false;
    this.isStopped = false;
    this.isSending = false;
    this.queue = [];
    this.requests = new Set();
  }

  async start() {
    await this.#exchange([this.handlers.hello()], BRISK);
    if (!this.isStopped && !this.isGreeted) this.#lose(BROKEN);
    let odd = 0;
    while (!this.isStopped) {
      const from = this.clock.now();
      await this.#exchange([], HELD);
      odd = this.clock.now() - from < AT_LEAST ? odd + 1 : 0;
      if (odd >= ODD) await new Promise((done) => this.clock.after(REST, done));
    }
  }

  send(frame) {
    if (!this.isGreeted || this.isStopped) return false;
    this.queue.push(frame);
    if (!this.isSending) this.#sendAll();
    return true;
  }

  /** Ask for the state beside the held post, which may have died in a sleep. */
  ask() {
    this.send(this.handlers.probe());
  }

  stop() {
    this.isStopped = true;
    this.isGreeted = false;
    for (const request of this.requests) request.abort();
  }

  async #sendAll() {
    this.isSending = true;
    await null; // what is sent in one go goes in one post
    while (this.queue.length && !this.isStopped) await this.#exchange(this.queue.splice(0, MOST_FRAMES), BRISK);
    this.isSending = false;
  }

  /** Post frames and pass on what comes back. Whatever goes wrong ends this way to the server. */
  async #exchange(frames, patience) {
    const request = new AbortController();
    const timer = this.clock.after(patience, () => request.abort());
    this.requests.add(request);
    try {
      const answer = await this.post({ page: this.page, have: this.handlers.have(), frames }, request.signal);
      for (const frame of answer) this.#hear(frame);
    } catch {
      this.#lose(BROKEN);
    } finally {
      this.clock.cancel(timer);
      this.requests.delete(request);
    }
  }

  #hear(frame) {
    if (this.isStopped) return;
    if (frame.type === "state") this.isGreeted = true;
    this.handlers.heard(frame);
    const isFinal = frame.type === "refused" && (frame.code === "bad_link" || !this.isGreeted);
    if (frame.type === "moved") this.#lose(OPENED_ELSEWHERE);
    else if (isFinal && frame.code in REFUSED) this.#lose(REFUSED[frame.code]);
  }

  #lose(code) {
    if (this.isStopped) return;
    this.stop();
    this.handlers.lost(code);
  }
}

/** @returns a function that posts as Polling wants it. */
export function poster(address) {
  return async (body, signal) => {
    const response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      cache: "no-store",
      signal,
    });
    if (!response.ok) throw new Error(`answered with ${response.status}`);
    return response.json();
  };
}
