/**
 * Which parts of a video were played? Lists of [start, end] in seconds; the server decides with the same numbers.
 */

const SHARE = 0.9;
const SLACK = 1.0;

/** @returns ranges in order, overlapping ones joined. */
export function merge(...lists) {
  const joined = [];
  for (const [start, end] of lists.flat().sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && start <= last[1] + 0.05) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

/** @returns whether the ranges make up a video watched to its end. */
export function cover(ranges, duration) {
  const joined = merge(ranges);
  const played = joined.reduce((sum, [start, end]) => sum + Math.min(end, duration) - Math.min(start, duration), 0);
  return played >= SHARE * duration && (joined.at(-1)?.[1] ?? 0) >= duration - SLACK;
}

/** @returns where the first part that was not played begins. */
export function firstGap(ranges) {
  const [first] = merge(ranges);
  return first && first[0] < 0.5 ? first[1] : 0;
}
