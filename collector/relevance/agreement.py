"""How do people agree on what is correct? The share that found it so, and Krippendorff's alpha.

Krippendorff, K. (2011), "Computing Krippendorff's alpha-reliability": nominal values, missing ones allowed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import QuerySet

from chat.models import Dialog
from collector.relevance.models import Item, Judging
from collector.studies.models import Outcome
from collector.summaries.models import Viewing


@dataclass(frozen=True)
class Judged:
    """An item, how many people judged the whole of it, and how many of them found each option correct."""

    item: Item
    people: int
    correct: list[int]

    @property
    def relevances(self) -> list[float]:
        """The share of people that found each option correct. Needs one person."""
        return [number / self.people for number in self.correct]


def judged(study_id: int, *, simulated: bool = False, texts: bool = True) -> Iterator[Judged]:
    """Yield the items of a study, ordered by video and round, with what people made of them; or programs.

    Without ``texts`` the answers themselves are not read.
    """
    done = Viewing.objects.in_data().filter(participation__study=study_id, participation__outcome=Outcome.COMPLETE)
    return judged_in(study_id, done.filter(participation__is_simulated=simulated), texts=texts)


def judged_in(study_id: int, viewings: QuerySet[Viewing], *, texts: bool = True) -> Iterator[Judged]:
    """Yield the items of a study whose dialogs are in the data, with what was made of them in some viewings."""
    marked: defaultdict[int, list[list[int]]] = defaultdict(list)
    counted = Judging.objects.filter(viewing__in=viewings, item__study=study_id).order_by()
    for number, each in counted.values_list("item", "marks"):
        marked[number].append(each)
    items = Item.objects.filter(study=study_id, dialog__in=Dialog.objects.in_data()).select_related("dialog__video")
    for item in (items if texts else items.defer("options")).order_by("dialog__video__image_id", "round", "pk"):
        marks = marked[item.pk]
        yield Judged(item, len(marks), [sum(option) for option in zip(*marks, strict=True)])


def alpha_of(judged: Sequence[Judged]) -> float | None:
    """Return Krippendorff's alpha over all options of all items; None where it is not defined."""
    units: Counter[tuple[int, int]] = Counter()
    for each in judged:
        for number, times in Counter(each.correct).items():
            units[number, each.people - number] += times
    return alpha(units)


def in_words(judged: Sequence[Judged]) -> str:
    """Say how people agree over items, and what they made of the answers that were given."""
    found = alpha_of(judged)
    said = "not defined, as it needs two people an item and both marks" if found is None else f"{found:.3f}"
    given = [each.correct[each.item.gt_index] / each.people for each in judged if each.people]
    if not given:
        return f"Krippendorff's alpha: {said}."
    share = 100 * sum(given) / len(given)
    return f"Krippendorff's alpha: {said}. The answer that was given was found correct by {share:.0f} % on average."


def alpha(units: Mapping[tuple[int, int], int]) -> float | None:
    """Return Krippendorff's alpha of units: by how many gave the one value and how many the other, how often.

    A unit with fewer than two values counts for nothing. None where fewer than two different values are left.
    """
    paired = {unit: number for unit, number in units.items() if sum(unit) > 1}
    ones = sum(one * number for (one, _), number in paired.items())
    others = sum(other * number for (_, other), number in paired.items())
    if not ones or not others:
        return None
    observed = sum(
        (number * Fraction(one * other, one + other - 1) for (one, other), number in paired.items()), Fraction(0)
    )
    return float(1 - (ones + others - 1) * observed / (ones * others))
