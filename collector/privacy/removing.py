"""What was kept long enough? It is removed by the rules of ``studies.kept``, whose keys name the functions here.

The number of a worker, what they wrote for a study and the ledger's sums stay when an id goes.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from chat.models import Utterance
from collector.learning.models import Lesson
from collector.lib import clock
from collector.privacy.models import Removal
from collector.studies import kept
from collector.studies.models import Participation, Worker
from collector.summaries.models import Summary
from hits.models import (
    Assignment,
    AssignmentState,
    Block,
    Compensation,
    Decision,
    EntryKind,
    EntryState,
    Feedback,
    LedgerEntry,
    Letter,
    Mark,
    Message,
    MessageState,
    Note,
)

BATCH = 1000
REMOVED = "[removed]"
"""What stands in the place of a text that was removed."""
OWED = (EntryState.PLANNED, EntryState.SENDING, EntryState.UNKNOWN, EntryState.FAILED)
"""What may still be paid, for which the id is needed."""


@dataclass(frozen=True)
class Step:
    """Some rows, and what becomes of a batch of them; the rows are found no more once it is done."""

    rows: QuerySet[Any]
    do: Callable[[list[int]], object]

    def number(self) -> int:
        """Return how many rows it is about now."""
        return self.rows.count()

    def run(self) -> int:
        """Do it, a batch in a transaction; return how many rows."""
        done = 0
        while batch := list(self.rows.order_by("pk").values_list("pk", flat=True)[:BATCH]):
            with transaction.atomic():
                self.do(batch)
            done += len(batch)
        return done


@dataclass
class Removed:
    """How many rows were removed, or would be, by the key of the rule."""

    numbers: dict[str, int] = field(default_factory=dict)

    def in_words(self) -> str:
        """Say it in a line."""
        found = [f"{number} of {key.replace('_', ' ')}" for key, number in self.numbers.items() if number]
        return ", ".join(found) or "nothing"


def run(*, dry_run: bool = False) -> Removed:
    """Remove what was kept long enough and write down what went, or only say what would go."""
    done = Removed()
    for rule in kept.rules():
        if rule.days is not None:
            steps = BY_RULE[rule.key](rule.before)
            done.numbers[rule.key] = sum(step.number() if dry_run else step.run() for step in steps)
    if not dry_run:
        Removal.objects.create(at=clock.now(), removed=done.numbers)
    return done


def last_in_words() -> str:
    """Say when what was kept long enough was removed last, and what went."""
    last = Removal.objects.order_by("pk").last()
    if last is None:
        return "Nothing was removed yet of what is kept for a time only: the worker process looks each night."
    went = Removed(last.removed).in_words()
    return f"What was kept long enough was removed last on {last.at:%Y-%m-%d %H:%M} UTC: {went}."


def _emptied(rows: QuerySet[Any], **changes: Any) -> Step:
    model = rows.model
    return Step(rows, lambda batch: model._default_manager.filter(pk__in=batch).update(**changes))


def _deleted(rows: QuerySet[Any]) -> Step:
    model = rows.model
    return Step(rows, lambda batch: model._default_manager.filter(pk__in=batch).delete())


def _evidence(before: datetime) -> Iterator[Step]:
    for model in (Utterance, Summary):
        yield _emptied(model._default_manager.filter(stored_at__lt=before).exclude(evidence={}), evidence={})
    yield _emptied(Lesson.objects.filter(started_at__lt=before).exclude(device_report={}), device_report={})


def _network(before: datetime) -> Iterator[Step]:
    yield _emptied(Participation.objects.filter(confirmed_at__lt=before).exclude(network=""), network="")


def _sign_ins(before: datetime) -> Iterator[Step]:
    for model in (AccessAttempt, AccessFailureLog, AccessLog):
        yield _deleted(model.objects.filter(attempt_time__lt=before))


def _ids(before: datetime) -> Iterator[Step]:
    rows = unneeded(before).exclude(external_digest="")

    def forget(batch: list[int]) -> None:
        """Look again under their locks, which admission takes, too: one of them may have come meanwhile."""
        list(Worker.objects.select_for_update().filter(pk__in=batch).order_by("pk"))
        forget_ids(list(rows.filter(pk__in=batch).values_list("pk", flat=True)))

    yield Step(rows, forget)


def _letters(before: datetime) -> Iterator[Step]:
    workers = unneeded(before).values("pk")
    for rows, changes in texts_about(Q(worker__in=workers), Q(participation__worker__in=workers)):
        yield _emptied(rows, **changes)


def _ledger(before: datetime) -> Iterator[Step]:
    over = LedgerEntry.objects.filter(at__lt=before, changed_at__lt=before).exclude(state__in=OWED)
    yield Step(over, _delete_entries)


BY_RULE: dict[str, Callable[[datetime], Iterator[Step]]] = {
    "evidence": _evidence,
    "network": _network,
    "ids": _ids,
    "letters": _letters,
    "ledger": _ledger,
    "sign_ins": _sign_ins,
}


def unneeded(before: datetime) -> QuerySet[Worker]:
    """Return the workers whose id nobody needs: nothing is under way, and the last payment or task was before."""
    worker = OuterRef("pk")
    tasks = Participation.objects.filter(worker=worker).filter(Q(ended_at=None) | Q(ended_at__gte=before))
    paid = LedgerEntry.objects.filter(worker=worker, state=EntryState.PAID, changed_at__gte=before)
    fresh = Assignment.objects.filter(worker=worker, first_seen_at__gte=before)
    rows = Worker.objects.filter(created_at__lt=before).filter(~Exists(tasks), ~Exists(paid), ~Exists(fresh))
    return rows.filter(*(~Exists(each.filter(worker=worker)) for each, _ in UNDER_WAY))


_works = Assignment.objects.filter(participation=OuterRef("participation"))
_OF_REJECTED = (
    Q(Exists(_works.filter(state=AssignmentState.REJECTED).exclude(decision=Decision.APPROVE)))
    & ~Q(Exists(_works.filter(state__in=(AssignmentState.SUBMITTED, AssignmentState.APPROVED))))
    & Q(state=EntryState.PLANNED)
    & ~Q(kind=EntryKind.COMPENSATION)
)
"""What work that stands rejected would have earned: it is planned, and paid only if a person takes that back."""
_owed = LedgerEntry.objects.filter(state__in=OWED).exclude(_OF_REJECTED)
UNDER_WAY: list[tuple[QuerySet[Any], str]] = [
    (Participation.objects.filter(ended_at=None), "A task of theirs is under way: wait until it has ended."),
    (Assignment.objects.filter(state=AssignmentState.SUBMITTED), "Work of theirs is not decided: approve it first."),
    (
        LedgerEntry.objects.filter(state__in=OWED).exclude(_OF_REJECTED),
        "They are still owed something: pay it first, or note it as paid.",
    ),
    (Message.objects.filter(state__in=(MessageState.PLANNED, MessageState.SENDING)), "A message is being sent."),
    (Block.objects.filter(undone_at=None), "They are blocked: let them back first."),
]
"""For what the id is needed, and what to do about it."""


def forget_ids(workers: Collection[int]) -> None:
    """Remove the ids that marketplaces gave to workers and to their work. Call it in a transaction."""
    Worker.objects.filter(pk__in=workers).update(external_id="", external_digest="")
    theirs = Assignment.objects.filter(worker__in=workers)
    theirs.update(external_id="", external_digest="", document={}, fields={})
    Compensation.objects.filter(worker__in=workers).update(assignment_id="", hit_id="")
    LedgerEntry.objects.filter(worker__in=workers, is_by_hand=False).update(reference="")
    Participation.objects.filter(worker__in=workers).update(entry={})
    Mark.objects.filter(worker__in=workers).delete()


def texts_about(worker: Q, of_part: Q) -> Iterator[tuple[QuerySet[Any], dict[str, Any]]]:
    """Yield what was written to, by and about workers outside of any study, with what is to stand there.

    A letter that nobody has answered waits for no answer any more: there is nothing to read, and nobody to write to.
    """
    over = {"text": REMOVED, "answer": REMOVED, "answered_at": clock.now()}
    yield Letter.objects.filter(worker, answered_at=None), over
    yield Letter.objects.filter(worker).exclude(text=REMOVED), {"text": REMOVED}
    yield Letter.objects.filter(worker).exclude(answer__in=("", REMOVED)), {"answer": REMOVED}
    yield Message.objects.filter(worker).exclude(text=REMOVED), {"subject": REMOVED, "text": REMOVED}
    yield Note.objects.filter(worker).exclude(text=REMOVED), {"text": REMOVED}
    yield Feedback.objects.filter(of_part).exclude(line=""), {"line": ""}


def _delete_entries(batch: list[int]) -> None:
    LedgerEntry.objects.filter(replaced_by__in=batch).update(replaced_by=None)
    Compensation.objects.filter(entry__in=batch).delete()
    LedgerEntry.objects.filter(pk__in=batch).delete()
