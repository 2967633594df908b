"""What is an ended participation owed? The study's published pay rules, turned into ledger entries.

``owed`` is a pure function of what the participation carries; ``settle`` stores its answer once. A sweep over ended,
unsettled participations is the guarantee; the signal of an end only hastens it.
"""

import logging
import re
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal

from django.db import DatabaseError, transaction
from django.utils.translation import gettext, gettext_noop

from collector.lib import clock, logs
from collector.studies import kinds, promises, versions
from collector.studies.models import Fault, Kind, Outcome, Participation
from hits import ledger
from hits.models import Assignment, EntryKind, Settlement

log = logging.getLogger(__name__)

FREE_WAITING_SECONDS = 60
"""The first minute of all waiting is not paid."""
CENT = Decimal("0.01")
_IN_FULL = {Outcome.COMPLETE, Outcome.PARTNER_LEFT, Outcome.TECHNICAL_FAILURE}
_IN_VAIN = {Outcome.NO_PARTNER, Outcome.STUDY_ENDED}
WHYS = (
    gettext_noop("for the dialog"),
    gettext_noop("for the dialog, and for rounds with a partner who was lost"),
    gettext_noop("for the summary"),
    gettext_noop("for the annotation"),
    gettext_noop("for {done} of {all} rounds"),
    gettext_noop("for {done} of {all} parts"),
    gettext_noop("for {seconds} s of waiting"),
    gettext_noop("for coming, though no dialog came of it"),
    gettext_noop("for coming, though no summary came of it"),
    gettext_noop("for coming, though no annotation came of it"),
    gettext_noop("for coming, though the task did not fit"),
    gettext_noop("for submitting"),
)
"""What amounts are for, as the ledger has it in English; braces stand for numbers."""


@dataclass(frozen=True)
class Facts:
    """What pay depends on. ``rounds_done`` counts over all dialogs of the participation, ``rounds`` makes one whole.

    In a summary study the two parts of the task, watching and writing, stand for rounds.
    """

    outcome: Outcome
    fault: Fault
    rounds: int
    rounds_done: int = 0
    waited_seconds: int = 0
    wrote_summary: bool = False
    kind: Kind = Kind.DIALOG


@dataclass(frozen=True)
class Rates:
    """What a study's version promises, in US dollars."""

    reward: Decimal
    summary_bonus: Decimal = Decimal(0)
    waiting_pay: Decimal = Decimal(0)
    ending_pay: Decimal = Decimal(0)
    screening_pay: Decimal = Decimal(0)


@dataclass(frozen=True)
class Due:
    """One amount owed, and for what."""

    kind: EntryKind
    amount: Decimal
    why: str


def owed(facts: Facts, rates: Rates) -> list[Due]:
    """Return what is owed, amounts of zero left out. Parts of a cent are rounded up, in the worker's favour."""
    due = [_reward(facts, rates), _summary(facts, rates), _waiting(facts, rates)]
    return [each for each in due if each.amount > 0]


def in_words(why: str) -> str:
    """Return what an amount is for in the language that is spoken; what a person wrote stays as it is."""
    for known in WHYS:
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>\\d+)", known)
        if found := re.fullmatch(pattern, why):
            return gettext(known).format(**found.groupdict())
    return why


def split(due: list[Due], base: Decimal | None) -> list[Due]:
    """Return what is owed as a marketplace pays it: ``base`` by approving the work, the rest of the reward as a bonus.

    ``base`` is the reward that its HIT was published with, None where nothing is approved. Approving pays all of it,
    also where less is owed: in the worker's favour.
    """
    if base is None:
        return due
    rewards = [each for each in due if each.kind == EntryKind.REWARD]
    others = [each for each in due if each.kind != EntryKind.REWARD]
    owed_reward, why = (rewards[0].amount, rewards[0].why) if rewards else (Decimal(0), "for submitting")
    rest = owed_reward - base
    paid = [Due(EntryKind.REWARD, base, why)]
    return paid + ([Due(EntryKind.SHARE, rest, why)] if rest > 0 else []) + others


