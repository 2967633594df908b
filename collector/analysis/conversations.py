"""What is a dialog to the statistics? A video, its rounds as said, and a summary; here from the database."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from chat import transcripts
from chat.models import Dialog, Seat


@dataclass(frozen=True, slots=True)
class Conversation:
    """One dialog; an answer is None where the file does not disclose it."""

    video: str
    rounds: tuple[tuple[str, str | None], ...]
    summary: str | None = None


def from_dialogs(dialogs: QuerySet[Dialog]) -> Iterator[Conversation]:
    """Yield stored dialogs, a chunk of them in memory at a time."""
    for each in transcripts.read(dialogs):
        yield Conversation(each.image_id, each.rounds, each.summary)


def dialogs_of_workers(dialogs: QuerySet[Dialog]) -> list[int]:
    """Return how many of ``dialogs`` each worker took part in, in no order that says who."""
    seats = Seat.objects.using(dialogs.db).filter(dialog__in=dialogs.order_by().values("pk"))
    return sorted(seats.values("worker").annotate(number=Count("pk")).order_by().values_list("number", flat=True))
