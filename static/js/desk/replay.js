/**
 * Moves through a replay: the page holds everything with its times, and here what is not so at the chosen second is
 * hidden. Without this module the page shows all of it, and the table says when.
 */

const root = document.getElementById("replay");
const slider = document.getElementById("replay-slider");
const clock = document.getElementById("replay-clock");
const play = document.getElementById("replay-play");
const video = root.querySelector("video");
const timed = Array.from(root.querySelectorAll("[data-from]"));
const moments = Array.from(root.querySelectorAll("[data-moment]"));
const lines = Array.from(root.querySelectorAll(".replay-now"));
const total = Number(root.dataset.seconds);
const DRIFT = 0.5; // seconds that the video may be beside its place while it plays
let now = 0;
let drawnAt = null; // when the last frame was drawn, while it plays

/** @returns {string} seconds as 3:07, or 1:00:00 */
function inMinutes(seconds) {
  const whole = Math.floor(seconds);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

const speed = () => Number(root.querySelector("[name=speed]:checked").value);
const isPlaying = () => drawnAt !== null;
const at = (moment) => Math.min(total, Math.max(0, Number(moment.dataset.moment)));

/** Go to a second of the time line. */
function go(second) {
  now = Math.min(total, Math.max(0, second));
  slider.value = String(now);
  clock.textContent = `${inMinutes(now)} of ${inMinutes(total)}`;
  for (const each of timed) {
    const to = Number(each.dataset.to ?? Infinity);
    each.hidden = now < Number(each.dataset.from) || (now >= to && to < total);
  }
  for (const each of root.querySelectorAll("[data-else]")) {
    each.hidden = Array.from(each.parentElement.querySelectorAll("[data-from]")).some((other) => !other.hidden);
  }
  for (const each of lines) for (const end of ["x1", "x2"]) each.setAttribute(end, String(now));
  const last = moments.findLast((moment) => at(moment) <= now + 0.05);
  for (const each of moments) each.classList.toggle("is-now", each === last);
  slider.setAttribute("aria-valuetext", `${inMinutes(now)}${last ? `: ${last.querySelector("strong").textContent}` : ""}`);
  for (const said of root.querySelectorAll(".replay-said")) said.scrollTop = said.scrollHeight;
  placeVideo();
}

/** Put the video where it would have stood: it had just played to its end when it counted as watched. */
function placeVideo() {
  if (!video) return;
  const length = Number(video.dataset.length);
  const back = video.dataset.watched === undefined ? length : Number(video.dataset.watched) - now;
  const place = video.dataset.watched === undefined ? 0 : Math.min(length, Math.max(0, length - back));
  const moves = isPlaying() && back > 0 && back < length;
  video.classList.toggle("is-unknown", !(back >= 0 && back < length));
  if (moves) video.playbackRate = speed();
  if (!moves || Math.abs(video.currentTime - place) > DRIFT * speed()) seek(place);
  if (moves && video.paused) video.play().catch(() => {}); // not loaded yet: the next frame tries again
  else if (!moves && !video.paused) video.pause();
}

function seek(place) {
  if (Math.abs(video.currentTime - place) > 0.01) video.currentTime = place;
}

function setPlaying(plays) {
  drawnAt = plays ? performance.now() : null;
  play.textContent = plays ? "Pause" : "Play";
  play.setAttribute("aria-pressed", String(plays));
  if (plays) requestAnimationFrame(draw);
  else placeVideo();
}

function toggle() {
  if (!isPlaying() && now >= total) go(0);
  setPlaying(!isPlaying());
}

function draw(time) {
  if (!isPlaying()) return;
  const passed = Math.max(0, time - drawnAt) / 1000;
  drawnAt = time;
  go(now + passed * speed());
  if (now >= total) setPlaying(false);
  else requestAnimationFrame(draw);
}

for (const each of moments) {
  const label = each.querySelector(".replay-at");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "replay-go";
  button.textContent = label.textContent;
  button.setAttribute("aria-label", `Go to ${label.textContent}, ${each.querySelector("strong").textContent}`);
  button.addEventListener("click", () => {
    go(at(each));
    root.scrollIntoView();
  });
  label.replaceWith(button);
}
for (const each of root.querySelectorAll(".replay-lanes svg")) {
  each.addEventListener("click", (event) => {
    const box = each.getBoundingClientRect();
    go(((event.clientX - box.left) / box.width) * total);
  });
}
slider.addEventListener("input", () => go(Number(slider.value)));
slider.addEventListener("keydown", (event) => {
  if (event.key !== " ") return;
  toggle();
  event.preventDefault();
});
play.addEventListener("click", toggle);
document.getElementById("replay-before").addEventListener("click", () => go(at(moments.findLast((each) => at(each) < now - 0.05) ?? moments[0])));
document.getElementById("replay-next").addEventListener("click", () => go(at(moments.find((each) => at(each) > now + 0.05) ?? moments.at(-1))));
root.classList.add("is-played");
if (video) video.controls = false; // the time line moves it
const named = root.dataset.at && document.getElementById(root.dataset.at);
go(named ? at(named) : 0);
// The address leads to the row of the table, for who has no scripts; here the second is shown.
if (named) {
  history.replaceState(null, "", location.pathname + location.search);
  addEventListener("load", () => root.scrollIntoView());
}
