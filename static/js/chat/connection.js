/**
 * Is the page connected? Chooses the way to the server, tries again after trouble. Knows nothing of dialogs.
 *
 * A socket is the way; where three in a row came to nothing the page polls, and tries a socket again each minute. Two
 * ways never say hello at once, since each hello takes the seat from the other.
 */

import { browser, pause } from "./backoff.js";

export const OPENED_ELSEWHERE = 4001;
export const BAD_LINK = 4003;
export const OVER = 4004;
const FINAL = new Set([OPENED_ELSEWHERE, BAD_LINK, OVER]);
const HEALTHY_AFTER = 10_000;
const SILENT_TROUBLE = 1_500;
const BLOCKED_AFTER = 3;
const SOCKET_AGAIN = 60_000;

/** @returns which way to try next: a socket, unless sockets seem to be blocked; then both in turns. */
export function nextWay(socketFailures, last) {
  return socketFailures < BLOCKED_AFTER || last === "polling" ? "socket" : "polling";
}

export class Connection {
  /**
   * @param ways {socket, polling}: functions that make one from handlers.
   * @param handlers onFrame(frame), onOpen(), onTrouble(isTrouble), onClosed(code).
   */
  constructor(ways, handlers, clock = browser) {
    this.ways = ways;
    this.handlers = handlers;
    this.clock = clock;
    this.way = null; // what carries frames, or is about to
    this.trial = null; // a socket that is tried while the page polls
    this.kind = "";
    this.failures = 0; // in a row, whatever the way
    this.socketFailures = 0; // in a row, never greeted
    this.isOver = false;
  }

  /** Connect now, unless connected or over. */
  open() {
    if (this.isOver || this.way) return;
    this.clock.cancel(this.retry);
    this.#expectTrouble();
    this.kind = nextWay(this.socketFailures, this.kind);
    const way = this.ways[this.kind]({
      heard: (frame) => this.#hear(way, frame),
      lost: (code) => this.#lost(way, code),
    });
    this.way = way;
    way.start();
  }

  get isOpen() {
    return Boolean(this.way?.isGreeted);
  }

  /** Send a frame if connected. @returns whether it left. */
  send(frame) {
    return this.isOpen && this.way.send(frame);
  }

  /** Try at once: the page is seen again, or the network is back. */
  wake() {
    if (!this.way) this.open();
    else if (this.isOpen) this.way.ask();
  }

  /** Ask now, and be in trouble soon unless there is an answer: the browser says that the network is gone. */
  doubt() {
    if (!this.isOpen) return;
    this.#expectTrouble();
    this.way.ask();
  }

  /** Connect no more. */
  end() {
    this.isOver = true;
    for (const timer of [this.retry, this.again]) this.clock.cancel(timer);
    this.way?.stop();
    this.trial?.stop();
    this.#calm();
  }

  #hear(way, frame) {
    if (this.isOver || way !== this.way) return;
    if (way.isGreeted && !this.greeted) this.#greet();
    else if (this.isOpen && this.trouble) this.#calm();
    this.handlers.onFrame(frame);
    if (this.isFresh && this.isOpen) {
      this.isFresh = false;
      this.handlers.onOpen();
    }
  }

  #greet() {
    this.greeted = true;
    this.isFresh = true;
    this.greetedAt = this.clock.now();
    this.clock.cancel(this.again);
    if (this.kind === "socket") this.socketFailures = 0;
    else this.again = this.clock.after(SOCKET_AGAIN, () => this.#trySocket());
    this.#calm();
  }

  #lost(way, code) {
    if (this.isOver || way !== this.way) return;
    // While a socket is tried it may hold the seat: then it is no other page that does.
    if (code === OPENED_ELSEWHERE && this.trial) {
      this.isTaken = true;
      return;
    }
    if (FINAL.has(code)) {
      this.end();
      this.handlers.onClosed(code);
      return;
    }
    if (this.kind === "socket" && !this.greeted) this.socketFailures += 1;
    const wasHealthy = this.greeted && this.clock.now() - this.greetedAt >= HEALTHY_AFTER;
    this.failures = wasHealthy ? 0 : this.failures + 1;
    this.#drop();
    if (this.trial) return; // it will be greeted, or its loss tries again
    this.#expectTrouble();
    this.retry = this.clock.after(pause(this.failures, this.clock.random), () => this.open());
  }

  /** See whether a socket gets through by now; polling goes on meanwhile. */
  #trySocket() {
    if (this.isOver || this.trial || this.kind !== "polling") return;
    this.isTaken = false;
    const trial = this.ways.socket({
      heard: (frame) => this.#hearTrial(trial, frame),
      lost: (code) => this.#loseTrial(trial, code),
    });
    this.trial = trial;
    trial.start();
  }

  #hearTrial(trial, frame) {
    if (trial === this.way) {
      this.#hear(trial, frame);
      return;
    }
    if (trial !== this.trial || !trial.isGreeted) return;
    this.way?.stop();
    this.trial = null;
    this.way = trial;
    this.kind = "socket";
    this.greeted = false;
    this.#hear(trial, frame);
  }

  #loseTrial(trial, code) {
    if (trial === this.way) {
      this.#lost(trial, code);
      return;
    }
    if (trial !== this.trial) return;
    this.trial = null;
    if (this.way && !this.isTaken) {
      this.again = this.clock.after(SOCKET_AGAIN, () => this.#trySocket());
      return;
    }
    // The socket took the seat and could not use it, or polling broke meanwhile: polling says hello anew.
    this.way?.stop();
    this.#drop();
    this.kind = "socket";
    this.open();
  }

  #drop() {
    this.clock.cancel(this.again);
    this.way = null;
    this.greeted = false;
    this.isFresh = false;
  }

  #expectTrouble() {
    this.trouble ??= this.clock.after(SILENT_TROUBLE, () => this.handlers.onTrouble(true));
  }

  #calm() {
    this.clock.cancel(this.trouble);
    this.trouble = null;
    this.handlers.onTrouble(false);
  }
}

/** Wake a connection when the network is back or the page is seen again; doubt it when the network is gone. */
export function listenForWaking(connection) {
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && connection.wake());
  addEventListener("online", () => connection.wake());
  addEventListener("offline", () => connection.doubt());
  addEventListener("pageshow", (event) => event.persisted && connection.wake());
}
