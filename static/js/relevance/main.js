/**
 * A judge's page: the video, then the answers to one question, page by page.
 */

import { Visit } from "../summaries/visit.js";
import { Answers } from "./answers.js";

const $ = (id) => document.getElementById(id);
const opening = JSON.parse($("opening").textContent);

const visit = new Visit(opening, "finish", {
  words: {
    kept: "What you marked",
    sending: "Sending your marks …",
    work: "Mark each answer: correct or not",
    watch: "Watch the video to its end, with sound",
  },
  render() {
    answers.allow(visit.isWatched && !visit.isSending);
    const isLast = answers.number === answers.pages - 1;
    const first = answers.start + 1;
    $("page-number").textContent = `Answers ${first} to ${Math.min(answers.start + answers.page, answers.options.length)} of ${answers.options.length}`;
    $("marked").textContent = `${answers.done} marked`;
    $("progress").value = answers.done;
    $("back").hidden = answers.number === 0;
    $("next").textContent = isLast ? "Finish" : "Next page";
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
    refuse(`${answers.open === 1 ? "One answer is" : `${answers.open} answers are`} not marked yet on this page.`);
    answers.pointOut();
  } else if (answers.number < answers.pages - 1) turn(answers.number + 1);
  else if (answers.done < answers.options.length) turn(answers.firstOpen);
  else visit.finish({ type: "finish", marks: answers.marks });
});
$("back").addEventListener("click", () => turn(answers.number - 1));

answers.show(answers.firstOpen);
visit.start();
if (visit.isWatched) $("answers").scrollIntoView({ block: "start" });
