"""What comes of a text that somebody writes to practise? Advice with the text as a draft, or the round it makes.

Nothing is stored here: a lesson keeps its round until the practice is over, who practises again keeps it in the page.
"""

from typing import Any

from chat import rules
from chat.protocol import Limits
from chat.rules import Action, Refusal
from chat.waiting_room import limits_of
from chat.wording import sentence_of
from collector.catalogue import scenes
from collector.catalogue.models import Video
from collector.learning import partner, practising


def asked(content: dict[str, Any], video: Video | None, raw: str, tries: int) -> dict[str, str]:
    """Return ``question`` and ``reply``, or ``draft`` and ``advice``; ``tries`` counts this one."""
    text, advice = _looked_at("ask", raw, content)
    if not advice and tries <= practising.MOST_ADVICE:
        advice = practising.about_question(text)
    if advice:
        return {"draft": text, "advice": advice}
    return {"question": text, "reply": partner.reply(_scene(video), text)}


def answered(content: dict[str, Any], video: Video | None, raw: str, tries: int) -> dict[str, str]:
    """Return ``answer`` and what the program would have said, ``better``; or ``draft`` and ``advice``."""
    text, advice = _looked_at("answer", raw, content)
    if tries <= practising.MOST_ADVICE:
        advice = practising.about_answer(text) or advice
    if advice:
        return {"draft": text, "advice": advice}
    return {"answer": text, "better": partner.first(_scene(video))}


def script(video: Video) -> str:
    """Return what happens in the video of a practice, in the language that is active."""
    return partner.script(_scene(video))


def _scene(video: Video | None) -> scenes.Scene:
    return scenes.from_json(video.scene if video else None)


def _looked_at(action: Action, raw: str, content: dict[str, Any]) -> tuple[str, str]:
    """Return the text as it would be stored in a dialog, and what its rules refuse it for, if they do."""
    limits = Limits(**limits_of(content))
    try:
        return rules.check_text(action, raw, limits), ""
    except Refusal as refusal:
        is_storable = refusal.code != rules.Code.UNSTORABLE
        return raw[: limits.longest_text] if is_storable else "", sentence_of(refusal)
