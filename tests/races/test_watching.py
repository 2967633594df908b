"""Many watchers at once: never more on a video than wanted, nobody twice, nobody with two videos."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from collector.relevance import judging
from collector.relevance.models import Judging
from collector.studies.models import Outcome, Participation, SeenVideo, StudyVideo, Why
from collector.summaries import watching
from collector.summaries.models import Summary, Viewing
from tests import factories
from tests.relevance import scene as judging_scene
from tests.summaries import scene

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def all_click_twice(begin: Callable[[int], object], entering: list[Participation]) -> None:
    """Let all begin at the same time, each of them twice."""

    def come(participation: Participation) -> None:
        try:
            for _ in range(2):
                begin(participation.pk)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(come, entering))


def test_many_who_begin_at_once_get_no_more_than_is_wanted_and_nobody_twice() -> None:
    study = scene.study(videos=10, wanted=4)
    known = StudyVideo.objects.order_by("pk").first()
    entering = [factories.participation(study) for _ in range(60)]
    for each in entering[:20]:  # were in a dialog about the first video, elsewhere
        SeenVideo.objects.create(collection=factories.collection(), worker=each.worker, video=known.video)  # type: ignore[union-attr]
    all_click_twice(watching.begin, entering)
    given = Counter(Viewing.objects.values_list("video", flat=True))
    assert Viewing.objects.count() == 40
    assert set(given.values()) == {4}
    assert set(StudyVideo.objects.values_list("started", flat=True)) == {4}
    assert not Viewing.objects.filter(video=known.video, participation__in=entering[:20]).exists()  # type: ignore[union-attr]
    ended = Participation.objects.exclude(outcome="")
    assert set(ended.values_list("outcome", flat=True)) == {Outcome.STUDY_ENDED}
    assert set(ended.values_list("why", flat=True)) <= {Why.NO_VIDEO_LEFT, Why.ALL_SEEN}
    assert ended.count() == 20


def test_one_worker_in_two_studies_at_once_never_gets_a_video_twice() -> None:
    first = scene.study(videos=3)
    second = scene.study(videos=0)
    for row in StudyVideo.objects.all():
        scene.offer(second, row.video)
    workers = [factories.worker() for _ in range(12)]
    entering = [factories.participation(study, who) for who in workers for study in (first, second)]

    def come(participation: Participation) -> None:
        try:
            watching.begin(participation.pk)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(come, entering))
    seen = Counter(Viewing.objects.values_list("participation__worker", "video"))
    assert set(seen.values()) == {1}


def test_a_summary_posted_many_times_at_once_is_stored_once() -> None:
    made = scene.watcher(scene.study())
    made.begin()
    made.watch()

    def send(_: int) -> None:
        try:
            watching.summarise(made.participation.pk, watching.Written(scene.KEY, scene.TEXT))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send, range(16)))
    assert Summary.objects.count() == 1
    assert made.now().outcome == Outcome.COMPLETE


def test_many_judges_who_begin_at_once_get_each_item_as_often_as_it_is_wanted() -> None:
    study = judging_scene.study(items=2, people=3)
    dialog = study.items.earliest("pk").dialog
    judging_scene.offer(study, judging_scene.item(study, dialog, round=1))
    entering = [factories.participation(study) for _ in range(14)]
    all_click_twice(judging.begin, entering)
    given = Counter(Judging.objects.values_list("item", flat=True))
    assert list(given.values()) == [3, 3, 3]
    ended = Participation.objects.filter(study=study).exclude(outcome="")
    assert set(ended.values_list("why", flat=True)) == {Why.NO_VIDEO_LEFT}
    assert ended.count() == 5
