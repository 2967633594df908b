/**
 * Would this text be taken? The server decides; the page says so a moment earlier. Follows collector/lib/text.py.
 */

import { gettext, ngettext } from "./gettext.js";

const UNSPACED = new Set(["zh", "ja", "th", "lo", "km", "my"]);
const ALNUM = /[\p{L}\p{N}]/u;

export const KIND_OF = { ask: "question", answer: "answer", summarise: "summary" };

/** @returns the length in code points after NFC, as the server counts. */
export function length(text) {
  return [...text.normalize("NFC").trim()].length;
}

/** @returns how many words there are; letters and digits in languages written without spaces. */
export function count(text, language) {
  const parts = UNSPACED.has(language.split("-")[0]) ? [...text.normalize("NFC")] : text.split(/\s+/u);
  return parts.filter((part) => ALNUM.test(part)).length;
}

/** @returns a number with what count() counts. */
export function many(language, number) {
  return UNSPACED.has(language.split("-")[0])
    ? ngettext("{number} character", "{number} characters", number)
    : ngettext("{number} word", "{number} words", number);
}

export function least(kind, limits) {
  return limits[`least_${kind}`];
}

export function longest(kind, limits) {
  return kind === "summary" ? limits.longest_summary : limits.longest_text;
}

/** @returns the question mark of the language's script. */
export function questionMark(language) {
  const base = language.split("-")[0];
  if (["zh", "ja"].includes(base)) return "？";
  return ["ar", "fa", "ur"].includes(base) ? "؟" : "?";
}

/** @returns null, or {code, sentence} as the server would say. */
export function check(kind, text, limits) {
  if (!text.trim()) return { code: "empty", sentence: gettext("There is nothing to send yet. Write something first.") };
  const size = length(text);
  const most = longest(kind, limits);
  if (size > most) {
    return { code: "too_long", sentence: gettext("Too long: {longest} characters at most, this has {length}.", { longest: most, length: size }) };
  }
  const fewest = least(kind, limits);
  if (count(text, limits.language) < fewest) {
    return { code: "too_short", sentence: gettext("Too short: write at least {least}.", { least: many(limits.language, fewest) }) };
  }
  if (kind === "question" && !/[?？؟]$/u.test(text.trim())) {
    return { code: "no_question_mark", sentence: gettext("A question ends with a question mark.") };
  }
  return null;
}
