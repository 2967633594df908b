/**
 * Reviewing by keyboard: j and k go through the submissions, x chooses one, a goes to the approval.
 */

const items = Array.from(document.querySelectorAll(".review-item"));
const boxes = items.map((item) => item.querySelector("[name=assignment]"));
const chosen = document.getElementById("chosen");
let at = -1;

function go(by) {
  at = Math.min(items.length - 1, Math.max(0, at + by));
  items[at]?.focus();
  items[at]?.scrollIntoView({ block: "nearest" });
}

function count() {
  if (chosen) chosen.textContent = String(boxes.filter((box) => box.checked).length);
}

for (const box of boxes) box.addEventListener("change", count);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("textarea, input:not([type=checkbox])")) return;
  if (event.key === "j") go(1);
  else if (event.key === "k") go(-1);
  else if (event.key === "x" && at >= 0) boxes[at].click();
  else if (event.key === "a") document.getElementById("count")?.focus();
  else return;
  event.preventDefault();
});
count();