def _reward(facts: Facts, rates: Rates) -> Due:
    about = kinds.of(facts.kind)
    if facts.outcome in _IN_VAIN:
        return Due(EntryKind.REWARD, rates.ending_pay, f"for coming, though no {about.unit} came of it")
    if facts.outcome == Outcome.SCREENED_OUT:
        return Due(EntryKind.REWARD, rates.screening_pay, "for coming, though the task did not fit")
    share = rates.reward * facts.rounds_done / facts.rounds
    is_in_full = facts.outcome in _IN_FULL or (facts.outcome == Outcome.TIMED_OUT and facts.fault == Fault.NOBODY)
    if not is_in_full:
        return Due(EntryKind.REWARD, _up(share), f"for {facts.rounds_done} of {facts.rounds} {about.part}s")
    # Rounds with a partner who was lost, before the dialog that is paid in full, were work as well.
    before = max(Decimal(0), share - rates.reward)
    why = f"for the {about.unit}" if not before else "for the dialog, and for rounds with a partner who was lost"
    return Due(EntryKind.REWARD, _up(rates.reward + before), why)


def _summary(facts: Facts, rates: Rates) -> Due:
    amount = rates.summary_bonus if facts.wrote_summary else Decimal(0)
    return Due(EntryKind.SUMMARY, amount, "for the summary")


def _waiting(facts: Facts, rates: Rates) -> Due:
    seconds = max(0, facts.waited_seconds - FREE_WAITING_SECONDS)
    return Due(EntryKind.WAITING, _up(rates.waiting_pay * seconds / 60), f"for {facts.waited_seconds} s of waiting")


def _up(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_UP)


def facts_of(participation: Participation) -> Facts:
    """Return what an ended participation carries."""
    content = versions.content_of(participation.version)
    return Facts(
        Outcome(participation.outcome),
        Fault(participation.fault),
        kinds.of(content["kind"]).parts or content["rounds"],
        participation.rounds_done,
        participation.waited_seconds,
        participation.wrote_summary,
        Kind(content["kind"]),
    )


def rates_of(participation: Participation) -> Rates:
    """Return what the participation's own version promised."""
    content = versions.content_of(participation.version)
    amounts = {name: Decimal(content[name]) for name in ("reward", "summary_bonus", "waiting_pay", "ending_pay")}
    return Rates(**amounts, screening_pay=promises.screening_pay(content))


def announced(participation: Participation) -> list[Due]:
    """Return what the announced rules give for an ended participation, whatever a marketplace has paid."""
    return owed(facts_of(participation), rates_of(participation))


def _base(participation: Participation) -> Decimal | None:
    assignment = Assignment.objects.select_related("hit").filter(participation=participation).first()
    return assignment.hit.reward if assignment else None


def settle(participation_id: int) -> bool:
    """Store what one participation is owed; False when it had been settled, or has not ended."""
    with transaction.atomic():
        found = Participation.objects.select_for_update(of=("self",)).select_related("version").get(pk=participation_id)
        if not found.outcome or Settlement.objects.filter(participation=found).exists():
            return False
        if not found.is_simulated:
            for due in split(owed(facts_of(found), rates_of(found)), _base(found)):
                key = f"participation-{found.pk}-{due.kind}"
                ledger.plan(found.worker_id, found.study_id, due.kind, due.amount, due.why, key, participation=found)
        Settlement.objects.create(participation=found, at=clock.now())
    return True


def settle_all(most: int = 1000) -> int:
    """Settle what has ended and is not settled yet; return how many. One that fails does not stop the others."""
    waiting = Participation.objects.filter(ended_at__isnull=False, settlement__isnull=True).order_by("pk")
    done = 0
    for pk, study in waiting.values_list("pk", "study")[:most]:
        with logs.within(study=study):
            try:
                done += settle(pk)
            except (DatabaseError, ArithmeticError, KeyError):
                log.exception("Participation %d could not be settled; the others are.", pk)
    return done
