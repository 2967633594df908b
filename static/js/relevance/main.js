/**
 * A judge's page: the video, then the answers to one question, page by page.
 */

import { gettext, ngettext } from "../chat/gettext.js";
import { Visit } from "../summaries/visit.js";
import { Answers } from "./answers.js";

const $ = (id) => document.getElementById(id);
const opening = JSON.parse($("opening").textContent);

const visit = new Visit(opening, "finish", {
  words: {
    kept: gettext("No answer from us just now. What you marked is kept; this page tries again by itself."),
    sending: gettext("Sending your marks …"),
    work: gettext("Mark each answer: correct or not"),
    watch: gettext("Watch the video to its end, with sound"),
  },
  render() {
    answers.allow(visit.isWatched && !visit.isSending);
    const isLast = answers.number === answers.pages - 1;
    const first = answers.start + 1;
    $("page-number").textContent = gettext("Answers {first} to {last} of {all}", { first, last: Math.min(answers.start + answers.page, answers.options.length), all: answers.options.length });
    $("marked").textContent = gettext("{number} marked", { number: answers.done });
    $("progress").value = answers.done;
    $("back").hidden = answers.number === 0;
    $("next").textContent = isLast ? gettext("Finish") : gettext("Next page");
    $("next").setAttribute("aria-disabled", String(!answers.mayMark));
    $("not-yet").hidden = visit.isWatched;
    // The question stays in place: what gets the focus is to stand below it.
    $("question").parentElement.style.scrollPaddingTop = `${$("question").offsetHeight + 12}px`;
  },
  refused(frame, { sentence }) {
    refuse(sentence);
  },
});

const answers = new Answers($("answers"), opening.options, visit.unsent?.marks ?? opening.marks, opening.page, () => {
  refuse("");
  visit.draft({ type: "marks", marks: answers.marks });
  visit.render();
});

function refuse(sentence) {
  $("refusal").textContent = sentence;
  $("refusal").hidden = !sentence;
}

function turn(number) {
  refuse("");
  answers.show(number);
  visit.render();
  $("answers").scrollIntoView({ block: "start" });
  $("answers").querySelector("input:checked, input")?.focus({ preventScroll: true });
}

$("judging").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!answers.mayMark) return;
  if (answers.open) {
    refuse(ngettext("{number} answer is not marked yet on this page.", "{number} answers are not marked yet on this page.", answers.open));
    answers.pointOut();
  } else if (answers.number < answers.pages - 1) turn(answers.number + 1);
  else if (answers.done < answers.options.length) turn(answers.firstOpen);
  else visit.finish({ type: "finish", marks: answers.marks });
});
$("back").addEventListener("click", () => turn(answers.number - 1));

answers.show(answers.firstOpen);
visit.start();
if (visit.isWatched) $("answers").scrollIntoView({ block: "start" });
