// What moves on the market's pages: the time left of a task, and the way on after a task was submitted.

function words(seconds) {
  const left = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(left / 3600);
  const minutes = String(Math.floor(left / 60) % 60).padStart(hours ? 2 : 1, "0");
  const rest = String(left % 60).padStart(2, "0");
  return hours ? `${hours}:${minutes}:${rest}` : `${minutes}:${rest}`;
}

function countDown(element) {
  const end = performance.now() + Number(element.dataset.secondsLeft) * 1000;
  const show = () => {
    const left = (end - performance.now()) / 1000;
    element.textContent = left > 0 ? words(left) : "time is up";
    element.classList.toggle("warn", left < 60);
    if (left <= 0) clearInterval(timer);
  };
  const timer = setInterval(show, 1000);
  show();
}

document.querySelectorAll("[data-seconds-left]").forEach(countDown);

// The page that answers a submission stands in the task's frame. It only says that it is there: this page then asks
// the market again what became of the task, so a message that is not true does nothing.
const frame = document.querySelector("[data-task]");
if (frame) {
  addEventListener("message", (event) => {
    if (event.source === frame.contentWindow && event.data === "localmarket:submitted") location.reload();
  });
}
if (document.querySelector("[data-submitted]") && parent !== window) parent.postMessage("localmarket:submitted", "*");
