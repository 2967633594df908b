/**
 * Might this text say how somebody can be found? A guess, for a hint before it is sent: it refuses nothing, is counted
 * nowhere, and stays in the page. Whoever means to get around it can.
 */

import { gettext } from "./gettext.js";

const LONG = 7; // digits
const LONGEST_PHONE = 15; // digits, country code included
const SERVICE = "insta(?:gram)?|snap(?:chat)?|telegram|discord|whatsapp|tiktok|skype|wechat|facebook|twitter";

// Repetitions have an upper bound, so that no text takes long to look through.
const MAIL = /[^\s@]{1,64}@[^\s@]{1,100}\.\p{L}{2,}|\S\s*(?:[([]at[)\]]|\bat\b)\s*[\p{L}\p{N}-]{1,63}\s*(?:[([]dot[)\]]|\bdot\b)\s*(?:com|net|org)\b/iu;
const WEB = /\bhttps?:\/\/\S+|\bwww\.[\p{L}\p{N}][^\s]*|(?<![\p{L}\p{N}.@])(?:[\p{L}\p{N}-]{1,63}\.){1,4}(?:(?:com|net|org|edu|gov|info|io|gg|ly|app|dev|xyz)(?![\p{L}\p{N}])|\p{L}{2,6}\/[\p{L}\p{N}])/iu;
const HANDLE = /(?<![\p{L}\p{N}._%+-])@[\p{L}\p{N}_.]{2,}/u;
const NAMED = new RegExp(`(?<![\\p{L}\\p{N}])(?:${SERVICE})(?:\\s+(?:name|id|handle|account))?\\s*(?::|=|\\bis\\b)\\s*\\S+`, "iu");
const TAGGED = /[\p{L}\p{N}_.]{2,32}#\p{Nd}{4}(?!\p{Nd})/u;
const NUMBER = /(?<![\p{L}\p{Nd}.,])\+?\(?\p{Nd}[\p{Nd} \u00a0().\/-]{4,40}\p{Nd}/gu;
const DATE = /^(?:\p{Nd}{1,4}[-./]\p{Nd}{1,2}[-./]\p{Nd}{1,4}|(?:19|20)\p{Nd}{2}[ -]{1,3}(?:19|20)\p{Nd}{2})$/u;
const DIGITS = new RegExp(`\\p{Nd}{${LONG},}`, "u");

const LOOKS = [
  [gettext("an e-mail address"), (text) => text.match(MAIL)?.[0]],
  [gettext("a web address"), (text) => text.match(WEB)?.[0]],
  [gettext("an account name"), (text) => (text.match(HANDLE) ?? text.match(NAMED) ?? text.match(TAGGED))?.[0]],
  [gettext("a phone number"), (text) => text.match(NUMBER)?.find(isPhone)],
  [gettext("a long number"), (text) => text.match(DIGITS)?.[0]],
];

/** @returns {what, part}: the first thing of the kind, in words and as it stands in the text; null without one. */
export function find(text) {
  const plain = text.normalize("NFKC");
  for (const [what, look] of LOOKS) {
    const part = look(plain);
    if (part) return { what, part };
  }
  return null;
}

/** @returns what the worker is told. */
export function hint({ what }) {
  return gettext("This looks like {what}. Do not share anything by which you or somebody else can be found. If it is something else, or belongs to the video, send it as it is.", { what });
}

/** Counted things, dates and years are no phone numbers; an unbroken number is one only with a plus. */
function isPhone(part) {
  if (DATE.test(part)) return false;
  const groups = part.match(/\p{Nd}+/gu);
  const size = groups.join("").length;
  const isGrouped = groups.length > 1 && groups.slice(1).every((group) => group.length > 1);
  const isMarked = /^[+(0]/.test(part) || groups.some((group) => group.length > 2);
  return size >= LONG && size <= LONGEST_PHONE && isMarked && (isGrouped || part.startsWith("+"));
}
