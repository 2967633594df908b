/** What every page of a lesson does: the way back for the invitation, and Enter that sends. Works without it, too. */

const { room, slug, participant } = document.getElementById("lesson").dataset;
try {
  const name = participant.startsWith("anon-") ? "" : participant;
  localStorage.setItem(`collector.join.${slug}.${name}`, room);
} catch {
  // Storage is refused: the personal link on the page does the same.
}

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
