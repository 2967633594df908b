/**
 * One websocket: says hello, passes frames on, notices when it has died. It never tries again; connection.js does.
 *
 * The same interface as Polling: start(), send(frame), ask(), stop(), isGreeted; tells heard(frame) and lost(code).
 */

const QUIET = 10_000; // a visible page that heard nothing for so long asks
const PATIENCE = 5_000; // and gives an answer so long before it takes the socket for dead
const GREETING = 8_000; // so long may it take until the first snapshot is there
const LOOK_EVERY = 1_000;

export class Socket {
  /**
   * @param make makes a WebSocket.
   * @param handlers heard(frame), lost(code); hello() and probe() return frames.
   */
  constructor(make, handlers, clock) {
    this.make = make;
    this.handlers = handlers;
    this.clock = clock;
    this.isGreeted = false;
    this.isStopped = false;
  }

  start() {
    const socket = this.make();
    this.socket = socket;
    this.heardAt = this.clock.now();
    this.askedAt = null;
    socket.addEventListener("open", () => !this.isStopped && this.#write(this.handlers.hello()));
    socket.addEventListener("message", (event) => !this.isStopped && this.#hear(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => this.#lose(event.code));
    this.#watch();
  }

  /** Send a frame if there is somebody to take it. @returns whether it left. */
  send(frame) {
    if (!this.isGreeted || this.socket.readyState !== 1) return false;
    this.#write(frame);
    return true;
  }

  /** Ask for the state; no answer means that the socket is dead. */
  ask() {
    if (!this.isGreeted || this.askedAt !== null) return;
    this.askedAt = this.clock.now();
    this.#write(this.handlers.probe());
  }

  /** Close, and tell nothing more. */
  stop() {
    this.isStopped = true;
    this.isGreeted = false;
    this.clock.cancel(this.timer);
    this.socket?.close();
  }

  #write(frame) {
    this.socket.send(JSON.stringify(frame));
  }

  #hear(frame) {
    this.heardAt = this.clock.now();
    this.askedAt = null;
    if (frame.type === "state") this.isGreeted = true;
    this.handlers.heard(frame);
  }

  #lose(code) {
    if (this.isStopped) return;
    this.stop();
    this.handlers.lost(code);
  }

  /** A half-open socket says nothing, not even that it is gone. A hidden page's timers sleep, so it does not look. */
  #watch() {
    this.timer = this.clock.after(LOOK_EVERY, () => {
      const now = this.clock.now();
      const isLate = !this.isGreeted && now - this.heardAt >= GREETING;
      const isDead = this.askedAt !== null && now - this.askedAt >= PATIENCE;
      if (this.clock.isVisible() || !this.isGreeted) {
        if (isLate || isDead) {
          this.#lose(1006);
          return;
        }
        if (this.isGreeted && now - this.heardAt >= QUIET) this.ask();
      }
      this.#watch();
    });
  }
}
