"""How far do two people who review agree? One decides; another says, without seeing that, how they would have decided.

An opinion changes nothing: neither pay nor what is decided. Only what a person decided is looked at again.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import QuerySet

from collector.lib import clock
from collector.studies.models import Study
from hits.models import Assignment, Decision, Recruitment, SecondOpinion


@dataclass(frozen=True)
class Agreement:
    """What two people found of the same submissions."""

    number: int
    """Submissions that two people looked at."""
    same: int
    """Of them, those both would approve or both reject."""
    kappa: float | None
    """Cohen's (1960): agreement beyond chance, at most 1. None where chance alone gives 1, or there is nothing."""


def to_second(recruitment: Recruitment, who: User) -> QuerySet[Assignment]:
    """Return what somebody else decided and this person has not looked at again, the oldest first."""
    rows = Assignment.objects.filter(hit__recruitment=recruitment, decided_by__isnull=False).exclude(decision="")
    rows = rows.exclude(decided_by=who).exclude(opinions__who=who)
    return rows.select_related("participation__version").order_by("pk")


def say(recruitment: Recruitment, pk: int, who: User, *, approves: bool) -> bool:
    """Take down what this person would have decided, once; False where there is nothing for them to look at."""
    if not to_second(recruitment, who).filter(pk=pk).exists():
        return False
    SecondOpinion.objects.get_or_create(assignment_id=pk, who=who, defaults={"approves": approves, "at": clock.now()})
    return True


def agreement(study: Study) -> Agreement:
    """Compare every second opinion with what was decided."""
    rows = SecondOpinion.objects.filter(assignment__hit__recruitment__study=study, assignment__decided_by__isnull=False)
    pairs = [
        (decision == Decision.APPROVE, approves)
        for decision, approves in rows.values_list("assignment__decision", "approves")
    ]
    return agreement_of(pairs)


def agreement_of(pairs: list[tuple[bool, bool]]) -> Agreement:
    """Return the agreement of pairs of judgements."""
    number, same = len(pairs), sum(one == other for one, other in pairs)
    if not number:
        return Agreement(0, 0, None)
    one, other = sum(first for first, _ in pairs) / number, sum(second for _, second in pairs) / number
    by_chance = one * other + (1 - one) * (1 - other)
    kappa = (same / number - by_chance) / (1 - by_chance) if by_chance < 1 else None
    return Agreement(number, same, kappa)
