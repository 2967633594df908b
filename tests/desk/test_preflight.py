"""What a preflight says of videos, texts, offers and the machine, well or not."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core import mail

from collector.catalogue.models import Frame as Still
from collector.catalogue.probing import begins_at_once
from collector.desk.preflight import machine, offers, texts, videos
from collector.desk.preflight.checks import State
from collector.operations import pulses
from collector.studies import models
from collector.studies.models import Kind, StudyVideo
from hits import lifecycle
from hits.models import Environment
from tests import factories, services
from tests.desk.checked import by_name
from tests.hits import recruiting
from tests.localmarket.conftest import market, running_market
from tests.localmarket.market import LocalMarket
from tests.summaries import scene as watching

__all__ = ["market", "running_market"]


@pytest.mark.parametrize(
    ("boxes", "at_once"),
    [([b"ftyp", b"moov", b"mdat"], True), ([b"ftyp", b"free", b"mdat", b"moov"], False), ([b"\x1aE\xdf\xa3"], True)],
)
def test_an_mp4_begins_at_once_when_its_index_comes_first(tmp_path: Path, boxes: list[bytes], at_once: bool) -> None:
    path = tmp_path / "video"
    path.write_bytes(b"".join((8 + 20).to_bytes(4) + name + bytes(20) for name in boxes))
    assert begins_at_once(path) is at_once


@pytest.mark.django_db
class TestVideos:
    """Of a study."""

    def test_a_study_without_videos_says_how_to_get_some(self) -> None:
        assert by_name(videos.checks(factories.study()))["Videos"].state == State.BAD
        judged = by_name(videos.checks(factories.study(kind=Kind.RELEVANCE)))["Videos"]
        assert "make_relevance_items" in judged.fix

    def test_what_cannot_be_given_is_counted_and_what_lacks_something_is_named(self) -> None:
        study = factories.study()
        whole, mute = factories.video(), factories.video(script=None, has_sound=False)
        for video in (whole, mute, factories.video(is_playable=False), factories.video(is_held=True)):
            StudyVideo.objects.create(study=study, video=video)
        for slot in (1, 2, 3):
            Still.objects.create(video=whole, slot=slot, file="frames/none.jpg", seconds=0, width=1, height=1)
        found = by_name(videos.checks(study))
        assert (
            found["Videos"].says
            == "2 of 4 videos can be given. Left out: 1 held after a report and 1 that browsers do not play."
        )
        assert found["Frames in the catalogue"].says == f"1 of 2 without three frames: {mute.image_id}."
        assert mute.image_id in found["Scripts"].says
        assert mute.image_id in found["Sound"].says
        assert (
            found[f"File of {whole.image_id}"].says
            == "There is no such file. Check the name and the folder, and that it may be read."
        )

    def test_when_all_are_there_nobody_would_get_one(self) -> None:
        study = factories.study(dialogs_per_video=1)
        StudyVideo.objects.create(study=study, video=factories.video(), wanted=1, started=1)
        assert "nobody gets one" in by_name(videos.checks(study))["Videos"].says

    def test_a_summary_study_needs_its_example(self) -> None:
        study = watching.study()
        assert by_name(videos.checks(study))["Example"].state == State.BAD
        study.example = factories.video()
        study.save()
        assert "Example" not in by_name(videos.checks(study))


@pytest.mark.django_db
class TestTexts:
    """What is read, agreed to and promised."""

    def test_a_whole_study_has_nothing_to_mend(self) -> None:
        study = factories.study(researcher="Ada, ada@example.org", institution="Lab", protocol_number="12/3")
        assert {check.state for check in texts.texts(study)} == {State.GOOD}
        assert {check.state for check in texts.limits(study, is_offered=True)} == {State.GOOD}

    def test_what_is_empty_or_in_another_language_is_named(self) -> None:
        study = factories.study(purpose=" ", answerer_instructions="", researcher="Ada")
        study.language = "es"
        found = by_name(texts.texts(study))
        assert "answerer instructions" in found["Texts"].says
        assert "title, instructions for everyone" in found["Language"].says
        assert "purpose" in found["What is agreed to"].says
        assert found["Contact"].state == State.WARN
        assert found["Who is responsible"].says == "The consent names no institution and no ethics protocol."

    def test_texts_of_the_study_s_own_language_are_well_and_pages_may_not_have_it(self) -> None:
        assert by_name(texts.texts(factories.study(language="es")))["Language"].state == State.GOOD
        names = ("title", "instructions", "questioner_instructions", "answerer_instructions", "summary_instructions")
        own = factories.study(language="eu", **dict.fromkeys(names, "Bideo labur bat."))
        assert "no words in eu" in by_name(texts.texts(own))["Language"].says

    def test_only_what_workers_of_the_kind_read_isasked_for(self) -> None:
        study = watching.study(answerer_instructions="")
        assert by_name(texts.texts(study))["Texts"].state == State.GOOD

    def test_a_quiz_that_nobody_can_pass_is_what_the_form_says_of_it(self) -> None:
        study = factories.study(quiz="Is it so?\n* Yes\n- No", quiz_least_right=2)
        assert "2 cannot be right" in by_name(texts.texts(study))["Form"].says

    def test_numbers_that_contradict_each_other_are_told(self) -> None:
        study = factories.study(minutes=70, nudge_minutes=5, dialog_warning_minutes=60, rounds=40)
        said = by_name(texts.limits(study, is_offered=True))["Times"].says
        for number in ("70 minutes", "nudge after 5", "warning after 60", "40 rounds"):
            assert number in said

    def test_pay_by_hand_is_counted_by_the_hour_and_the_way_back_is_notasked(self) -> None:
        study = factories.study(reward=Decimal(1), minutes=15, completion_url="https://panel.example/done")
        found = by_name(texts.limits(study, is_offered=False))
        assert "$4.00 an hour" in found["Pay"].says
        assert found["At the end"].state == State.UNKNOWN


@pytest.mark.django_db
class TestOffers:
    """On the running local marketplace."""

    def test_a_draft_isasked_all_but_what_only_a_hit_tells(self, market: LocalMarket, settings: Any) -> None:
        settings.LOCALMARKET_URL = market.url
        made = recruiting.recruitment(recruiting.study(), required_types="NOSUCHTYPE", assignment_minutes=20)
        found = by_name(offers.checks(made))
        assert found["Marketplace"].state == found["Clock"].state == State.GOOD
        assert "are too few" in found["Assignment time"].says
        assert "does not exist" in found["Own type NOSUCHTYPE"].says
        assert found[offers._READ_BACK].state == State.UNKNOWN

    def test_a_published_hit_is_read_back(self, market: LocalMarket, settings: Any) -> None:
        made, _ = recruiting.launch(market)
        assert by_name(offers.checks(made))[offers._READ_BACK].state == State.GOOD
        assert lifecycle.open_hits(made).exists()
        made.percent_approved = 99
        made.save()
        changed = by_name(offers.checks(made))[offers._READ_BACK]
        assert changed.state == State.BAD
        assert "99" in changed.says

    def test_a_marketplace_that_is_away_leaves_open_what_it_would_tell(self, settings: Any) -> None:
        settings.LOCALMARKET_URL, settings.MARKETPLACE_TIMEOUT = f"http://localhost:{services.free_port()}", 1
        found = by_name(offers.checks(recruiting.recruitment(recruiting.study())))
        assert found["Marketplace"].state == State.BAD
        assert found["Clock"].state == found[offers._READ_BACK].state == State.UNKNOWN
        assert found["Study"].state == State.GOOD

    def test_live_needs_its_setting_and_what_stands_against_a_launch_is_all_told(self) -> None:
        study = recruiting.study(state=models.State.DRAFT, reward=Decimal(0))
        made = recruiting.recruitment(study, environment=Environment.LIVE, worker_day_ceiling=Decimal("0.10"))
        found = by_name(offers.checks(made))
        assert "ALLOW_LIVE" in found["Marketplace"].says
        assert found["Study"].state == State.WARN
        assert found["Reward"].state == found["Ceilings"].state == State.BAD

    def test_more_than_the_videos_give_is_told(self, market: LocalMarket, settings: Any) -> None:
        settings.LOCALMARKET_URL = market.url
        made = recruiting.recruitment(watching.study(videos=2, wanted=2), dialogs_wanted=5)
        assert by_name(offers.checks(made))["Number"].says == "5 summaries are wanted, and 2 videos give 4."


@pytest.mark.django_db
class TestMachine:
    """This installation."""

    @pytest.fixture(autouse=True)
    def _here(self, settings: Any, tmp_path: Path) -> None:
        settings.MEDIA_ROOT = tmp_path

    def test_the_worker_and_the_beat_are_known_by_their_signs_of_life(self) -> None:
        before = by_name(machine.checks())
        assert before["Worker"].state == before["Beat"].state == State.BAD
        assert "nothing is offered, paid" in before["Worker"].fix
        pulses.give(pulses.WORKER)
        after = by_name(machine.checks())
        assert (after["Worker"].state, after["Beat"].state) == (State.GOOD, State.BAD)

    def test_what_does_not_answer_is_named(self, settings: Any) -> None:
        settings.DEBUG, settings.REDIS_URL = True, f"redis://127.0.0.1:{services.free_port()}/0"
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.LETTERS_TO = (
            "127.0.0.1",
            services.free_port(),
            ["a@example.org"],
        )
        found = by_name(machine.checks())
        assert {found[name].state for name in ("Debugging", "Redis", "Mail")} == {State.BAD}
        assert found["Database"].state == State.GOOD

    def test_without_mail_letters_stand_in_the_admin(self) -> None:
        assert by_name(machine.checks())["Mail"].state == State.WARN
        assert mail.outbox == []
