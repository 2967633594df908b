/**
 * A watcher's page: the video, then the summary.
 */

import { Composer } from "../chat/composer.js";
import { gettext } from "../chat/gettext.js";
import { newKey } from "../chat/outbox.js";
import { Visit } from "./visit.js";

const $ = (id) => document.getElementById(id);
const opening = JSON.parse($("opening").textContent);

const visit = new Visit(opening, "summarise", {
  words: {
    kept: gettext("No answer from us just now. What you wrote is kept; this page tries again by itself."),
    sending: gettext("Sending your summary …"),
    work: gettext("Write your summary. You can play the video again."),
    watch: gettext("Watch the video to its end, with sound"),
  },
  render() {
    const mayWrite = visit.isWatched && !visit.isSending;
    composer.set("summary", opening.limits, {
      mayType: mayWrite,
      maySend: mayWrite,
      why: visit.isSending ? gettext("Your summary is being sent.") : gettext("You can write here when the video has played to its end."),
      keepsEvidence: opening.evidence,
      turnFrom: visit.workFrom,
    });
  },
  refused(frame, { code, sentence }) {
    if (frame.type === "summarise") composer.refuse(sentence, code, frame.text);
    else if (frame.type !== "draft") composer.refuse(sentence, code);
  },
});

const composer = new Composer($("composer"), {
  onSend(kind, text, evidence) {
    visit.finish({ type: "summarise", key: newKey(), text, typed_at: Date.now() / 1000, evidence });
  },
  onTyping() {},
});
/** The composer keeps its draft with the visit. */
composer.useStore({
  get: (name, fallback) => (name === "draft" ? visit.unsent?.text ?? opening.draft : visit.kept.get(name, fallback)),
  set: (name, value) => (name === "draft" ? visit.draft({ type: "draft", text: value }) : visit.kept.set(name, value)),
});

visit.start();
