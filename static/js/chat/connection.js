/**
 * Is the page connected? Opens the socket, says hello, connects again after trouble. Knows nothing of dialogs.
 */

export const OPENED_ELSEWHERE = 4001;
export const BAD_LINK = 4003;
export const OVER = 4004;
const FINAL = new Set([OPENED_ELSEWHERE, BAD_LINK, OVER]);
const LONGEST_PAUSE = 15_000;
const HEALTHY_AFTER = 10_000;
const QUIET = 10_000; // a visible page that heard nothing for so long asks
const PATIENCE = 9_000; // and gives an answer so long before it takes the socket for dead
const SILENT_TROUBLE = 1_500;

/** @returns a pause in milliseconds before the next try: full jitter, so that many pages do not come back at once. */
export function pause(failures, random = Math.random) {
  return random() * Math.min(LONGEST_PAUSE, 500 * 2 ** failures);
}

export class Connection {
  /** @param handlers onFrame(frame), onOpen(), onTrouble(isTrouble), onClosed(code), hello() and probe() return frames. */
  constructor(url, handlers) {
    this.url = url;
    this.handlers = handlers;
    this.failures = 0;
    this.isOver = false;
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.wake());
    addEventListener("online", () => this.wake());
    addEventListener("pageshow", (event) => event.persisted && this.wake());
    setInterval(() => this.#lookForSilence(), 1000);
  }

  /** Connect now, unless connected or over. */
  open() {
    if (this.isOver || this.socket) return;
    clearTimeout(this.retry);
    this.#expectTrouble();
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.heardAt = Date.now();
    this.askedAt = 0;
    socket.addEventListener("open", () => socket.send(JSON.stringify(this.handlers.hello())));
    socket.addEventListener("message", (event) => this.socket === socket && this.#hear(event.data));
    socket.addEventListener("close", (event) => this.socket === socket && this.#lost(event.code));
  }

  get isOpen() {
    return this.isGreeted && this.socket?.readyState === WebSocket.OPEN;
  }

  /** Send a frame if connected. @returns whether it left. */
  send(frame) {
    if (!this.isOpen) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  /** Try at once: the page is seen again, or the network is back. */
  wake() {
    if (!this.socket) this.open();
    else if (this.isOpen) this.#ask();
  }

  /** Connect no more. */
  end() {
    this.isOver = true;
    this.#calm();
  }

  #hear(data) {
    this.heardAt = Date.now();
    this.askedAt = 0;
    const isFirst = !this.isGreeted;
    this.isGreeted = true;
    if (isFirst) {
      this.openedAt = Date.now();
      this.#calm();
    }
    this.handlers.onFrame(JSON.parse(data));
    if (isFirst && this.isOpen) this.handlers.onOpen();
  }

  #lost(code) {
    const wasHealthy = this.isGreeted && Date.now() - this.openedAt > HEALTHY_AFTER;
    this.socket = null;
    this.isGreeted = false;
    if (this.isOver || FINAL.has(code)) {
      this.end();
      this.handlers.onClosed(code);
      return;
    }
    this.failures = wasHealthy ? 0 : this.failures + 1;
    this.#expectTrouble();
    this.retry = setTimeout(() => this.open(), pause(this.failures));
  }

  /** A half-open socket says nothing, not even that it is gone. */
  #lookForSilence() {
    if (!this.socket || document.visibilityState !== "visible") return;
    const now = Date.now();
    const isSlow = !this.isGreeted && now - this.heardAt > PATIENCE;
    const isDead = this.askedAt && now - this.askedAt > PATIENCE;
    if (isSlow || isDead) {
      const socket = this.socket;
      this.#lost(1006);
      socket.close();
    } else if (this.isOpen && !this.askedAt && now - this.heardAt > QUIET) {
      this.#ask();
    }
  }

  #ask() {
    this.askedAt ||= Date.now();
    this.socket.send(JSON.stringify(this.handlers.probe()));
  }

  #expectTrouble() {
    this.trouble ??= setTimeout(() => this.handlers.onTrouble(true), SILENT_TROUBLE);
  }

  #calm() {
    clearTimeout(this.trouble);
    this.trouble = null;
    this.handlers.onTrouble(false);
  }
}
