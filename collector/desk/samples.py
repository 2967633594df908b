"""What would workers of a study see, as it is typed now? Their own templates, with nobody behind them."""

from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from msgspec import to_builtins

from chat.protocol import Move, RoleName, Snapshot
from collector.learning import quizzing
from collector.learning.models import Lesson, Step
from collector.lib import languages
from collector.studies import promises, quizzes, versions
from collector.studies.fieldsets import CONSENT_FIELDS
from collector.studies.models import Kind, Study
from collector.studies.pages import texts

TOKEN = "preview"  # noqa: S105 - in the place of a token, and valid nowhere
"""Stands in the addresses of a page that nobody opens."""


@dataclass(frozen=True)
class Page:
    """One page of workers: what the researcher calls it, and the fields of the form that are best read on it."""

    title: str
    template: str
    fields: list[str]
    more: dict[str, Any] = field(default_factory=dict)


def pages(request: HttpRequest, draft: Study) -> list[dict[str, Any]]:
    """Return the pages of an unsaved study as documents, in its language and the order in which workers meet them."""
    with languages.speaking(draft.language):
        return _pages(request, draft)


def _pages(request: HttpRequest, draft: Study) -> list[dict[str, Any]]:
    version = versions.preview(draft)
    content = version.content
    context = {"study": draft, "version": texts(version), "token": TOKEN, "hidden": {}, "personal_url": "", "parts": []}
    shown = [
        Page("Before accepting", "hits/preview.html", ["title", "instructions", "content_warning"]),
        Page("Invitation", "hits/join.html", CONSENT_FIELDS),
        *([_quiz(content)] if content["quiz"] else []),
        *(_rooms(content) if draft.kind == Kind.DIALOG else [_alone(draft)]),
    ]
    return [
        {
            "title": page.title,
            "fields": page.fields,
            "html": render_to_string(page.template, context | page.more, request),
        }
        for page in shown
    ]


def _quiz(content: dict[str, Any]) -> Page:
    items = quizzes.parse(content["quiz"])
    more = {
        "lesson": Lesson(step=Step.QUIZ),
        "number": 1,
        "questions": [(each, False, None) for each in quizzing.shown(items, TOKEN)],
        "asked": len(items),
        "needed": quizzes.needed(items, content["quiz_least_right"]),
        "tries_left": content["quiz_tries"],
        "screening_pay": promises.screening_pay(content),
    }
    return Page("Quiz", "learning/quiz.html", ["quiz", "quiz_least_right", "quiz_tries"], more)


def _rooms(content: dict[str, Any]) -> list[Page]:
    """Return the room as each role finds it at the beginning, and as it is when the summary is due."""
    return [
        _room("Questioner", "questioner_instructions", content, "questioner", "ask", 1),
        _room("Answerer", "answerer_instructions", content, "answerer", "watch", 1),
        _room("Summary", "summary_instructions", content, "questioner", "summarise", content["rounds"]),
    ]


def _room(title: str, name: str, content: dict[str, Any], role: RoleName, move: Move, at: int) -> Page:
    rounds, pays = content["rounds"], promises.pays(content)
    seen = Snapshot(0, 0, "dialog", move, role, round=at, rounds=rounds, partner_here=True, pays=pays)
    return Page(title, "chat/room.html", [name], {"snapshot": to_builtins(seen)})


def _alone(draft: Study) -> Page:
    """Return what who works alone reads before the video comes."""
    script = getattr(draft.example, "script", None)
    begin = "begin-watching" if draft.kind == Kind.SUMMARY else "begin-judging"
    more = {"example": draft.example, "script": script.text if script else "", "begin": begin}
    return Page("Task", "summaries/example.html", ["summary_instructions", "example"], more)
