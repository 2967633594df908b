"""What is in the database before a run? A study with videos, dialogs of earlier days, workers who have agreed.

``python -m tests.bench.preparing study|history|collection|workers|seated ...`` runs inside an installation's
environment; the last two print the tokens of their workers. The participations are those that ``studies.admission``
makes, many at a time.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Callable, Iterable
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collector.settings")
django.setup()

from django.db import connection  # noqa: E402

from chat import presence, times, waiting_room  # noqa: E402
from chat.models import Dialog, Role, Seat, SeatState, Utterance  # noqa: E402
from collector.catalogue.models import Script, Video  # noqa: E402
from collector.lib import clock  # noqa: E402
from collector.studies import admission, versions  # noqa: E402
from collector.studies.models import (  # noqa: E402
    Collection,
    Fault,
    MetPartner,
    Outcome,
    Participation,
    SeenVideo,
    State,
    Study,
    StudyVideo,
    Worker,
)
from tests import talk  # noqa: E402

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
QUESTION = "What's the person in the middle of the room doing then, exactly?"
ANSWER = "She doesn't do much, she picks up a cup, drinks from it and walks out."
SPLITS = (("train", 7985), ("val", 1863), ("test", 1968))
"""Videos of AVSD v1.0 by split; the made-up collection has the same shares."""
VIDEOS = 1000
MANY = 2000
"""Rows a statement."""


def make_study(rounds: int) -> None:
    """Make an open study with videos that no file stands behind, and an ordinary script each."""
    now = clock.now()
    study = Study.objects.create(
        collection=Collection.objects.create(name="Benchmark"), name="Benchmark", slug="benchmark", state=State.OPEN,
        dialogs_per_video=None, rounds=rounds, created_at=now,
    )  # fmt: skip
    videos = Video.objects.bulk_create(
        Video(
            image_id=f"B{DIGITS[i // 1296 % 36]}{DIGITS[i // 36 % 36]}{DIGITS[i % 36]}0", file="videos/none.mp4",
            checksum="0" * 64, size=1000, duration=30.0, width=640, height=360, has_sound=True, video_codec="h264",
            audio_codec="aac", is_playable=True, created_at=now, updated_at=now,
        )
        for i in range(VIDEOS)
    )  # fmt: skip
    Script.objects.bulk_create(Script(video=video, text="A person opens a door and sits down.") for video in videos)
    StudyVideo.objects.bulk_create(StudyVideo(study=study, video=video, wanted=None) for video in videos)
    versions.current(study)


def make_workers(number: int) -> list[Worker]:
    """Return workers: those who took part before, as far as there are any, then new ones."""
    old = list(Worker.objects.filter(external_id__in=[f"old-{i}" for i in range(number)]).order_by("pk"))
    start, now = Worker.objects.count(), clock.now()
    new = [
        Worker(marketplace="link", environment="live", external_id=f"worker-{start + i}", created_at=now)
        for i in range(number - len(old))
    ]
    return old + Worker.objects.bulk_create(new, batch_size=MANY)


def admit(study: Study, workers: Iterable[Worker]) -> list[Participation]:
    """Return an open participation of each worker."""
    version, now = versions.current(study), clock.now()
    return Participation.objects.bulk_create(
        (
            Participation(
                study=study, version=version, worker=worker, consent_digest=version.consent_digest, arrived_at=now,
                confirmed_at=now, completion_code="0000",
            )
            for worker in workers
        ),
        batch_size=MANY,
    )  # fmt: skip


def make_seated(study: Study, number: int) -> list[Participation]:
    """Return participations of workers who are paired already, partners side by side, nobody connected."""
    presence.renew_lease()
    participations = admit(study, make_workers(number))
    for participation in participations:
        presence.take(waiting_room.enter(participation).pk, "bench")
    while waiting_room.pair_waiting(study.pk):
        pass
    presence.drop_lease()
    Seat.objects.update(away_since=None)  # they come at once; nobody has missed them yet
    seats = Seat.objects.filter(participation__in=participations).order_by("dialog", "pk")
    return [seat.participation for seat in seats.select_related("participation")]


def make_history(study: Study, number: int) -> None:
    """Store complete dialogs of ten rounds, ten a worker."""
    workers = Worker.objects.bulk_create(
        (
            Worker(marketplace="link", environment="live", external_id=f"old-{i}", created_at=clock.now())
            for i in range(number // 5)
        ),
        batch_size=MANY,
    )
    videos = list(StudyVideo.objects.filter(study=study).order_by("pk"))
    same = [QUESTION, ANSWER] * 10 + [QUESTION]
    for start in range(0, number, MANY):
        numbers = range(start, min(number, start + MANY))
        _make_dialogs(study, workers, [each.video for each in videos], numbers, lambda: same)
    for row in videos:
        row.started = number // len(videos)
    StudyVideo.objects.bulk_update(videos, ["started"], batch_size=500)


def make_collection(study: Study, number: int) -> None:
    """Store a made-up collection: so many videos in three splits, a dialog of ten rounds about each."""
    rng, total = random.Random(1), sum(count for _, count in SPLITS)
    splits = [split for split, count in SPLITS for _ in range(-(-number * count // total))]
    model = Video.objects.first()
    assert model
    fields = {f.attname: getattr(model, f.attname) for f in Video._meta.fields if f.attname != "id"}
    videos = Video.objects.bulk_create(
        (
            Video(**fields | {"image_id": image_id, "split": split})
            for image_id, split in zip(talk.videos(number), splits, strict=False)
        ),
        batch_size=MANY,
    )
    Script.objects.bulk_create(Script(video=video, text=f"Somebody {talk.answer(rng)}") for video in videos)
    workers = Worker.objects.bulk_create(
        Worker(marketplace="link", environment="live", external_id=f"made-up-{i}", created_at=clock.now())
        for i in range(number // 5)
    )

    def said() -> list[str]:
        texts = [text for both in talk.rounds(rng) for text in both]
        return [*texts, " ".join(talk.answer(rng) for _ in range(2))]

    for start in range(0, number, MANY):
        _make_dialogs(study, workers, videos, range(start, min(number, start + MANY)), said)


def _make_dialogs(
    study: Study, workers: list[Worker], videos: list[Video], numbers: range, said: Callable[[], list[str]]
) -> None:
    """Store complete dialogs; ``said`` gives the 21 texts of the next one."""
    version = versions.current(study)
    content = versions.content_of(version)
    began, ended = clock.now() - timedelta(days=1), clock.now() - timedelta(hours=23)
    half = len(workers) // 2
    pairs = [
        # With partners from the other half, who comes again has met next to none of those who come with them.
        (workers[i % len(workers)], workers[(i + half + i // len(workers)) % len(workers)], videos[i % len(videos)])
        for i in numbers
    ]
    dialogs = Dialog.objects.bulk_create(
        Dialog(
            study=study, video=video, rounds=10, limits=waiting_room._limits(content), version=22,
            times=times.of(content, video.duration),
            started_at=began, ended_at=ended, is_complete=True, ended_why=Outcome.COMPLETE,
        )
        for _, _, video in pairs
    )  # fmt: skip
    for role, which in ((Role.QUESTIONER, 0), (Role.ANSWERER, 1)):
        parts = Participation.objects.bulk_create(
            Participation(
                study=study, version=version, worker=pair[which], consent_digest=version.consent_digest,
                arrived_at=began, confirmed_at=began, started_at=began, ended_at=ended, outcome=Outcome.COMPLETE,
                fault=Fault.NOBODY, completion_code="0000",
            )
            for pair in pairs
        )  # fmt: skip
        Seat.objects.bulk_create(
            Seat(
                participation=part, study=study, worker_id=part.worker_id, state=SeatState.CLOSED, dialog=dialog,
                role=role, rules_digest=version.rules_digest, entered_at=began, paired_at=began, watched_at=began,
                closed_at=ended,
            )
            for part, dialog in zip(parts, dialogs, strict=True)
        )  # fmt: skip
    Utterance.objects.bulk_create(
        (
            Utterance(
                dialog=dialog, position=position, version=position + 2, key=f"key-{position:08}", stored_at=ended,
                text=text,
            )
            for dialog in dialogs
            for position, text in enumerate(said())
        ),
        batch_size=5000,
    )  # fmt: skip
    collection = study.collection
    SeenVideo.objects.bulk_create(
        (SeenVideo(collection=collection, worker=w, video=video) for *both, video in pairs for w in both),
        ignore_conflicts=True,
    )
    met = {(min(a.pk, b.pk), max(a.pk, b.pk)) for a, b, _ in pairs}
    MetPartner.objects.bulk_create(
        (MetPartner(collection=collection, first_id=first, second_id=second) for first, second in met),
        ignore_conflicts=True,
    )


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["study", "history", "collection", "workers", "seated"])
    parser.add_argument("number", type=int, help="rounds, dialogs or workers")
    options = parser.parse_args()
    if options.what == "study":
        make_study(options.number)
        return
    study = Study.objects.get(slug="benchmark")
    if options.what in ("history", "collection"):
        (make_history if options.what == "history" else make_collection)(study, options.number)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # as the server itself would have, by the next day
        return
    if options.what == "workers":
        made = admit(study, make_workers(options.number))
    else:
        made = make_seated(study, options.number)
    json.dump([admission.token_of(participation) for participation in made], sys.stdout)


if __name__ == "__main__":
    main()
