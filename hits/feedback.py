"""How do workers find a study? One tap on the last page, a line if they like, and what they say together."""

from collections import Counter
from dataclasses import dataclass

from django.utils.translation import gettext_noop

from collector.lib import clock
from collector.lib.text import UnstorableText, clean
from collector.studies.models import Participation, Study
from hits.models import Feedback

STARS = {
    1: gettext_noop("bad"),
    2: gettext_noop("poor"),
    3: gettext_noop("fair"),
    4: gettext_noop("good"),
    5: gettext_noop("great"),
}
LONGEST = 300
NEWEST = 1000
"""So many answers are counted, the newest."""
_LINES = 50


@dataclass(frozen=True)
class Said:
    """What workers said of a study: how many, the mean of 1 to 5 (None before any), how often each, newest lines."""

    count: int
    mean: float | None
    rows: list[tuple[int, str, int, float]]
    """Stars, their word, how many, and the share in percent; the best first."""
    lines: list[Feedback]


def take(participation: Participation, stars: str, line: str) -> None:
    """Keep what a worker tapped, once, and later the line they add, once; what cannot be is left out in silence."""
    if participation.ended_at is None:
        return
    if stars in map(str, STARS):
        fields = {"stars": int(stars), "at": clock.now()}
        Feedback.objects.get_or_create(participation=participation, defaults=fields)
    try:
        line = " ".join(clean(line).split())[:LONGEST]
    except UnstorableText:
        return
    if line:
        Feedback.objects.filter(participation=participation, line="").update(line=line)


def of_study(study: Study) -> Said:
    """Return what people, not programs, said of a study: the newest of them."""
    rows = Feedback.objects.filter(participation__study=study, participation__is_simulated=False)
    numbers = Counter(rows.order_by("-pk").values_list("stars", flat=True)[:NEWEST])
    count = numbers.total()
    mean = sum(stars * number for stars, number in numbers.items()) / count if count else None
    spread = [
        (stars, STARS[stars], numbers[stars], 100 * numbers[stars] / count if count else 0.0)
        for stars in sorted(STARS, reverse=True)
    ]
    lines = rows.exclude(line="").select_related("participation").order_by("-pk")
    return Said(count, mean, spread, list(lines[:_LINES]))
