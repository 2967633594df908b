"""What leaves the data leaves it whole, gives its video back, and comes back as easily; nothing is counted twice."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db.models import Model

from chat import dialogs, presence
from chat.models import Dialog, DialogTakenOut
from collector.studies import videos
from collector.studies.leaving import CannotLeave, withdrawal_changed
from collector.studies.models import Outcome, Participation, Study, StudyVideo
from collector.summaries.models import Viewing, ViewingTakenOut
from tests import factories
from tests.chat import scene as talking
from tests.relevance import scene as judging
from tests.summaries import scene as watching

pytestmark = pytest.mark.django_db
Work = Dialog | Viewing


def a_dialog(simulated: bool = False) -> Work:
    """Return a complete dialog of a study that wants one about its only video."""
    study = talking.study(videos=1, dialogs_per_video=1)
    video = StudyVideo.objects.get(study=study).video
    if not simulated:
        StudyVideo.objects.update(started=1)
    return factories.finished_dialog(study=study, video=video, is_simulated=simulated, is_counted=not simulated)


def a_viewing(simulated: bool = False) -> Work:
    """Return a viewing with its summary, of a study that wants one about its only video."""
    watcher = watching.watcher(watching.study(wanted=1), is_simulated=simulated)
    watcher.begin()
    watcher.watch()
    watcher.summarise()
    return Viewing.objects.get()


def a_judging(simulated: bool = False) -> Work:
    """Return the viewing of who has judged the only item of a study that wants it judged once."""
    judge = judging.judge(judging.study(people=1), is_simulated=simulated)
    judge.judge()
    return Viewing.objects.get()


def is_in_data(work: Work) -> bool:
    return type(work).objects.in_data().filter(pk=work.pk).exists()


def take_out(work: Work, who: User, reason: str = "They talk about the weather.") -> int:
    return type(work).objects.filter(pk=work.pk).take_out(reason, who)


def put_back(work: Work, who: User) -> int:
    return type(work).objects.filter(pk=work.pk).put_back(who)


def numbers() -> tuple[int, int | None]:
    row = StudyVideo.objects.get()
    return row.started, row.wanted


def withdraw(work: Work, outcome: Outcome = Outcome.WITHDRAWN) -> None:
    part = work.participation if isinstance(work, Viewing) else work.seats.earliest("pk").participation
    Participation.objects.filter(pk=part.pk).update(outcome=outcome)
    withdrawal_changed.send(Participation, participation_id=part.pk)


@pytest.mark.parametrize(("make", "taken"), [(a_dialog, DialogTakenOut), (a_viewing, ViewingTakenOut)])
def test_what_a_person_takes_out_gives_its_video_back_until_it_is_put_back(
    make: Callable[[], Work], taken: type[Model], admin_user: User
) -> None:
    work = make()
    assert (is_in_data(work), numbers()) == (True, (1, 1))
    assert take_out(work, admin_user) == 1
    assert take_out(work, admin_user) == 0, "it is out already"
    assert (is_in_data(work), numbers()) == (False, (0, 1))
    row = taken._default_manager.values("who", "reason", "undone_by").get()
    assert row == {"who": admin_user.pk, "reason": "They talk about the weather.", "undone_by": None}
    assert put_back(work, admin_user) == 1
    assert put_back(work, admin_user) == 0
    assert (is_in_data(work), numbers()) == (True, (1, 1))
    assert taken._default_manager.values("undone_by").get() == {"undone_by": admin_user.pk}


@pytest.mark.parametrize("make", [a_dialog, a_viewing, a_judging])
def test_what_a_worker_withdraws_gives_its_video_back_once_whoever_else_takes_it_out(
    make: Callable[[], Work], admin_user: User
) -> None:
    work = make()
    withdraw(work)
    take_out(work, admin_user)
    assert (is_in_data(work), numbers()) == (False, (0, 1))
    put_back(work, admin_user)
    assert (is_in_data(work), numbers()) == (False, (0, 1)), "the worker has still withdrawn"
    withdraw(work, Outcome.COMPLETE)
    assert (is_in_data(work), numbers()) == (True, (1, 1))


def test_a_video_that_was_given_to_others_meanwhile_is_wanted_once_more(admin_user: User) -> None:
    work = a_dialog()
    take_out(work, admin_user)
    StudyVideo.objects.update(started=1)
    put_back(work, admin_user)
    assert numbers() == (2, 2)


@pytest.mark.parametrize("make", [a_dialog, a_viewing])
def test_what_programs_made_was_never_counted(make: Callable[[bool], Work], admin_user: User) -> None:
    work = make(True)
    StudyVideo.objects.update(started=1)
    take_out(work, admin_user)
    assert (is_in_data(work), numbers()) == (False, (1, 1))
    put_back(work, admin_user)
    assert numbers() == (1, 1)


def test_nothing_leaves_without_a_reason(admin_user: User) -> None:
    work = a_dialog()
    with pytest.raises(CannotLeave, match="Say why"):
        take_out(work, admin_user, " ")
    assert is_in_data(work)


def test_a_dialog_that_ends_after_its_answerer_has_withdrawn_gives_its_video_back_once() -> None:
    presence.renew_lease()
    study = talking.study(videos=1, dialogs_per_video=1)
    pair = talking.Pair(study)
    assert numbers() == (1, 1)
    part = pair.answerer.participation
    Participation.objects.filter(pk=part.pk).update(outcome=Outcome.WITHDRAWN, ended_at=part.confirmed_at)
    withdrawal_changed.send(Participation, participation_id=part.pk)
    assert numbers() == (0, 1)
    dialogs.leave(pair.questioner.pk, "")
    assert numbers() == (0, 1)


def test_a_dialog_without_summary_that_its_study_does_without_is_counted_again(admin_user: User) -> None:
    work = a_dialog()
    Study.objects.update(recollect_without_summary=False)
    Dialog.objects.update(is_complete=False, ended_why=Outcome.LEFT)
    take_out(work, admin_user)
    put_back(work, admin_user)
    assert numbers() == (1, 1)


def test_a_summary_study_takes_no_video_whose_dialogs_have_left(admin_user: User) -> None:
    left, stays = a_dialog(), factories.finished_dialog()
    assert isinstance(left, Dialog)
    Dialog.objects.filter(pk=stays.pk).update(study=left.study)
    take_out(left, admin_user)
    follows = watching.study(videos=0, videos_of=left.study)
    videos.refresh(follows)
    assert StudyVideo.objects.get(study=follows).video_id == stays.video_id
