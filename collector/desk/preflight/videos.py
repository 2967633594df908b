"""Can a study's videos be given, played and shown? Counted in the database, and measured in the files of a few."""

import random

from django.conf import settings
from django.core.files.storage import default_storage
from django.db.models import Count, Max, Q, QuerySet
from django.urls import reverse

from collector.catalogue.models import Frame, Video
from collector.catalogue.probing import CONVERT, COPY, Unreadable, begins_at_once, probe
from collector.catalogue.storing import on_disk
from collector.desk.preflight.checks import Check, State, bad, good, unknown, warn
from collector.lib.text import many
from collector.studies import kinds, videos
from collector.studies.models import Kind, Study
from hits import launching
from hits.launching import Topic

MEASURED = 3
"""How many files are opened."""
FRAMES = 3
"""Of a video."""
_WHERE = {"disk": "MEDIA_DIR", "s3": "MEDIA_S3_BUCKET"}
_AGAIN = "Import them again: docs/videos.md."


def checks(study: Study) -> list[Check]:
    """Look at a study's videos, and at the example of a summary study."""
    form = reverse("admin:studies_study_change", args=[study.pk])
    stands = {each.topic: str(each) for each in launching.objections_to(study)}
    found = [bad("Example", stands[Topic.EXAMPLE], "Choose it in the form.", form)] if Topic.EXAMPLE in stands else []
    if Topic.VIDEOS in stands:
        how = "Import videos (docs/videos.md) and choose their split in the form, or add them there one by one."
        if study.kind == Kind.RELEVANCE:
            how = f"manage.py make_relevance_items --study {study.slug} --of STUDY; docs/relevance.md says the rest."
        return [bad("Videos", stands[Topic.VIDEOS], how, form), *found]
    given = Video.objects.filter(pk__in=videos.unseen_by(study, simulated=True).values("video"))
    number = given.count()
    found.insert(0, _number(study, number, form))
    if not number:
        return found
    without = given.annotate(number=Count("frames")).filter(number__lt=FRAMES)
    if study.kind == Kind.DIALOG:
        found.append(_all_have("Frames in the catalogue", "three frames", number, without, _AGAIN))
        if study.answerer_sees_script:
            mute = given.filter(Q(script=None) | Q(script__text=""))
            found.append(
                _all_have("Scripts", "a script, which the Answerer sees", number, mute, _AGAIN, is_needed=False)
            )
    silent = given.filter(has_sound=False)
    found.append(_all_have("Sound", "sound", number, silent, "Say so in the instructions.", is_needed=False))
    found.append(_length(study, given, form))
    return found + _measured(study, given, number)


def _number(study: Study, number: int, form: str) -> Check:
    about, units = "Videos", kinds.of(study.kind).units
    rows = study.study_videos
    total, held = rows.count(), rows.filter(Q(is_held=True) | Q(video__is_held=True)).count()
    unplayable = rows.filter(video__is_playable=False).count()
    wrong = [f"{held} held after a report"] * bool(held) + [f"{unplayable} that browsers do not play"] * bool(
        unplayable
    )
    left_out = f" Left out: {' and '.join(wrong)}." if wrong else ""
    fix = f"Release those that are held once you have looked at them; convert what does not play: {CONVERT}"
    if not number:
        return bad(about, f"None of {many(total, 'video')} can be given.{left_out}", fix, form)
    if not videos.any_left(study, simulated=False):
        said = f"All {units} that were wanted of {many(number, 'video')} are there or under way, so nobody gets one."
        return bad(about, said, f"Ask for more {units} a video, or add videos.", form)
    said = f"{number} of {many(total, 'video')} can be given.{left_out}"
    return warn(about, said, fix, form) if wrong else good(about, said)


def _all_have(
    about: str, what: str, number: int, without: QuerySet[Video], fix: str, *, is_needed: bool = True
) -> Check:
    lacking = without.count()
    if not lacking:
        return good(about, f"{'It has' if number == 1 else f'All {number} have'} {what}.")
    named = ", ".join(without.values_list("image_id", flat=True)[:3])
    said = f"{lacking} of {number} without {what}: {named}{', …' if lacking > 3 else ''}."
    return (bad if is_needed else warn)(about, said, fix)


def _length(study: Study, given: QuerySet[Video], form: str) -> Check:
    longest = given.aggregate(longest=Max("duration"))["longest"] or 0.0
    said = f"The longest lasts {longest:.0f} seconds, of {study.dialog_minutes} minutes for the whole task."
    if 120 * longest > 60 * study.dialog_minutes * 60:
        return warn("Length", said, "Give the task more time, or leave long videos out.", form)
    return good("Length", said)


def _measured(study: Study, given: QuerySet[Video], number: int) -> list[Check]:
    ids = list(given.values_list("pk", flat=True)[:1000])
    chosen = list(Video.objects.filter(pk__in=random.sample(ids, min(MEASURED, len(ids)))))
    found = [_file(video) for video in [*chosen, *([study.example] if study.example else [])]]
    troubled = [check for check in found if check.state != State.GOOD]
    if troubled:
        return troubled
    codecs = sorted({f"{each.video_codec}{f' with {each.audio_codec}' if each.audio_codec else ''}" for each in chosen})
    of = f"{len(chosen)} of {number}, drawn by chance, were" if number > 1 else "It was"
    return [good("Files", f"{of} opened and measured: {', '.join(codecs)}; they play, and begin at once.")]


def _file(video: Video) -> Check:
    """Measure one file as if it was imported now."""
    about, again = f"File of {video.image_id}", "Import it again."
    if not video.file:
        return unknown(about, "There is no file: only imported dialogs are about it.", again)
    try:
        with on_disk(str(video.file.name)) as path:
            facts, is_quick = probe(path), begins_at_once(path)
        is_shown = all(default_storage.exists(str(frame.file.name)) for frame in Frame.objects.filter(video=video))
    except (Unreadable, FileNotFoundError) as missing:
        return bad(about, f"{missing}", f"{again} {_WHERE[settings.MEDIA_STORAGE]} says where files are looked for.")
    except OSError as away:
        return bad(about, str(away), "See that, then look again.")
    if not facts.is_playable:
        return bad(about, facts.playable_note, again)
    if not is_shown:
        return bad(about, "The files of its frames are not there.", again)
    if not is_quick:
        said = "Its index stands at the end, so a player must have all of it before it begins."
        return warn(about, said, f"Copy it and import it again: {COPY}")
    return good(about, "It plays.")
