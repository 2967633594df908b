"""What do people find correct? Relevances as the Visual Dialog Challenge has them, from a relevance study.

A list of ``{"image_id": str, "round_id": int from 1, "gt_relevance": [100 fractions]}``, ordered by video and round;
the fractions go by option, in the order of the VisDial-style file whose answers were judged.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collector.exports.selection import NoStudy, study_named
from collector.exports.submissions import Place, Refused, read_options
from collector.relevance.agreement import Judged
from collector.studies.models import Kind, Study


def study_of(slug: str) -> Study:
    """Return a relevance study. Raises Refused."""
    try:
        return study_named(slug, Kind.RELEVANCE)
    except NoStudy as error:
        raise Refused(str(error)) from error


def place_of(judged: Judged) -> Place:
    """Return the video and the round."""
    return judged.item.dialog.video.image_id, judged.item.round


def check(judged: Iterable[Judged], against: Path) -> None:
    """Raise Refused unless a VisDial-style file offers the same answers in the same order as were judged."""
    offered = read_options(against)
    for each in judged:
        place = place_of(each)
        if place not in offered:
            raise Refused(f"{against} has no round {place[1]} of {place[0]!r}, which was judged.")
        if offered[place] != each.item.options:
            raise Refused(
                f"{against} offers other answers in round {place[1]} of {place[0]!r} than were judged. Export it with "
                "the options that the items were made with, from the same dialogs."
            )


def as_json(judged: Iterable[Judged]) -> Iterator[str]:
    """Yield the file, one line an item. Every item needs one person."""
    yield "["
    between = "\n"
    for each in judged:
        video, number = place_of(each)
        entry: dict[str, Any] = {"image_id": video, "round_id": number, "gt_relevance": each.relevances}
        yield between + json.dumps(entry)
        between = ",\n"
    yield "\n]\n"
