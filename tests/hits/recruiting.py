"""A study that recruits on the running local marketplace, and workers who come through its frame."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.test import Client

from chat import waiting_room
from collector.lib import clock
from collector.studies.models import Participation, Study
from hits import launching, lifecycle
from hits.marketplace.mturk import MTurk
from hits.models import Environment, Recruitment
from tests.chat import scene
from tests.localmarket.market import AMBER, FERN, LocalMarket


def study(**fields: Any) -> Study:
    """Make a study that pays."""
    money = {"reward": Decimal("2.40"), "summary_bonus": Decimal("0.80"), "ending_pay": Decimal("0.50"), "minutes": 8}
    return scene.study(videos=6, slug="lab", rounds=1, **money | fields)


def recruitment(study: Study, **fields: Any) -> Recruitment:
    """Make a recruitment with the paper's qualifications."""
    defaults = {
        "title": "Talk about a video", "description": "Ask or answer.", "dialogs_wanted": 5, "budget": Decimal(200),
        "open_at_once": 2, "created_at": clock.now(), "environment": Environment.LOCAL,
    }  # fmt: skip
    return Recruitment.objects.create(study=study, **defaults | fields)


def adapter(market: LocalMarket) -> MTurk:
    """Return the adapter that speaks to the running marketplace."""
    return MTurk(Environment.LOCAL, market.url, "LOCALKEY", "local secret")


def launch(market: LocalMarket, **fields: Any) -> tuple[Recruitment, MTurk]:
    """Make a study, and launch it."""
    settings.LOCALMARKET_URL = market.url
    made, speaks = recruitment(fields.pop("study", None) or study(), **fields), adapter(market)
    launching.launch(made, speaks)
    return made, speaks


@dataclass
class Visitor:
    """A worker of the marketplace who has accepted a HIT and opened our page in its frame."""

    market: LocalMarket
    worker_id: str
    hit_id: str
    assignment_id: str
    client: Client
    participation: Participation

    def finish_page(self) -> dict[str, Any]:
        """Return the form of the last page."""
        from collector.studies.admission import token_of

        page = self.client.get(f"/w/{token_of(self.participation)}/finish/")
        assert page.status_code == 200
        return dict(page.context["form"])

    def submit(self) -> None:
        """Submit as the form on the last page does."""
        fields = self.finish_page()["fields"]
        assignment_id = fields.pop("assignmentId")
        self.market.robot(self.worker_id).submit(assignment_id, **fields)


def visit(market: LocalMarket, recruitment: Recruitment, worker_id: str) -> Visitor:
    """Let a worker accept an open HIT, open its frame and confirm consent."""
    taken = {each.hit_id for each in VISITORS}
    hit = next(h for h in lifecycle.open_hits(recruitment).order_by("pk") if h.external_id not in taken)
    assignment_id = market.robot(worker_id).accept(hit.external_id)
    client = Client()
    address = f"/task/{recruitment.study.slug}/local/"
    entry = {"assignmentId": assignment_id, "hitId": hit.external_id, "workerId": worker_id}
    assert client.get(address, entry).status_code == 200
    answer = client.post(address, entry | {"consent": "yes"})
    assert answer.status_code == 302, answer.content
    participation = Participation.objects.get(worker__external_id=worker_id, ended_at=None)
    made = Visitor(market, worker_id, hit.external_id, assignment_id, client, participation)
    VISITORS.append(made)
    return made


VISITORS: list[Visitor] = []


def talk(recruitment: Recruitment, *visitors: Visitor) -> scene.Pair:
    """Let two visitors meet and finish a dialog."""
    for visitor in visitors:
        scene.arrive(visitor.participation)
    pair = scene.Pair.__new__(scene.Pair)
    (pair.dialog,) = waiting_room.pair_waiting(recruitment.study_id)
    pair.questioner, pair.answerer = pair.dialog.seats.order_by("-role")
    pair.rounds(pair.dialog.rounds)
    pair.say("summarise")
    return pair


def submitted(market: LocalMarket, **fields: Any) -> tuple[Recruitment, MTurk]:
    """Launch, let Amber and Fern hold a dialog and submit it, and take it over."""
    made, speaks = launch(market, **fields)
    visitors = [visit(market, made, who) for who in (AMBER, FERN)]
    talk(made, *visitors)
    for visitor in visitors:
        visitor.submit()
    lifecycle.sync(made, speaks)
    return made, speaks
