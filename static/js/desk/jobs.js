/** While the worker process is at something, look again for how far it is; what a person is typing stays as it is. */
const EVERY = 3000; // ms

const region = document.querySelector("[data-jobs]");

async function look() {
  const answer = await fetch(location.href).catch(() => null); // away: it is asked again
  const found = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-jobs]");
  if (found && found.innerHTML !== region.innerHTML) {
    region.dataset.jobs = found.dataset.jobs;
    region.replaceChildren(...found.childNodes);
  }
  lookLater();
}

function lookLater() {
  if (region.dataset.jobs) setTimeout(look, EVERY);
}

lookLater();
