/** While somebody looks, the changing part of a page is asked for again; a part that is the same stays untouched. */
const EVERY = 5000; // ms

const region = document.querySelector("[data-now]");
const news = document.getElementById("news");
const stale = document.getElementById("stale");
let asking = false;

/** Put what is new in its place; whoever stands on a link in it stays there. */
function put(part, fresh) {
  const here = part.contains(document.activeElement) ? document.activeElement.id : "";
  part.replaceChildren(...fresh.childNodes);
  if (here) document.getElementById(here)?.focus({ preventScroll: true });
}

function show(found) {
  const said = [];
  for (const part of region.querySelectorAll("[data-part]")) {
    const fresh = found.querySelector(`[data-part="${part.dataset.part}"]`);
    if (!fresh) continue;
    if (fresh.dataset.news !== part.dataset.news) said.push(fresh.dataset.news);
    part.dataset.news = fresh.dataset.news ?? "";
    if (fresh.innerHTML !== part.innerHTML) put(part, fresh);
  }
  if (said.length) news.textContent = said.join(" ");
}

async function look() {
  if (document.hidden || asking) return;
  asking = true;
  const answer = await fetch(region.dataset.now).catch(() => null); // away: it is asked again
  const isThere = answer?.ok && !answer.redirected; // logged out, it leads elsewhere
  if (isThere) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  stale.hidden = Boolean(isThere);
  asking = false;
}

setInterval(look, EVERY);
document.addEventListener("visibilitychange", look);
