"""The platform and a marketplace on which something goes wrong: what is prepared, done, and to be seen at the end."""

import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model

from collector.lib import clock
from collector.studies import exclusions
from collector.studies.models import Exclusion
from hits import compensating, entering, launching, ledger, lifecycle, tasks
from hits.marketplace.mturk_client import Connected
from hits.models import (
    Asked,
    Assignment,
    Block,
    Compensation,
    EntryState,
    Hit,
    HitState,
    LedgerEntry,
    Mark,
    Message,
    Recruitment,
)
from tests.hits import recruiting
from tests.hits.recruiting import Visitor, talk, visit
from tests.localmarket.market import AMBER, CORAL, DALE, FERN, LocalMarket

REASON = "A reason that is long enough to be read."
SHORT = 0.25
"""Seconds for which an answer is waited for while calls are slow."""
_TROUBLED: tuple[type[Model], ...] = (Recruitment, Hit, Assignment, LedgerEntry, Mark, Compensation, Block, Message)


@dataclass
class World:
    """One recruitment on the running marketplace, and what people and the worker process do."""

    market: LocalMarket
    who: User
    settings: Any
    stack: ExitStack
    sent: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    visitors: list[Visitor] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.settings.LOCALMARKET_URL = self.market.url
        self.recruitment = recruiting.recruitment(recruiting.study())
        self.speaks = recruiting.adapter(self.market)

    # What people do

    def ask(self, what: Asked) -> None:
        """Ask the worker process for something, as the button on the page does."""
        Recruitment.objects.update(asked=what)

    def launch(self) -> None:
        """Launch, and see two seats on offer."""
        launching.launch(self.recruitment, self.speaks)

    def exclude(self) -> None:
        """Exclude Coral from the study."""
        exclusions.exclude(entering.worker_of("local", CORAL).pk, REASON, self.who, study=self.recruitment.study_id)

    def include(self) -> None:
        """Let Coral take part again."""
        exclusions.include(Exclusion.objects.get().pk, self.who)

    def work(self) -> None:
        """Let two workers hold a dialog and submit."""
        self.launch()
        self.visitors = [visit(self.market, self.recruitment, each) for each in (AMBER, FERN)]
        talk(self.recruitment, *self.visitors)
        for visitor in self.visitors:
            visitor.submit()

    def decide(self) -> None:
        """Have all that was submitted approved."""
        self.work()
        lifecycle.sync(self.recruitment, self.speaks)
        Assignment.objects.update(approve_at=clock.now())

    def compensate(self) -> Compensation:
        """Plan a payment for Dale, who could not submit."""
        worker = entering.worker_of("local", DALE)
        key = self.recruitment_key()
        return compensating.plan(self.recruitment, worker, Decimal("1.70"), REASON, self.who, key)

    def later(self, hours: int) -> None:
        """Let time pass, here and there."""
        self.market.forward(hours * 3600)
        self.stack.enter_context(clock.travel(timedelta(hours=hours)))

    @staticmethod
    def recruitment_key() -> Any:
        """Return a fresh key of a form."""
        import uuid

        return uuid.uuid4()

    # What programs do

    def beat(self) -> None:
        """Do what the worker process does every 15 seconds."""
        self.said += tasks.look_after_all().values()

    def night(self) -> None:
        """Do what the worker process does at night."""
        self.said += tasks.reconcile_books().values()

    def drained(self) -> None:
        """Wait until the marketplace has answered all calls, those too whose answer nobody waits for any more."""
        for _ in range(600):
            if len(self.market.look("calls")) >= len(self.sent):
                return
            time.sleep(0.05)
        raise AssertionError("calls are still under way")

    # What is to be seen

    def offered(self, worker_id: str) -> bool:
        """Tell whether a worker sees an offer."""
        return bool(self.market.robot(worker_id).get("hits"))

    def troubles(self) -> list[str]:
        """Return the sentences that stand in rows."""
        found: list[str] = list(Recruitment.objects.exclude(why="").values_list("why", flat=True))
        for model in _TROUBLED:
            found += model._default_manager.exclude(trouble="").values_list("trouble", flat=True)
        return found

    def stuck(self) -> list[str]:
        """Return what is not finished and does not say why."""
        quiet = {"trouble": ""}
        rows: list[Model] = [
            *Hit.objects.filter(state__in=[HitState.PLANNED, HitState.FAILED], **quiet),
            *LedgerEntry.objects.filter(state__in=[EntryState.SENDING, EntryState.UNKNOWN, EntryState.FAILED], **quiet),
            *Compensation.objects.filter(state__in=["planned", "failed"], **quiet),
            *Message.objects.exclude(state__in=["planned", "sent"]).filter(**quiet),
            *Block.objects.filter(done_at=None, lifted_at=None, **quiet),
        ]
        return [str(row) for row in rows]

    def doubles(self) -> list[str]:
        """Return HITs that the marketplace has and we do not know, or know twice."""
        theirs = [
            row["HITId"] for page in self.speaks._client.get_paginator("list_hits").paginate() for row in page["HITs"]
        ]
        ours = [*Hit.objects.exclude(external_id="").values_list("external_id", flat=True)]
        ours += Compensation.objects.exclude(hit_id="").values_list("hit_id", flat=True)
        return sorted(set(theirs) ^ set(ours)) + [each for each in ours if ours.count(each) > 1]

    def earned(self) -> Decimal:
        """Return what all workers have got, by the marketplace's own books."""
        return sum(
            (Decimal(row["rewards"]) + Decimal(row["bonuses"]) for row in self.market.look("workers")), Decimal(0)
        )

    def is_paid(self, *amounts: str) -> bool:
        """Tell whether exactly these were paid, by both books."""
        wanted = sum(map(Decimal, amounts))
        return ledger.paid() == self.earned() == wanted and not LedgerEntry.objects.exclude(
            state__in=[EntryState.PAID, EntryState.UNDONE]
        )


def counted(world: World, monkeypatch: Any) -> None:
    """Count each request that leaves, those that boto3 repeats included."""
    real = Connected._wait

    def wait(self: Connected, **fields: Any) -> None:
        world.sent.append("")
        real(self, **fields)

    monkeypatch.setattr(Connected, "_wait", wait)
