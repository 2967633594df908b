"""What in the texts of a study looks personal, and what has a person decided about it?

Only texts that may leave are looked through: of people, in the data. A find is asked about once; the decision is kept,
and can be undone. It is about a part of a text that never changes, so it holds for all exports that come.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from chat.models import Dialog, Utterance, UtteranceRedaction
from chat.transcripts import name_of
from collector.lib import clock, personal
from collector.studies import kinds
from collector.studies.models import Study
from collector.studies.redacting import Redaction
from collector.summaries.models import Summary, SummaryRedaction, Viewing

CONTEXT = 60
"""Characters shown on either side of a find."""
AT_ONCE = 500
"""Dialogs, or viewings, that a page looks through: it stays fast however large a study is."""
OTHER = "personal detail"
"""The kind of what the scan cannot know, such as a name."""


class CannotDecide(Exception):
    """Why a decision was not taken down, in a sentence."""


@dataclass(frozen=True)
class _Texts:
    """One kind of texts: their models, and the ways from a text to what it belongs to."""

    name: str
    model: type[Utterance] | type[Summary]
    redactions: type[UtteranceRedaction] | type[SummaryRedaction]
    works: type[Dialog] | type[Viewing]
    work: str
    study: str
    is_simulated: str

    def of(self, studies: list[Study], *, simulated: bool) -> QuerySet[Any]:
        """Return the texts of studies that may leave, in their order."""
        chosen: dict[str, Any] = {f"{self.study}__in": studies, f"{self.work}__in": self.works.objects.in_data()}
        if not simulated:
            chosen[self.is_simulated] = False
        return self.model._default_manager.filter(**chosen).select_related(self.work).order_by(self.work, "pk")

    def decisions(self, studies: list[Study]) -> QuerySet[Any]:
        """Return the decisions about texts of studies that stand, the newest first."""
        chosen = {f"{self.name}__{self.study}__in": studies, "undone_at": None}
        return self.redactions._default_manager.filter(**chosen).order_by("-at", "-pk")


_UTTERANCES = _Texts(
    "utterance", Utterance, UtteranceRedaction, Dialog, "dialog", "dialog__study", "dialog__is_simulated"
)
_SUMMARIES = _Texts(
    "summary", Summary, SummaryRedaction, Viewing, "viewing", "viewing__participation__study",
    "viewing__participation__is_simulated",
)  # fmt: skip
_ALL = {each.name: each for each in (_UTTERANCES, _SUMMARIES)}


@dataclass(frozen=True)
class Find:
    """A part of a text, in code points, that looks personal or that somebody has decided about."""

    of: str
    """Utterance, or summary of a watcher."""
    pk: int
    place: str
    """Such as: dialog 12, answer 3."""
    kind: str
    start: int
    end: int
    text: str

    @property
    def key(self) -> str:
        """Return what a form calls it."""
        return f"{self.of} {self.pk} {self.start} {self.end}"

    @property
    def part(self) -> str:
        """Return what was found."""
        return self.text[self.start : self.end]

    @property
    def before(self) -> str:
        """Return what stands before it."""
        return ("… " if self.start > CONTEXT else "") + self.text[max(0, self.start - CONTEXT) : self.start]

    @property
    def after(self) -> str:
        """Return what stands after it."""
        return self.text[self.end : self.end + CONTEXT] + (" …" if len(self.text) > self.end + CONTEXT else "")


def _find(texts: _Texts, row: Any, kind: str, start: int, end: int) -> Find:
    if isinstance(row, Utterance):
        place = f"dialog {row.dialog_id}, {name_of(row.position, row.dialog.rounds).lower()}"
    else:
        place = f"viewing {row.viewing_id}, summary"
    return Find(texts.name, row.pk, place, kind, start, end, row.text)


def undecided(studies: Iterable[Study], *, simulated: bool = False) -> Iterator[Find]:
    """Yield what looks personal in the texts of studies and nobody has decided about, in the order of the texts."""
    studies = list(studies)
    for texts in _ALL.values():
        yield from _undecided(texts, studies, texts.of(studies, simulated=simulated))


def undecided_after(study: Study, number: int, *, simulated: bool = False) -> tuple[list[Find], int | None]:
    """Look through the texts of the next ``AT_ONCE`` dialogs, or viewings, of a study whose numbers are greater.

    Return what is found there, and the number of the last one looked through; None where no other follows.
    """
    texts = _SUMMARIES if kinds.of(study.kind).is_alone else _UTTERANCES
    whose = "study" if texts is _UTTERANCES else "participation__study"
    works = texts.works._default_manager.filter(**{whose: study}, pk__gt=number).order_by("pk")
    numbers = list(works.values_list("pk", flat=True)[: AT_ONCE + 1])
    rows = texts.of([study], simulated=simulated).filter(**{f"{texts.work}__in": numbers[:AT_ONCE]})
    return list(_undecided(texts, [study], rows)), numbers[AT_ONCE - 1] if len(numbers) > AT_ONCE else None


def _undecided(texts: _Texts, studies: list[Study], rows: QuerySet[Any]) -> Iterator[Find]:
    known: dict[int, list[tuple[int, int]]] = {}
    for pk, start, end in texts.decisions(studies).values_list(texts.name, "start", "end"):
        known.setdefault(pk, []).append((start, end))
    for row in rows.iterator(chunk_size=2000):
        for found in personal.find(row.text):
            if not any(start <= found.start and found.end <= end for start, end in known.get(row.pk, ())):
                yield _find(texts, row, found.kind, found.start, found.end)


def decisions(studies: Iterable[Study], most: int) -> list[tuple[Redaction, Find]]:
    """Return the newest decisions that stand about texts of studies, each with the part that it is about."""
    studies = list(studies)
    rows: list[tuple[Redaction, Find]] = []
    for texts in _ALL.values():
        for each in texts.decisions(studies).select_related(f"{texts.name}__{texts.work}", "who")[:most]:
            rows.append((each, _find(texts, getattr(each, texts.name), each.kind, each.start, each.end)))
    return sorted(rows, key=lambda row: row[0].at, reverse=True)[:most]


def decide(key: str, who: User, *, redact: bool) -> None:
    """Have a part of a text replaced wherever it leaves, or left as it is. Raises CannotDecide."""
    texts, row, start, end = _part(key)
    kinds = {(found.start, found.end): found.kind for found in personal.find(row.text)}
    _store(texts, row, start, end, kinds.get((start, end), OTHER), who, redact=redact)


def _part(key: str) -> tuple[_Texts, Any, int, int]:
    name, *numbers = key.split(" ")
    if name in _ALL and len(numbers) == 3 and all(each.isascii() and each.isdigit() for each in numbers):
        pk, start, end = map(int, numbers)
        row = _ALL[name].model._default_manager.filter(pk=pk).first()
        if row is not None and start < end <= len(row.text):
            return _ALL[name], row, start, end
    raise CannotDecide(f"{key!r} names no part of a text. Load the page again.")


def _store(texts: _Texts, row: Any, start: int, end: int, kind: str, who: User, *, redact: bool) -> None:
    texts.redactions._default_manager.get_or_create(
        **{texts.name: row}, start=start, end=end, undone_at=None,
        defaults={"kind": kind, "is_left": not redact, "replacement": f"[{kind}]", "who": who, "at": clock.now()},
    )  # fmt: skip


def redact_words(study: Study, number: int, words: str, who: User) -> int:
    """Redact all places in a dialog, or in a viewing's summary, where some words stand, for what no scan finds.

    ``number`` is that of the dialog, in a study of watchers that of the viewing. Return how many places. Raises
    CannotDecide where there is none.
    """
    texts = _SUMMARIES if kinds.of(study.kind).is_alone else _UTTERANCES
    what, places = texts.work, 0
    rows = texts.model._default_manager.filter(**{texts.study: study, texts.work: number})
    if not rows:
        raise CannotDecide(f"There is no {what} {number} with texts in this study. See the list of {what}s.")
    with transaction.atomic():
        for row in rows:
            start = row.text.find(words) if words.strip() else -1
            while start >= 0:
                _store(texts, row, start, start + len(words), OTHER, who, redact=True)
                places, start = places + 1, row.text.find(words, start + len(words))
    if not places:
        raise CannotDecide(f"The {what} {number} holds no {words!r}. Write it as it stands there, capitals included.")
    return places


def undo(of: str, pk: int, who: User) -> bool:
    """Take a decision back, so that it is asked about again; False when it was."""
    rows = _ALL[of].redactions._default_manager.filter(pk=pk, undone_at=None)
    return bool(rows.update(undone_at=clock.now(), undone_by=who))
