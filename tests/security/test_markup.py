"""Markup that somebody writes anywhere is shown as they typed it, and is markup nowhere."""

import re
from html import unescape
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from chat.models import Seat
from collector.accounts import log
from collector.accounts.roles import Deed, Role
from collector.lib import markdown, tokens
from collector.studies.admission import token_of
from collector.studies.models import Participation
from tests import factories
from tests.accounts.test_roles import PAGES, _alone, address, admin_pages, client_of, world
from tests.security import planting

pytestmark = pytest.mark.django_db
__all__ = ["_alone", "world"]  # fixtures
SHOWN = {
    "Utterance.text", "Script.text", "Letter.text", "Feedback.line", "Note.text", "Message.text", "Message.subject",
    "Study.name", "Study.title", "Study.instructions", "Study.purpose", "Collection.name", "Report.note",
    "DialogTakenOut.reason", "LedgerEntry.why", "Recruitment.title", "Recruitment.description", "Release.name",
    "LogLine.what", "LogLine.said", "Study.risks", "Study.institution", "Study.pay_note", "Study.content_warning",
    "Study.researcher", "version.title", "version.researcher",
}  # fmt: skip
"""What some page must show, or this test looks at nothing."""


def workers_pages(world: dict[str, Any]) -> list[str]:
    """Return a page of every kind that a worker reads."""
    ended = Seat.objects.filter(dialog=world["dialog"]).first()
    begun = factories.participation(world["study"])
    watching = Participation.objects.filter(study=world["alone"]).first()
    assert ended
    assert watching
    return [
        "/join/kitchen/", "/join/alone/", "/join/judges/", f"/w/{token_of(ended.participation)}/finish/",
        f"/w/{token_of(begun)}/", f"/w/{token_of(begun)}/learn/", f"/w/{token_of(watching)}/watch/",
        f"/w/{token_of(watching)}/watch/example", f"/w/{token_of(factories.participation(world['judging']))}/judge/",
        f"/mine/{tokens.mint_for_worker(world['worker'].pk)}/",
    ]  # fmt: skip


def test_no_page_takes_for_markup_what_somebody_wrote(world: dict[str, Any]) -> None:
    client = client_of(Role.OWNER)
    addresses = [address(name, world) for name in PAGES] + workers_pages(world)
    planting.add("Feedback", "Note", "Message", "Report", "DialogTakenOut", "Release", "Summary")
    log.write_command("test", Deed.NOTE, "x", said="x")
    planted = planting.plant()
    seen: set[str] = set()
    for each in [*addresses, *admin_pages()]:
        answer = client.get(each)
        if answer.streaming or "html" not in answer.get("Content-Type", ""):
            continue
        page = answer.content.decode()
        assert answer.status_code < 500, each
        assert planting.Found(page).broken == set(), each
        seen |= {planted[int(number)] for number in re.findall(r"<x-(\d+)>", unescape(page))}
    assert seen >= SHOWN, SHOWN - seen


@pytest.mark.parametrize(
    "text",
    [
        "<script>planted()</script>", "<img src=x onerror=planted()>", "[a](javascript:planted())",
        "[a](JaVaScRiPt:planted())", "![a](javascript:planted())", "<javascript:planted()>",
        "[a](data:text/html;base64,PHNjcmlwdD4=)", '[a](https://example.org "\\"onmouseover=planted()")',
        "[a]: javascript:planted()\n\n[a]", "`<script>`<x-1>", "<a href=&#106;avascript:planted()>a</a>",
        "<style>@import 'x'</style>", "<iframe srcdoc=x></iframe>", "<form action=//example.org><input name=password>",
        "<svg><a xlink:href=javascript:planted()>a</a></svg>", "<math href=javascript:planted()>a</math>",
    ],
)  # fmt: skip
def test_a_researchers_markdown_runs_nothing(text: str) -> None:
    page = str(markdown.render(text))
    found = planting.Found(page)
    assert found.broken == set(), page
    assert found.tags <= {"p", "a", "code", "img", "ul", "ol", "li", "em", "strong"}, page
    assert not [name for name in found.attributes if name.startswith("on") or name == "style"], page
    assert "data:" not in re.sub(r">[^<]*<", "><", page), page


@pytest.mark.parametrize("address", ["javascript:planted()", "data:text/html,x", "//example.org", "vbscript:x"])
def test_where_workers_go_at_the_end_is_a_page(address: str) -> None:
    study = factories.study()
    study.completion_url = address
    with pytest.raises(ValidationError, match="completion_url"):
        study.full_clean()
