"""The page of preflight and rehearsal: what was found, and asking for it."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from kombu.exceptions import OperationalError

from collector.desk import preflighting, rehearsing, tasks
from collector.desk.preflight import looking
from collector.desk.preflight.checks import Part, Report, bad, good, unknown, warn
from collector.lib import clock, jobs
from collector.studies import models
from collector.studies.models import Kind, Participation
from tests import factories

REPORT = Report(
    clock.now(),
    [
        Part("Pages", [good("Reached", "It answers."), bad("Frame", "Headers forbid <it>.", "Add it.", "/admin/")]),
        Part("Machine", [warn("Mail", "No mail.", "Set it."), unknown("Clock", "It tells no time.")]),
    ],
)


@pytest.mark.django_db
class TestPage:
    """The page of both."""

    @pytest.fixture(autouse=True)
    def asked(self, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        settings.MEDIA_ROOT = tmp_path
        asked: list[str] = []
        for name in ("check_study", "rehearse_study"):
            monkeypatch.setattr(getattr(tasks, name), "delay", lambda pk, name=name: asked.append(f"{name} {pk}"))
        return asked

    def test_it_shows_what_was_found_with_what_to_do(self, admin_client: Client) -> None:
        study = factories.study()
        jobs.keep(looking.folder_of(study.pk), looking.FILE, REPORT)
        steps = [rehearsing.Step(1.25, "A worker came to the room.")]
        went = rehearsing.Rehearsal(
            clock.now(), steps, "The video was answered with 404.", replay="/desk/replay/dialog/7/"
        )
        jobs.keep(rehearsing.folder_of(study.pk), rehearsing.FILE, went)
        page = admin_client.get(f"/desk/preflight/{study.pk}/").content.decode()
        assert "1 check passed, 1 to mend, 1 to look at and 1 that cannot be told from here." in page
        assert "Headers forbid &lt;it&gt;." in page
        assert "1.25 s" in page
        assert "It failed after 1 step." in page
        assert "/desk/replay/dialog/7/" in page
        assert "two programs hold one dialog" in page

    @pytest.mark.parametrize(("kind", "unit"), [(Kind.SUMMARY, "summary"), (Kind.RELEVANCE, "annotation")])
    def test_who_works_alone_is_spoken_of_so(self, admin_client: Client, kind: Kind, unit: str) -> None:
        page = admin_client.get(f"/desk/preflight/{factories.study(kind=kind).pk}/").content.decode()
        assert f"lets a program do one {unit}" in page
        assert "dialog" not in page.partition("<main")[2]

    def test_one_isasked_for_at_a_time(self, admin_client: Client, asked: list[str]) -> None:
        study = factories.study(state=models.State.DRAFT)
        address = f"/desk/preflight/{study.pk}/"
        assert "waits for the worker process" in admin_client.post(f"{address}check/do/", follow=True).content.decode()
        for action in ("check", "rehearse"):
            refused = admin_client.post(f"{address}{action}/do/", follow=True).content.decode()
            assert "still under way" in refused
        admin_client.post(f"{address}other/do/")
        assert asked == [f"check_study {study.pk}"]
        assert not Participation.objects.exists()

    def test_a_paused_study_is_not_rehearsed(self, admin_client: Client) -> None:
        study = factories.study(state=models.State.PAUSED)
        assert "lets not even programs in" in admin_client.get(f"/desk/preflight/{study.pk}/").content.decode()
        assert "lets not even programs in" in rehearsing.rehearse(study).trouble

    def test_a_queue_that_is_away_is_said(self, admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        def away(pk: int) -> None:
            raise OperationalError

        monkeypatch.setattr(tasks.check_study, "delay", away)
        study = factories.study()
        page = admin_client.post(f"/desk/preflight/{study.pk}/check/do/", follow=True).content.decode()
        assert "task queue does not answer" in page
        assert not preflighting._is_under_way(study.pk)

    def test_it_is_for_staff(self, client: Client, asked: list[str]) -> None:
        study = factories.study()
        for response in (
            client.get(f"/desk/preflight/{study.pk}/"),
            client.post(f"/desk/preflight/{study.pk}/check/do/"),
        ):
            assert response.status_code == 302
            assert "/login/" in response["Location"]
        assert asked == []
