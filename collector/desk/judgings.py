"""What did a judge make of the answers of an item? For the review, which sees what no judge is told."""

from collections.abc import Iterable
from dataclasses import dataclass

from chat import transcripts
from chat.models import Dialog
from collector.relevance.models import Judging
from collector.summaries.models import Viewing


@dataclass(frozen=True)
class Judged:
    """One judging."""

    question: str
    correct: list[str]
    """The answers they marked as correct."""
    open: int
    """How many they did not mark."""
    given: str
    """The answer that was given in the dialog."""
    given_is_correct: bool


def by_viewing(viewings: Iterable[Viewing]) -> dict[int, Judged]:
    """Return what was judged in each viewing of a relevance study, in a few queries however many they are."""
    judgings = list(Judging.objects.filter(viewing__in=[each.pk for each in viewings]).select_related("item"))
    dialogs = Dialog.objects.filter(pk__in={each.item.dialog_id for each in judgings})
    said = {each.dialog_id: each.rounds for each in transcripts.read(dialogs)} if judgings else {}
    return {each.viewing_id: _judged(each, said[each.item.dialog_id][each.item.round - 1][0]) for each in judgings}


def _judged(judging: Judging, question: str) -> Judged:
    item, marks = judging.item, judging.marks
    correct = [text for text, mark in zip(item.options, marks, strict=True) if mark]
    return Judged(question, correct, marks.count(None), item.options[item.gt_index], marks[item.gt_index] is True)
