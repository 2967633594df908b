"""Many take out, put back and withdraw the same dialogs, while others are paired: every video's number holds."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connections, transaction

from chat import presence, waiting_room
from chat.models import Dialog
from collector.studies.leaving import withdrawal_changed
from collector.studies.models import Outcome, Participation, StudyVideo
from tests import factories
from tests.chat import scene

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def test_a_video_s_number_is_that_of_its_dialogs_in_the_data_whatever_happens_at_once(admin_user: User) -> None:
    presence.renew_lease()
    study = scene.study(videos=3, dialogs_per_video=2)
    for row in StudyVideo.objects.all():
        factories.finished_dialog(study=study, video=row.video)
    StudyVideo.objects.update(started=1)
    dialogs = list(Dialog.objects.order_by("pk"))
    for _ in range(8):
        scene.newcomer(study)

    def act(seed: int) -> None:
        draw = random.Random(seed)
        chosen = Dialog.objects.filter(pk__in=[each.pk for each in draw.sample(dialogs, 2)])
        try:
            what = seed % 4
            if what == 0:
                chosen.take_out("Off the subject.", admin_user)
            elif what == 1:
                chosen.put_back(admin_user)
            elif what == 2:
                with transaction.atomic():
                    outcome = draw.choice([Outcome.WITHDRAWN, Outcome.COMPLETE])
                    part = Participation.objects.filter(seats__dialog=dialogs[0]).earliest("pk")
                    Participation.objects.filter(pk=part.pk).update(outcome=outcome)
                    withdrawal_changed.send(Participation, participation_id=part.pk)
            else:
                waiting_room.pair_waiting(study.pk)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(act, range(64)))
    there = Counter(Dialog.objects.in_data().values_list("video", flat=True))
    counted = dict(StudyVideo.objects.values_list("video", "started"))
    assert counted == {each.video_id: there[each.video_id] for each in dialogs}
    assert set(Dialog.objects.filter(is_counted=True)) == set(Dialog.objects.in_data())
    assert Dialog.objects.count() > len(dialogs), "some were paired meanwhile"
