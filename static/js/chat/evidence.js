/**
 * How did a text come about? Counts only, never text: see Evidence in chat/protocol.py. Nothing is counted while the
 * study does not keep it. The caller says what time it is (milliseconds).
 */

const MOST_PASTES = 20;
const MOST_COUNT = 1_000_000;
const NOTHING = { firstKeyAfter: null, pastes: [], focusLosses: 0, corrections: 0 };

const seconds = (milliseconds) => Math.min(MOST_COUNT, Math.max(0, Math.round(milliseconds / 100) / 10));

export class Evidence {
  constructor() {
    this.isKept = false;
    this.isAway = false;
    this.turnFrom = null;
    this.counts = { ...NOTHING };
  }

  /** Go on with what was counted before a reload; `store` has get(name, fallback) and set(name, value). */
  useStore(store) {
    this.store = store;
    this.counts = { ...NOTHING, ...store.get("evidence", {}) };
  }

  /** Say whether the study keeps it, and since when it is the worker's turn; null when it is not. */
  set(isKept, turnFrom) {
    this.isKept = isKept;
    this.turnFrom = turnFrom;
  }

  /** The text has changed; `kind` is the browser's name for how. */
  changed(now, kind = "") {
    if (this.counts.firstKeyAfter === null) this.#count({ firstKeyAfter: this.#since(now) });
    if (kind.startsWith("delete")) this.#count({ corrections: this.counts.corrections + 1 });
  }

  pasted(text) {
    const length = Math.min(MOST_COUNT, [...text].length);
    if (this.counts.pastes.length < MOST_PASTES) this.#count({ pastes: [...this.counts.pastes, length] });
  }

  /** The page was left during the worker's turn; a window that loses the focus and is then hidden was left once. */
  left() {
    if (!this.isAway && this.turnFrom !== null) this.#count({ focusLosses: this.counts.focusLosses + 1 });
    this.isAway = true;
  }

  back() {
    this.isAway = false;
  }

  /** @returns the evidence of a text that is sent now, and begins anew; undefined when none is kept. */
  take(now) {
    const { firstKeyAfter, pastes, focusLosses, corrections } = this.counts;
    const toSend = seconds(this.#since(now));
    this.forget();
    if (!this.isKept) return undefined;
    return {
      to_first_key: Math.min(toSend, seconds(firstKeyAfter ?? this.#since(now))),
      to_send: toSend,
      pastes,
      focus_losses: focusLosses,
      corrections,
    };
  }

  forget() {
    this.counts = { ...NOTHING };
    this.store?.set("evidence", this.counts);
  }

  /** What is typed ahead of the turn is typed at its beginning. */
  #since(now) {
    return this.turnFrom === null ? 0 : now - this.turnFrom;
  }

  #count(more) {
    if (!this.isKept) return;
    this.counts = { ...this.counts, ...more };
    this.store?.set("evidence", this.counts);
  }
}
