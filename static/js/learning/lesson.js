/** What every page of a lesson does: the way back for the invitation, and Enter that sends. Works without it, too. */

import { rememberWayBack } from "../way_back.js";

const { dataset } = document.getElementById("lesson");
if (dataset.slug) rememberWayBack(dataset);

const text = document.getElementById("text");
text?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  text.form.requestSubmit();
});

// A refused text is mended where it stands.
if (document.getElementById("advice")) text.focus();

for (const form of document.forms) {
  form.addEventListener("submit", () => form.querySelector("[type=submit]").setAttribute("aria-disabled", "true"));
}
