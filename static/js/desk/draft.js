/** While a form is typed, show beside it what it would mean for workers. The server renders it, and stores nothing. */
const PAUSE = 400; // ms without a key before it is asked

const region = document.querySelector("[data-draft]");
const form = region.closest("form");
const panel = region.querySelector(".draft-panel");
const frame = panel?.querySelector("iframe");
const stale = region.querySelector(".draft-stale");
let pages = [];
let chosen = 0;
let later = 0;
let asked = new AbortController();

/** What is typed, without the rows of other tables: they may be thousands, and nothing here shows them. */
function typed() {
  const fields = [...new FormData(form)].filter(([name, value]) => typeof value === "string" && !/-\d+-|__prefix__/.test(name));
  return new URLSearchParams(fields);
}

async function look() {
  asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  const answer = await fetch(region.dataset.draft, { method: "POST", body: typed(), signal }).catch(() => null);
  if (signal.aborted) return; // something newer was typed
  const isThere = answer?.ok && !answer.redirected; // logged out, it leads elsewhere
  if (isThere) show(await answer.json());
  stale.hidden = Boolean(isThere);
}

function show(found) {
  const parts = new DOMParser().parseFromString(found.parts, "text/html");
  for (const place of region.querySelectorAll("[data-place]")) {
    const fresh = parts.querySelector(`[data-part="${place.dataset.place}"]`);
    if (fresh && fresh.innerHTML !== place.innerHTML) place.replaceChildren(...fresh.childNodes);
  }
  if (!frame) return;
  const before = pages[chosen]?.title;
  ({ pages } = found);
  chosen = Math.max(0, pages.findIndex((page) => page.title === before));
  showViews();
  showPage();
  panel.hidden = false;
}

function showViews() {
  const views = panel.querySelector(".draft-views");
  if ([...views.children].map((view) => view.textContent).join() !== pages.map((page) => page.title).join()) {
    views.replaceChildren(...pages.map(({ title }) => Object.assign(document.createElement("button"), { type: "button", textContent: title })));
  }
  for (const [index, view] of [...views.children].entries()) view.setAttribute("aria-pressed", String(index === chosen));
}

/** Put a page into the frame where it differs, so that its reader stays where they are. Nothing of it runs or loads. */
function showPage() {
  const page = new DOMParser().parseFromString(pages[chosen].html, "text/html");
  for (const each of page.querySelectorAll("script, noscript, link[rel=modulepreload]")) each.remove();
  for (const each of page.querySelectorAll("video[src], img[src]")) each.removeAttribute("src");
  page.querySelector("#frames:empty")?.append(Object.assign(page.createElement("li"), { textContent: "Here they see frames of the video." }));
  const inside = frame.contentDocument;
  if (inside.head.innerHTML !== page.head.innerHTML) inside.head.replaceChildren(...page.head.childNodes);
  for (const { name, value } of page.documentElement.attributes) inside.documentElement.setAttribute(name, value);
  if (inside.body.outerHTML === page.body.outerHTML) return;
  const at = inside.scrollingElement?.scrollTop ?? 0;
  inside.body.replaceWith(page.body);
  if (inside.scrollingElement) inside.scrollingElement.scrollTop = at;
}

function choose(index) {
  if (index < 0 || index === chosen) return;
  chosen = index;
  showViews();
  showPage();
  frame.contentDocument.scrollingElement?.scrollTo(0, 0);
}

function enlarge(isLarge) {
  panel.classList.toggle("draft-panel--large", isLarge);
  panel.querySelector(".draft-large").setAttribute("aria-pressed", String(isLarge));
}

for (const kind of ["input", "change"]) {
  form.addEventListener(kind, () => {
    clearTimeout(later);
    later = setTimeout(look, PAUSE);
  });
}
form.addEventListener("focusin", ({ target }) => choose(pages.findIndex((page) => page.fields.includes(target.name))));
panel?.addEventListener("click", ({ target }) => {
  if (target.closest(".draft-views button")) choose(pages.findIndex((page) => page.title === target.textContent));
  if (target.closest(".draft-large")) enlarge(!panel.classList.contains("draft-panel--large"));
});
document.addEventListener("keydown", ({ key }) => key === "Escape" && panel && enlarge(false));
look();
