/**
 * Reviewing by keyboard: j and k go through the submissions, p plays the video, x chooses one, a goes to the approval,
 * r to the reason of a rejection.
 */

const items = Array.from(document.querySelectorAll(".review-item"));
const boxes = items.map((item) => item.querySelector("[name=assignment]"));
const chosen = document.getElementById("chosen");
const all = document.getElementById("choose-all");
let at = -1;

function go(by) {
  at = Math.min(items.length - 1, Math.max(0, at + by));
  items[at]?.focus({ preventScroll: true });
  items[at]?.scrollIntoView(); // its beginning: most are longer than the window
}

function count() {
  if (chosen) chosen.textContent = String(boxes.filter((box) => box?.checked).length);
}

/** Play or pause a submission's video: the one that plays, else the one that was begun, else the first. */
function play(item) {
  const videos = Array.from(item.querySelectorAll("video"));
  const video = videos.find((each) => !each.paused) ?? videos.find((each) => each.currentTime > 0) ?? videos[0];
  if (!video) return;
  if (video.paused) video.play().catch(() => video.focus()); // it cannot be played here: its own controls say why
  else video.pause();
}

function reject(item) {
  const form = item.querySelector("[name=what][value=reject]")?.form; // another form asks for a reason, too
  if (!form) return; // of somebody who only looks
  const { reason } = form.elements;
  reason.closest("details").open = true;
  reason.focus();
}

const KEYS = {
  j: () => go(1),
  k: () => go(-1),
  a: () => document.getElementById("count")?.focus(),
  x: () => boxes[at]?.click(),
  p: () => items[at] && play(items[at]),
  r: () => items[at] && reject(items[at]),
};

for (const box of boxes) box?.addEventListener("change", count);
items.forEach((item, index) => item.addEventListener("focusin", () => { at = index; }));
document.addEventListener("play", (event) => { // one at a time: two sounds at once are none
  for (const video of document.querySelectorAll("video")) if (video !== event.target) video.pause();
}, true);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("textarea, input:not([type=checkbox])")) return;
  const act = KEYS[event.key];
  if (!act) return;
  act();
  event.preventDefault();
});
if (all) {
  all.hidden = false;
  all.addEventListener("click", () => {
    const isMore = boxes.some((box) => !box.checked);
    for (const box of boxes) box.checked = isMore;
    count();
  });
}
count();
