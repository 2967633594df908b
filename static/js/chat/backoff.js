/**
 * How long to wait before trying again, and on which clock? Everything that waits takes its clock from here, so that
 * tests can bring their own.
 */

const LONGEST = 15_000;
const FIRST = 500;

/** @returns a pause in milliseconds before the next try: full jitter, so that many pages do not come back at once. */
export function pause(failures, random = Math.random) {
  return random() * Math.min(LONGEST, FIRST * 2 ** failures);
}

/** The browser's clock: monotonic, whatever happens to the time of day. */
export const browser = {
  now: () => performance.now(),
  after: (milliseconds, work) => setTimeout(work, milliseconds),
  cancel: (timer) => clearTimeout(timer),
  random: Math.random,
  isVisible: () => document.visibilityState === "visible",
};
