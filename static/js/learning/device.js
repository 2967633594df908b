/** Does this device fit? Looks at the connection, the window and the clip by itself; the worker counts the beeps. */

import { gettext } from "../chat/gettext.js";

const PATIENCE = 5_000;
const form = document.getElementById("heard");
const clip = document.getElementById("clip");

function say(check, isGood, words) {
  const item = document.getElementById(`check-${check}`);
  item.dataset.state = isGood ? "good" : "bad";
  item.querySelector("[role=status]").textContent = words;
}

/** A socket that opens is all that is asked; where it is blocked the chat polls, so that this refuses nobody. */
function checkSocket() {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/chat/`);
  const done = (isOpen) => {
    clearTimeout(timer);
    if (form.elements.socket.value) return;
    form.elements.socket.value = isOpen ? "yes" : "no";
    say("socket", true, isOpen ? gettext("works") : gettext("your network blocks the quick way; the slower one works and is used"));
    socket.close();
  };
  const timer = setTimeout(() => done(false), PATIENCE);
  socket.addEventListener("open", () => done(true));
  socket.addEventListener("error", () => done(false));
}

function checkScreen() {
  form.elements.width.value = innerWidth;
  form.elements.height.value = innerHeight;
  const { leastWidth, leastHeight } = form.dataset;
  const isGood = innerWidth >= leastWidth && innerHeight >= leastHeight;
  say("screen", isGood, isGood ? gettext("fits") : gettext("{width} by {height} pixels, at least {leastWidth} by {leastHeight} are needed", { width: innerWidth, height: innerHeight, leastWidth, leastHeight }));
}

function played() {
  if (clip.error || !clip.videoWidth) return;
  form.elements.played.value = "yes";
  say("video", true, gettext("plays"));
}

if (form) {
  checkSocket();
  checkScreen();
  addEventListener("resize", checkScreen);
  clip.addEventListener("ended", played);
  clip.addEventListener("error", () => say("video", false, gettext("it does not load. Reload the page, or use another browser.")));
}
