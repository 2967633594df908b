"""A relevance study with items, and a judge at its pages."""

from collections.abc import Collection
from typing import Any

from django.test import Client

from chat.models import Dialog
from collector.exports import dense
from collector.relevance.models import OPTIONS, Item, Judging
from collector.studies.admission import token_of
from collector.studies.models import Kind, Study, Worker
from tests import factories
from tests.summaries.scene import Watcher

OPTION_TEXTS = [f"option number {number} ." for number in range(OPTIONS)]


def study(items: int = 1, people: int = 4, **fields: Any) -> Study:
    """Make an open relevance study with items, each about a video of its own."""
    made = factories.study(kind=Kind.RELEVANCE, **fields)
    made.dialogs_per_video = people
    made.save()
    offer(made, *(item(made) for _ in range(items)))
    return made


def offer(study: Study, *items: Item) -> None:
    """Add items to a study."""
    dense.store(study, list(items))


def item(study: Study, dialog: Dialog | None = None, round: int = 2, **fields: Any) -> Item:
    """Return an item, unsaved: the answer that was given stands at 7."""
    dialog = dialog or factories.finished_dialog()
    return Item(**{"study": study, "dialog": dialog, "round": round, "options": OPTION_TEXTS, "gt_index": 7} | fields)


class Judge(Watcher):
    """A worker's page without a browser."""

    page = "judge"

    @property
    def judging(self) -> Judging:
        """What is stored of theirs."""
        return Judging.objects.get(viewing__participation=self.participation)

    def marks(self, correct: Collection[int], open_places: int = 0) -> list[bool | None]:
        """Return marks in the order shown that find these options correct; the last places are open."""
        order = self.judging.order
        marks: list[bool | None] = [option in correct for option in order]
        return marks[: OPTIONS - open_places] + [None] * open_places

    def judge(self, correct: Collection[int] = ()) -> dict[str, Any]:
        """Do all of it."""
        self.begin()
        self.watch()
        return self.post("finish", marks=self.marks(correct))


def judge(study: Study, worker: Worker | None = None, **fields: Any) -> Judge:
    """Return a worker who has agreed."""
    participation = factories.participation(study, worker, **fields)
    return Judge(participation, token_of(participation), Client())
