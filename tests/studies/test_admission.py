"""Who is admitted, under which version, and what is remembered."""

import pytest

from chat import presence, waiting_room
from collector.lib import tokens
from collector.studies import outcomes, versions, videos
from collector.studies.admission import Code, Identity, NotAdmitted, access_participation, admit
from collector.studies.models import Outcome, Participation, State, StudyVersion, StudyVideo
from tests import factories
from tests.chat import scene

pytestmark = pytest.mark.django_db


def identity(name: str = "p1") -> Identity:
    return Identity("link", "live", name)


def test_the_same_worker_resumes_the_open_participation() -> None:
    study = factories.study()
    first, second = admit(study, identity()), admit(study, identity())
    assert first.participation == second.participation
    assert (first.is_new, second.is_new) == (True, False)
    assert access_participation(first.token) == first.participation


def test_who_has_ended_may_take_part_again() -> None:
    study = factories.study()
    first = admit(study, identity())
    outcomes.end(first.participation.pk, Outcome.COMPLETE)
    assert admit(study, identity()).participation != first.participation


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (State.DRAFT, Code.NOT_OPEN),
        (State.DRAIN, Code.PAUSED),
        (State.PAUSED, Code.PAUSED),
        (State.CLOSED, Code.CLOSED),
    ],
)
def test_a_study_that_is_not_open_admits_nobody_and_says_which_it_is(state: State, code: Code) -> None:
    with pytest.raises(NotAdmitted) as caught:
        admit(factories.study(state=state), identity())
    assert caught.value.code == code
    assert not Participation.objects.exists()


def test_a_draft_lets_programs_in_and_pairs_them_and_nobody_else() -> None:
    presence.renew_lease()
    draft = scene.study(state=State.DRAFT)
    people = [scene.arrive(factories.participation(draft)) for _ in range(2)]
    programs = []
    for number in range(2):
        who = Identity("link", "simulated", f"sim-{number}", is_simulated=True)
        programs.append(scene.arrive(admit(draft, who).participation))
    (dialog,) = waiting_room.pair_waiting(draft.pk)
    assert set(dialog.seats.all()) == set(programs)
    assert set(waiting_room.hopeless()) == {seat.pk for seat in people}
    assert draft.study_videos.filter(started__gt=0).count() == 0


@pytest.mark.parametrize("state", [State.PAUSED, State.CLOSED])
def test_a_study_that_is_over_admits_no_program_either(state: State) -> None:
    with pytest.raises(NotAdmitted):
        admit(factories.study(state=state), Identity("link", "simulated", "sim-1", is_simulated=True))


def test_who_is_inside_a_paused_study_goes_on() -> None:
    study = factories.study()
    first = admit(study, identity())
    study.state = State.PAUSED
    study.save()
    assert admit(study, identity()).participation == first.participation


def test_the_cap_holds_over_the_collection_and_counts_what_is_under_way() -> None:
    collection = factories.collection(cap=2)
    one, other = factories.study(collection=collection), factories.study(collection=collection)
    outcomes.end(admit(one, identity()).participation.pk, Outcome.COMPLETE)
    admit(one, identity())
    with pytest.raises(NotAdmitted) as caught:
        admit(other, identity())
    assert caught.value.code == Code.OVER_CAP


@pytest.mark.parametrize("outcome", [Outcome.NO_PARTNER, Outcome.PARTNER_LEFT, Outcome.LEFT])
def test_ends_for_want_of_a_partner_do_not_count_towards_the_cap(outcome: Outcome) -> None:
    study = factories.study(collection=factories.collection(cap=1))
    outcomes.end(admit(study, identity()).participation.pk, outcome)
    assert admit(study, identity()).is_new


@pytest.mark.parametrize("name", ["", "a b", "x" * 81, "W1,W1", "<script>", "a/b", "é"])
def test_an_id_that_no_marketplace_gives_is_refused(name: str) -> None:
    with pytest.raises(NotAdmitted) as caught:
        identity(name)
    assert caught.value.code == Code.BAD_IDENTITY


def test_an_end_is_written_once() -> None:
    participation = factories.participation()
    assert outcomes.end(participation.pk, Outcome.COMPLETE)
    assert not outcomes.end(participation.pk, Outcome.LEFT)
    participation.refresh_from_db()
    assert participation.outcome == Outcome.COMPLETE


def test_a_raised_generation_makes_older_links_invalid() -> None:
    admitted = admit(factories.study(), identity())
    Participation.objects.update(generation=2)
    with pytest.raises(tokens.BadToken):
        access_participation(admitted.token)


@pytest.mark.parametrize("token", ["", "1-1", "1-1.x", "a-b.c", "1-1." + "x" * 43])
def test_a_forged_token_opens_nothing(token: str) -> None:
    with pytest.raises(tokens.BadToken):
        access_participation(token)


def test_logs_hold_no_token_and_no_worker_id() -> None:
    assert tokens.redact("GET /w/1-1.abc/finish/ 404") == "GET /w/…/finish/ 404"
    assert tokens.redact("/join/s/?participant=ANNA&workerId=A1B2") == "/join/s/?participant=…&workerId=…"


def test_an_edited_study_gets_a_new_version_and_participations_keep_theirs() -> None:
    study = factories.study()
    before = admit(study, identity("p1")).participation
    study.rounds = 5
    study.save()
    after = admit(study, identity("p2")).participation
    assert (before.version.number, after.version.number) == (1, 2)
    assert before.version.content["rounds"] == 10
    assert before.version.rules_digest != after.version.rules_digest


def test_a_text_edited_and_edited_back_is_the_old_version() -> None:
    study = factories.study()
    first = versions.current(study)
    study.title = "Another title"
    assert versions.current(study) != first
    study.title = first.content["title"]
    assert versions.current(study) == first
    assert StudyVersion.objects.filter(study=study).count() == 2


def test_other_wording_alone_does_not_keep_partners_apart() -> None:
    study = factories.study()
    first = versions.current(study)
    study.instructions += "More."
    assert versions.current(study).rules_digest == first.rules_digest


def test_videos_of_a_split_belong_to_the_study_with_the_number_it_wants() -> None:
    study = factories.study(split="train", dialogs_per_video=2)
    inside, _ = factories.video(split="train"), factories.video(split="test")
    videos.refresh(study)
    assert list(StudyVideo.objects.values_list("video", "wanted")) == [(inside.pk, 2)]


def test_a_number_below_what_is_started_stays_at_what_is_started() -> None:
    study = factories.study(split="train", dialogs_per_video=3)
    factories.video(split="train")
    videos.refresh(study)
    StudyVideo.objects.update(started=2)
    study.dialogs_per_video = 1
    videos.refresh(study)
    assert StudyVideo.objects.get().wanted == 2
