/**
 * Practising again while one waits: a page of its own in the waiting room, closed when the wait is over.
 */

import { gettext } from "./gettext.js";

export class Practice {
  /** @param button opens and closes it, @param section holds it; both null where the study has none. */
  constructor(button, section) {
    this.button = button;
    this.section = section;
    this.frame = section?.querySelector("iframe");
    button?.addEventListener("click", () => (section.hidden ? this.#open() : this.close()));
  }

  close() {
    if (!this.frame || this.section.hidden) return;
    this.frame.removeAttribute("src"); // what plays in it stops
    this.frame.blur(); // else what is typed on would go nowhere
    this.#show(false);
  }

  #open() {
    this.frame.src = this.frame.dataset.src;
    this.#show(true);
    this.section.scrollIntoView({ block: "nearest" }); // on a phone it stands below
  }

  #show(isOpen) {
    this.section.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
    this.button.textContent = isOpen ? gettext("Close the practice") : gettext("Practise again while you wait");
  }
}
