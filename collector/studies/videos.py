"""Which video comes next for two workers, and how many dialogs about it are wanted and started?"""

import random
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property

from django.db import connection
from django.db.models import Case, Count, Exists, F, OuterRef, PositiveIntegerField, Q, QuerySet, When

from collector.catalogue.models import Video
from collector.studies.models import Kind, MetPartner, SeenVideo, Study, StudyVideo, Worker

HELD_EVERYWHERE_FROM = 2
"""How many workers must report a video until it is held in every study."""
_HAS_ROOM = Q(wanted__isnull=True) | Q(started__lt=F("wanted"))


def refresh(study: Study) -> None:
    """Bring the study's video rows in line with its split, the study it follows, and the number it wants a video.

    A number below what is started already stays at what is started. The videos of a relevance study come with its
    items: of each it wants the number for every item whose dialog is in the data.
    """
    if study.kind == Kind.RELEVANCE:
        _refresh_items(study)
        return
    if study.split or study.videos_of_id:
        chosen = Q(pk__in=_talked_about(study.videos_of_id)) if study.videos_of_id else Q()
        chosen |= Q(split=study.split) if study.split else Q()
        known = StudyVideo.objects.filter(study=study).values("video")
        new = Video.objects.filter(chosen).exclude(pk__in=known)
        StudyVideo.objects.bulk_create(
            (StudyVideo(study=study, video=video, wanted=study.dialogs_per_video) for video in new.iterator()),
            batch_size=500,
            ignore_conflicts=True,
        )
    rows = StudyVideo.objects.filter(study=study)
    if study.dialogs_per_video is None:
        rows.update(wanted=None)
    else:
        rows.filter(started__lte=study.dialogs_per_video).update(wanted=study.dialogs_per_video)
        rows.filter(started__gt=study.dialogs_per_video).update(wanted=F("started"))


def _refresh_items(study: Study) -> None:
    rows = StudyVideo.objects.filter(study=study)
    in_data = Q(video__dialogs__is_counted=True) | Q(video__dialogs__is_simulated=True)
    items = Count("video__dialogs__items", in_data & Q(video__dialogs__items__study=study))
    for row in rows.annotate(items=items).iterator():
        wanted = max(row.started, (study.dialogs_per_video or 0) * row.items)
        rows.filter(pk=row.pk, started__lte=wanted).exclude(wanted=wanted).update(wanted=wanted)


def _talked_about(study_id: int) -> QuerySet[Video, int]:
    """Return the ids of the videos that people have held complete dialogs about in a study, which are in the data."""
    complete = Video.objects.filter(
        dialogs__study=study_id, dialogs__is_complete=True, dialogs__is_simulated=False, dialogs__is_counted=True
    )
    return complete.values_list("pk", flat=True)


def any_left(study: Study, *, simulated: bool) -> bool:
    """Tell whether any video of the study may still be given to somebody."""
    rows = _usable(study)
    return (rows if simulated else rows.filter(_HAS_ROOM)).exists()


class Shelf:
    """The videos of a study while one crowd of workers is paired: read once and written once.

    Dialogs of simulated workers are not counted: they use up nothing that people are wanted for. Call inside the
    pairing transaction. Rows that somebody else changes just now are left out of this crowd's choice.
    """

    def __init__(self, study: Study, workers: list[int]) -> None:
        self._study = study
        self._seen: defaultdict[int, set[int]] = defaultdict(set)
        rows = SeenVideo.objects.filter(collection=study.collection_id, worker__in=workers)
        for worker, video in rows.values_list("worker", "video"):
            self._seen[worker].add(video)
        # As many as the pairs use up, and those that a pair may have seen: what comes behind is never reached.
        enough = len(workers) // 2 + 2 * max((len(seen) for seen in self._seen.values()), default=0) + 1
        can_skip = connection.features.has_select_for_update_skip_locked
        free = _usable(study).filter(_HAS_ROOM).order_by("started", "pk")
        locked = free.select_for_update(of=("self",), skip_locked=can_skip)[:enough]
        self._rows = [(row.started, row.pk, row.video_id, row.wanted) for row in locked]
        self._taken: Counter[int] = Counter()

    def any_left(self, *, simulated: bool) -> bool:
        """Tell whether any video may still be given to somebody."""
        return any_left(self._study, simulated=True) if simulated else bool(self._rows)

    def take(self, workers: tuple[int, int], *, simulated: bool) -> int | None:
        """Return the video with the fewest dialogs that neither worker has seen, counted as started, or None."""
        if simulated:
            return self._take_for_programs(workers)
        seen = self._seen[workers[0]] | self._seen[workers[1]]
        for index, (started, pk, video_id, wanted) in enumerate(self._rows):
            if video_id not in seen:
                del self._rows[index]
                self._taken[pk] += 1
                if wanted is None or started + 1 < wanted:
                    insort(self._rows, (started + 1, pk, video_id, wanted))
                return video_id
        return None

    def _take_for_programs(self, workers: tuple[int, int]) -> int | None:
        """Return one of those with the fewest dialogs of programs, which count for nothing else."""
        videos = list(unseen_by(self._study, *workers, simulated=True).values_list("video", flat=True)[:1000])
        if not videos:
            return None
        fewest = min(self._of_programs[video] for video in videos)
        taken = random.choice([video for video in videos if self._of_programs[video] == fewest])
        self._of_programs[taken] += 1
        return taken

    @cached_property
    def _of_programs(self) -> Counter[int]:
        rows = Video.objects.filter(dialogs__study=self._study, dialogs__is_simulated=True)
        return Counter(dict(rows.values_list("pk").annotate(number=Count("dialogs"))))

    def save(self) -> None:
        """Count what was taken."""
        by_number: defaultdict[int, list[int]] = defaultdict(list)
        for pk, number in self._taken.items():
            by_number[number].append(pk)
        for number, rows in by_number.items():
            StudyVideo.objects.filter(pk__in=rows).update(started=F("started") + number)


