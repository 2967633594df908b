/**
 * What is asked once more before it is done: leaving, and reporting a problem. Native dialogs give the focus back.
 */

import { gettext } from "./gettext.js";

const $ = (id) => document.getElementById(id);

function chosen(dialog, name) {
  return dialog.querySelector(`input[name=${name}]:checked`);
}

function untick(dialog) {
  for (const input of dialog.querySelectorAll("input:checked")) input.checked = false;
}

/** Wire the leave button; `onLeave(reason)` gets an empty reason when none is given. */
export function askBeforeLeaving(onLeave) {
  const dialog = $("leave-dialog");
  $("leave").addEventListener("click", () => {
    untick(dialog);
    dialog.returnValue = "";
    dialog.showModal();
    dialog.querySelector("[value=stay]").focus(); // asked for by the page itself, it is refused in a frame
  });
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "leave") onLeave(chosen(dialog, "reason")?.value ?? "");
  });
}

/** The report dialog: what is the problem, then what follows from reporting it. */
export class ReportDialog {
  /** @param onReport(about, reason): about is "partner" or "video". */
  constructor(onReport) {
    this.dialog = $("report-dialog");
    this.onReport = onReport;
    $("report").addEventListener("click", () => this.open());
    $("leave-report").addEventListener("click", () => {
      $("leave-dialog").close();
      this.open();
    });
    $("report-next").addEventListener("click", () => this.#goOn());
    $("report-back").addEventListener("click", () => this.#back());
    $("report-send").addEventListener("click", () => this.#send());
    this.dialog.addEventListener("change", () => this.#miss(false));
    this.dialog.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault(); // Enter goes on; it never reports
      if (!this.isSure) this.#goOn();
    });
  }

  /** Open it, with a reason chosen when the page knows it. */
  open(reason = "") {
    untick(this.dialog);
    const known = reason && this.#visible().find((input) => input.value === reason);
    if (known) known.checked = true;
    this.#step(false);
    this.dialog.showModal();
  }

  close() {
    this.dialog.close();
  }

  /** A role's own words stand beside the other's, hidden; only what is seen can be chosen. */
  #visible() {
    const { role } = $("room").dataset;
    return [...this.dialog.querySelectorAll("input")].filter((input) => {
      const { classList } = input.closest("label");
      return !classList.contains(role === "questioner" ? "only-answerer" : "only-questioner");
    });
  }

  #goOn() {
    const input = chosen(this.dialog, "report");
    this.#miss(!input);
    if (!input) return;
    const about = input.closest("fieldset").dataset.about;
    const what = { what: input.parentElement.textContent.trim() };
    const isVideo = about === "video" && $("room").dataset.role === "answerer";
    $("report-said").textContent = isVideo
      ? gettext("The video: it {what}.", what)
      : about === "video"
        ? gettext("The pictures: they {what}.", what)
        : gettext("Your partner: they {what}.", what);
    this.#step(true);
    $("report-back").focus();
  }

  #back() {
    if (this.isSure) this.#step(false);
    else this.close();
  }

  #send() {
    const input = chosen(this.dialog, "report");
    this.close();
    if (input) this.onReport(input.closest("fieldset").dataset.about, input.value);
  }

  #step(isSure) {
    this.isSure = isSure;
    this.dialog.querySelector(".report-what").hidden = isSure;
    this.dialog.querySelector(".report-sure").hidden = !isSure;
    $("report-next").hidden = isSure;
    $("report-send").hidden = !isSure;
    $("report-back").textContent = isSure ? gettext("Back") : gettext("Cancel");
    this.#miss(false);
  }

  #miss(isMissing) {
    $("report-missing").hidden = !isMissing;
  }
}
