/** The last page: copy the code, and forget the personal link of a participation that is over. */

import { gettext } from "./chat/gettext.js";

const copy = document.getElementById("copy");
if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const told = document.getElementById("copied");
    try {
      await navigator.clipboard.writeText(document.getElementById("code").textContent);
      told.textContent = gettext("Copied. Give it where you found the task.");
    } catch {
      told.textContent = gettext("Your browser does not allow copying: mark the code and copy it yourself.");
    }
  });
}

try {
  const room = location.pathname.replace(/finish\/$/, "");
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith("collector.join.") && localStorage.getItem(name) === room) localStorage.removeItem(name);
  }
} catch {
  // Storage is refused: nothing was remembered either.
}
