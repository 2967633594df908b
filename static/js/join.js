/** The invitation: offer the way back to who has started already. Storage may be absent or refused. */

const page = document.getElementById("join");
const link = document.getElementById("resume");

function startedAt() {
  try {
    return localStorage.getItem(`collector.join.${page.dataset.slug}.${page.dataset.participant}`);
  } catch {
    return null;
  }
}

const path = startedAt();
if (path && /^\/w\/[^/]+\/$/.test(path)) {
  link.querySelector("a").href = path;
  link.hidden = false;
}
