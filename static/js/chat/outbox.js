/**
 * What was written and is not known to be stored? Kept until its line is seen; sent again until acknowledged.
 *
 * No clock, no socket: the caller says what time it is (milliseconds) and sends what is due. The server gives the same
 * answer to the same key for ever, so sending again is always safe.
 */

export const RESEND_AFTER = 4000;
export const MANY_TRIES = 5;
export const LATER = new Set(["busy", "too_fast"]);

/** @returns a new key of 22 characters. crypto.randomUUID does not exist on a plain http address. */
export function newKey(source = crypto) {
  const bytes = source.getRandomValues(new Uint8Array(22));
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return Array.from(bytes, (byte) => letters[byte % 64]).join("");
}

export class Outbox {
  /** @param store has get(name, fallback) and set(name, value). */
  constructor(store, makeKey = newKey) {
    this.store = store;
    this.makeKey = makeKey;
    this.entries = store.get("outbox", []).map((entry) => ({ ...entry, due: 0, tries: 0 }));
  }

  /** Take a text in; it is due at once. @returns its entry. */
  add(type, text, more, now) {
    const entry = { key: this.makeKey(), type, text, ...more, stored: 0, due: now, tries: 0 };
    this.entries.push(entry);
    this.#save();
    return entry;
  }

  /** @returns the entries to send now, in order, and counts them as sent. */
  takeDue(now) {
    const due = this.entries.filter((entry) => !entry.stored && entry.due <= now);
    for (const entry of due) {
      entry.tries += 1;
      entry.due = now + RESEND_AFTER;
    }
    return due;
  }

  /** Everything unacknowledged is due again: the socket is new. */
  reconnected() {
    for (const entry of this.entries) entry.due = 0;
  }

  /** The text with this key is stored; it stays until its line is seen. */
  acknowledged(key, version) {
    for (const entry of this.entries) if (entry.key === key) entry.stored = version;
    this.#save();
  }

  /** @returns the text to give back to the writer, or null when it stays here to be sent later (or is unknown). */
  refused(key, code, now) {
    const entry = this.entries.find((each) => each.key === key && !each.stored);
    if (!entry) return null;
    if (LATER.has(code)) {
      entry.due = now + Math.min(1000 * 2 ** entry.tries, 15000);
      return null;
    }
    this.entries = this.entries.filter((each) => each !== entry);
    this.#save();
    return entry.text;
  }

  /** Forget what the dialog's lines show to be stored. */
  settle(lines) {
    const keys = new Set(lines.map((line) => line.key));
    const left = this.entries.filter((entry) => !keys.has(entry.key));
    if (left.length !== this.entries.length) {
      this.entries = left;
      this.#save();
    }
  }

  /** @returns whether something waits for its acknowledgement. */
  get isWaiting() {
    return this.entries.length > 0;
  }

  /** @returns whether sending has been tried so often that the worker should know. */
  isStuck(entry) {
    return !entry.stored && entry.tries >= MANY_TRIES;
  }

  #save() {
    this.store.set("outbox", this.entries.map(({ due, tries, ...kept }) => kept));
  }
}

/** @returns the frame that carries an entry. */
export function frameOf({ type, key, text, typed_at, evidence }) {
  return { type, key, text, typed_at, evidence };
}