class Left:
    """What of a study's videos may still be given to some workers, read in two queries; nothing is locked."""

    def __init__(self, study: Study, workers: list[int], *, simulated: bool) -> None:
        self._seen: defaultdict[int, set[int]] = defaultdict(set)
        rows = SeenVideo.objects.filter(collection=study.collection_id, worker__in=workers)
        for worker, video in rows.values_list("worker", "video"):
            self._seen[worker].add(video)
        usable = _usable(study) if simulated else _usable(study).filter(_HAS_ROOM)
        # More than two of them have seen together: if all of these are known to two workers, there are no others.
        enough = 2 * max((len(seen) for seen in self._seen.values()), default=0) + 1
        self._videos = set(usable.values_list("video", flat=True)[:enough])

    def is_any(self, *workers: int) -> bool:
        """Tell whether a video is left that none of these workers, two at most, has seen."""
        return bool(self._videos.difference(*(self._seen[worker] for worker in workers)))


def unseen_by(study: Study, *workers: int | OuterRef, simulated: bool) -> QuerySet[StudyVideo]:
    """Return the videos of a study that may still be given and that none of the workers has seen."""
    rows = _usable(study) if simulated else _usable(study).filter(_HAS_ROOM)
    for worker in workers:
        seen = SeenVideo.objects.filter(collection=study.collection_id, worker=worker, video=OuterRef("video"))
        rows = rows.exclude(Exists(seen))
    return rows


def take_one(study: Study, worker_id: int, *, simulated: bool) -> int | None:
    """Give a worker who works alone the video with the fewest so far, counted as started, or None.

    Never one that the worker has seen in any collection: a dialog about it would tell what happens. The rows of worker
    and study are locked, so that many at once get no more than is wanted. Call inside a transaction.
    """
    Worker.objects.select_for_update(no_key=True).get(pk=worker_id)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    rows = new_to(study, worker_id, simulated=simulated)
    # Programs are not counted as started, so theirs are counted here.
    theirs = Q(video__viewings__participation__study=study, video__viewings__participation__is_simulated=True)
    number = Count("video__viewings", theirs) if simulated else F("started")
    row = rows.annotate(number=number).order_by("number", "pk").first()
    if row is None:
        return None
    if not simulated:
        StudyVideo.objects.filter(pk=row.pk).update(started=F("started") + 1)
    SeenVideo.objects.bulk_create(
        [SeenVideo(collection_id=study.collection_id, worker_id=worker_id, video_id=row.video_id)],
        ignore_conflicts=True,
    )
    return row.video_id


def new_to(study: Study, worker_id: int, *, simulated: bool) -> QuerySet[StudyVideo]:
    """Return the videos that may still be given and that the worker has seen in no study of any collection."""
    rows = _usable(study) if simulated else _usable(study).filter(_HAS_ROOM)
    return rows.exclude(video__in=SeenVideo.objects.filter(worker=worker_id).values("video"))


def hold(study_id: int, video_id: int, reporters: int) -> None:
    """Keep a reported video back: in the study at once, everywhere when two workers have reported it."""
    StudyVideo.objects.filter(study=study_id, video=video_id).update(is_held=True)
    if reporters >= HELD_EVERYWHERE_FROM:
        Video.objects.filter(pk=video_id).update(is_held=True)


def release(rows: QuerySet[StudyVideo]) -> None:
    """Give held videos again, in their studies and everywhere."""
    Video.objects.filter(study_videos__in=rows).update(is_held=False)
    rows.update(is_held=False)


def _usable(study: Study) -> QuerySet[StudyVideo]:
    rows = StudyVideo.objects.filter(study=study, is_held=False, video__is_playable=True, video__is_held=False)
    return rows.exclude(video=study.example_id) if study.example_id else rows


def give_back(study_id: int, video_id: int) -> None:
    """Count one dialog about a video, or summary of it, less, since it came to nothing."""
    StudyVideo.objects.filter(study=study_id, video=video_id, started__gt=0).update(started=F("started") - 1)


def count_again(study_id: int, video_id: int) -> None:
    """Count one that came back into the data; if its place was given to another meanwhile, both are wanted."""
    full = When(wanted__lte=F("started"), then=F("started") + 1)
    rows = StudyVideo.objects.filter(study=study_id, video=video_id)
    rows.update(wanted=Case(full, default=F("wanted"), output_field=PositiveIntegerField()), started=F("started") + 1)


def remember_meetings(study: Study, meetings: list[tuple[int, int, int]]) -> None:
    """Store which two workers have met and have seen which video, given as (video, worker, worker)."""
    collection = study.collection_id
    SeenVideo.objects.bulk_create(
        [SeenVideo(collection_id=collection, worker_id=w, video_id=video) for video, *both in meetings for w in both],
        ignore_conflicts=True,
    )
    MetPartner.objects.bulk_create(
        [MetPartner(collection_id=collection, first_id=min(a, b), second_id=max(a, b)) for _, a, b in meetings],
        ignore_conflicts=True,
    )


def has_met(study: Study, worker: int) -> bool:
    """Tell whether a worker has met anybody in the collection."""
    met = MetPartner.objects.filter(collection=study.collection_id)
    return met.filter(Q(first=worker) | Q(second=worker)).exists()


def met_pairs(study: Study, workers: Iterable[int]) -> set[tuple[int, int]]:
    """Return which of the workers have met in the collection, as (smaller id, larger id)."""
    ids = list(workers)
    rows = MetPartner.objects.filter(collection=study.collection_id, first__in=ids, second__in=ids)
    return set(rows.values_list("first", "second"))
