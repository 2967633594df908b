/**
 * The Questioner's frames, three or the middle one alone, and one of them large: arrows go on, Escape closes.
 */

import { gettext } from "./gettext.js";

const NAMES = { 1: [gettext("Middle")], 3: [gettext("Beginning"), gettext("Middle"), gettext("End")] };

export class Frames {
  constructor(list, viewer) {
    this.list = list;
    this.viewer = viewer;
    this.image = viewer.querySelector("img");
    this.name = viewer.querySelector(".viewer-name");
    this.links = [];
    viewer.querySelector("[data-step='-1']").addEventListener("click", () => this.#step(-1));
    viewer.querySelector("[data-step='1']").addEventListener("click", () => this.#step(1));
    viewer.querySelector(".viewer-close").addEventListener("click", () => viewer.close());
    viewer.addEventListener("click", (event) => event.target === viewer && viewer.close());
    viewer.addEventListener("keydown", (event) => {
      const [back, on] = document.dir === "rtl" ? ["ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight"];
      if (event.key === back) this.#step(-1);
      if (event.key === on) this.#step(1);
    });
  }

  /** Show these links; the images stay where they are when nothing has changed. */
  show(links) {
    if (this.links.join() === links.join()) return;
    this.links = links;
    this.names = NAMES[links.length];
    for (const button of this.viewer.querySelectorAll("[data-step]")) button.hidden = links.length === 1;
    this.list.replaceChildren(...links.map((link, index) => this.#item(link, index)));
  }

  #item(link, index) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "frame";
    const image = document.createElement("img");
    image.src = link;
    image.alt = gettext("{part} of the video", { part: this.names[index] });
    const name = document.createElement("span");
    name.className = "frame-name";
    name.textContent = this.names[index];
    const loads = document.createElement("span");
    loads.className = "frame-loads";
    loads.textContent = gettext("Loading …");
    image.addEventListener("load", () => loads.remove());
    button.append(image, name, loads);
    button.setAttribute("aria-label", gettext("{part} of the video: see it large", { part: this.names[index] }));
    button.addEventListener("click", () => this.#open(index));
    image.addEventListener("error", () => this.#again(image, link), { once: true });
    item.append(button);
    return item;
  }

  /** A frame that did not load is asked for once more. */
  #again(image, link) {
    setTimeout(() => {
      image.src = `${link}?again`;
    }, 2000);
  }

  #open(index) {
    this.#turnTo(index);
    this.viewer.showModal();
  }

  #step(by) {
    this.#turnTo((this.index + by + this.links.length) % this.links.length);
  }

  #turnTo(index) {
    this.index = index;
    this.image.src = this.links[index];
    this.image.alt = gettext("{part} of the video", { part: this.names[index] });
    const many = this.links.length > 1;
    const place = { part: this.names[index], number: index + 1, all: this.links.length };
    this.name.textContent = many ? gettext("{part} ({number} of {all})", place) : this.names[index];
  }
}
