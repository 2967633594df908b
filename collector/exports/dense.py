"""How do the answers that a round offers become items of a relevance study? The same as in the VisDial-style file.

Which rounds: all, those with given numbers, or of each dialog the one drawn for a test file; of one split or all; of
these all, or so many drawn at random. What is there already stays as it is.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from chat.transcripts import Transcript
from collector.exports import visdial
from collector.exports.avsd import Tally
from collector.exports.cutting import drawn_round
from collector.exports.draws import draws
from collector.relevance.models import OPTIONS, Item
from collector.studies import videos
from collector.studies.models import Study, StudyVideo
from hits import cost, launching

DRAWN = 0


@dataclass(frozen=True)
class Rounds:
    """Which rounds are judged. ``numbers`` from 1, or DRAWN; empty: all. ``sample`` of them; None: all."""

    numbers: tuple[int, ...] = ()
    split: str = ""
    sample: int | None = None


def items(study: Study, transcripts: Iterable[Transcript], wish: visdial.Wish, rounds: Rounds) -> list[Item]:
    """Return the items that there are not yet, unsaved. Raises CannotChoose, or CannotRead of the word vectors."""
    choice = visdial.choose(transcripts, Tally(), wish)
    places = [
        (scene, number)
        for scene in choice.collection.scenes
        for number in range(1, len(scene.rounds) + 1)
        if _is_wanted(number, scene, rounds, wish.seed)
    ]
    if rounds.sample is not None and rounds.sample < len(places):
        places = draws(wish.seed, "items").sample(places, rounds.sample)
    known = set(Item.objects.filter(study=study).values_list("dialog", "round"))
    return [_item(study, choice, scene, number) for scene, number in places if (scene.dialog_id, number) not in known]


def _is_wanted(number: int, scene: visdial.Scene, rounds: Rounds, seed: int) -> bool:
    drawn = drawn_round(seed, scene.image_id, len(scene.rounds)) if DRAWN in rounds.numbers else DRAWN
    is_numbered = not rounds.numbers or number in rounds.numbers or number == drawn
    return is_numbered and rounds.split in ("", scene.split)


def _item(study: Study, choice: visdial.Choice, scene: visdial.Scene, number: int) -> Item:
    offered = choice.options[scene.image_id, number].tolist()
    return Item(
        study=study,
        dialog_id=scene.dialog_id,
        round=number,
        options=[choice.collection.answers[answer] for answer in offered],
        gt_index=offered.index(scene.rounds[number - 1][1]),
    )


def store(study: Study, made: list[Item]) -> None:
    """Store items, and want each of them from as many people as the study says."""
    with transaction.atomic():
        Item.objects.bulk_create(made)
        about = Item.objects.filter(study=study).values_list("dialog__video", flat=True).distinct()
        known = StudyVideo.objects.filter(study=study, video__in=about).values_list("video", flat=True)
        new = set(about) - set(known)
        StudyVideo.objects.bulk_create(StudyVideo(study=study, video_id=video, wanted=0) for video in sorted(new))
        videos.refresh(study)


@dataclass(frozen=True)
class Cost:
    """What judging items means: annotations, single judgements, and the expected US dollars, fees included."""

    annotations: int
    judgements: int
    estimate: cost.Estimate


def cost_of(study: Study, number: int) -> Cost:
    """Return what it takes to have ``number`` items judged, as a launch counts it."""
    annotations = number * (study.dialogs_per_video or 0)
    estimate = cost.estimate(launching.plan_of(study, annotations), cost.FEES["mturk"])
    return Cost(annotations, annotations * OPTIONS, estimate)
