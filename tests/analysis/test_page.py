"""The researcher's page of statistics, and studies made alike to be compared."""

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from kombu.exceptions import OperationalError

from collector.analysis import charts, reports, tasks
from collector.exports import writing
from collector.lib import jobs
from collector.studies.models import Study, StudyVideo
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _here(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep reports in a folder of the test, without pictures, and count at once."""

    def refuse(*args: Any) -> None:
        raise charts.NoImages("No pictures in this test.")

    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(charts, "write_images", refuse)
    monkeypatch.setattr(tasks.write_report, "delay", tasks.write_report)


def page(client: Client, study: Study) -> str:
    return client.get(f"/desk/statistics/{study.pk}/").content.decode()


def count(client: Client, study: Study, beside: str = "", **more: str) -> str:
    fields = {"beside": beside} | more
    return client.post(f"/desk/statistics/{study.pk}/count/", fields, follow=True).content.decode()


def test_a_study_is_counted_and_its_report_shown(admin_client: Client) -> None:
    study = factories.study(name="Pilot")
    factories.finished_dialog(study=study)
    assert "of 1 complete dialog by people" in page(admin_client, study)
    assert "Nothing has been counted yet" in page(admin_client, study)
    shown = count(admin_client, study)
    assert f"/desk/statistics/{study.pk}/0/statistics.html" in shown
    report = admin_client.get(f"/desk/statistics/{study.pk}/0/statistics.html")
    assert "question length, mean" in report.content.decode()
    figures = admin_client.get(f"/desk/statistics/{study.pk}/0/figures.csv")
    assert figures["Content-Disposition"] == 'attachment; filename="figures.csv"'
    assert figures.content.decode().startswith("figure,unit,")


def test_a_report_runs_in_a_sandbox_that_reaches_nothing_of_ours(admin_client: Client) -> None:
    study = factories.study()
    factories.finished_dialog(study=study)
    count(admin_client, study)
    policy = admin_client.get(f"/desk/statistics/{study.pk}/0/statistics.html")["Content-Security-Policy"]
    assert "sandbox allow-scripts allow-downloads" in policy
    assert "default-src 'none'" in policy
    assert "'unsafe-inline'" not in admin_client.get(f"/desk/statistics/{study.pk}/")["Content-Security-Policy"]


def test_dialogs_of_simulated_workers_count_on_request(admin_client: Client) -> None:
    study = factories.study(slug="pilot")
    factories.finished_dialog(study=study, is_simulated=True)
    assert "of 0 complete dialogs by people and 1 of simulated workers" in page(admin_client, study)
    assert "so nothing to count" in count(admin_client, study)
    assert "0/statistics.html" in count(admin_client, study, simulated="yes")
    report = admin_client.get(f"/desk/statistics/{study.pk}/0/statistics.html").content.decode()
    assert '<th scope="col">pilot with simulated ones</th>' in report


def test_two_studies_stand_side_by_side(admin_client: Client) -> None:
    one, other = factories.study(slug="one"), factories.study(slug="other", name="The other")
    for study in (one, other):
        factories.finished_dialog(study=study)
    assert "and The other</h2>" in count(admin_client, one, "other")
    report = admin_client.get(f"/desk/statistics/{one.pk}/{other.pk}/statistics.html").content.decode()
    assert '<th scope="col">difference</th>' in report


def test_an_empty_study_and_a_queue_that_is_away_are_said(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, empty = factories.study(), factories.study(slug="empty", name="Empty one")
    factories.finished_dialog(study=study)
    assert "There is no complete dialog in Empty one, so nothing to count" in count(admin_client, study, "empty")

    def away(*args: Any) -> None:
        raise OperationalError

    monkeypatch.setattr(tasks.write_report, "delay", away)
    assert "The task queue does not answer" in count(admin_client, study)
    assert "no complete dialog in Empty one" in count(admin_client, empty)


def test_how_far_the_counting_is_stands_on_the_page(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    study, other = factories.study(slug="one"), factories.study(slug="other", name="The other")
    for each in (study, study, other):
        factories.finished_dialog(study=each)
    monkeypatch.setattr(tasks.write_report, "delay", lambda *args: None)
    assert "It waits for the worker process" in count(admin_client, study, "other")
    assert "It is being counted already" in count(admin_client, study, "other")
    monkeypatch.setattr(jobs, "_EVERY", 0)
    seen = []

    def look(*args: Any) -> str:
        seen.append(page(admin_client, study))
        raise writing.CannotWrite("There is no room.")

    monkeypatch.setattr(reports, "write", look)
    tasks.write_report(study.pk, other.pk)
    assert "3 of 3 dialogs" in seen[0]
    assert 'data-jobs="under way"' in seen[0]
    assert "There is no room." in page(admin_client, study)
    assert admin_client.get(f"/desk/statistics/{study.pk}/{other.pk}/job.json").status_code == 404


def test_only_researchers_and_only_files_of_the_report_are_served(client: Client, admin_client: Client) -> None:
    study = factories.study()
    factories.finished_dialog(study=study)
    count(admin_client, study)
    for path in ("", "0/figures.csv"):
        assert client.get(f"/desk/statistics/{study.pk}/{path}").status_code == 302
    for name in ("none.csv", "..", "%2e%2e%2fsecret", "..%2f..%2fsecret"):
        assert admin_client.get(f"/desk/statistics/{study.pk}/0/{name}").status_code == 404
    assert admin_client.get(f"/desk/statistics/{study.pk}/7/figures.csv").status_code == 404
    assert admin_client.get(f"/desk/statistics/{study.pk}/count/").status_code == 405


def test_a_study_is_made_anew_with_one_field_changed(admin_client: Client) -> None:
    study = factories.study(name="As AVSD", slug="as-avsd", dialogs_per_video=2)
    row = StudyVideo.objects.create(study=study, video=factories.video(), wanted=2, started=2)
    form = admin_client.get(f"/admin/studies/study/{study.pk}/change/").context["adminform"].form
    fields = {name: "" if form[name].value() is None else form[name].value() for name in form.fields}
    fields = {name: value for name, value in fields.items() if value is not False}
    rows = {"0-id": row.pk, "0-study": study.pk, "0-video": row.video_id, "0-wanted": 2}
    rows |= {"TOTAL_FORMS": 1, "INITIAL_FORMS": 1}
    fields |= {f"study_videos-{name}": value for name, value in rows.items()}
    changed = {"name": "Without script", "slug": "without-script", "_saveasnew": "1"}
    del fields["answerer_sees_script"]
    answer = admin_client.post(f"/admin/studies/study/{study.pk}/change/", fields | changed)
    assert answer.status_code == 302
    made = Study.objects.get(slug="without-script")
    study.refresh_from_db()
    same = [each.attname for each in Study._meta.concrete_fields]
    # A form leaves out the line end after a text.
    differ = {name for name in same if str(getattr(made, name)).strip() != str(getattr(study, name)).strip()}
    assert differ == {"id", "name", "slug", "answerer_sees_script", "created_at"}
    (video,) = made.study_videos.all()
    assert (video.video_id, video.wanted, video.started) == (row.video_id, 2, 0)


def keep(client: Client, study: Study, **lists: str) -> str:
    return client.post(f"/desk/statistics/{study.pk}/words/", lists, follow=True).content.decode()


def test_a_study_is_counted_with_word_lists_of_its_own(admin_client: Client) -> None:
    study, other = factories.study(slug="one"), factories.study(slug="other")
    for each in (study, other):
        factories.finished_dialog([("Does the dog Bark?", "Yes, it barks."), ("Is it red?", "No.")], study=each)
    assert "the lists of the AVSD paper" in page(admin_client, study)
    said = keep(admin_client, study, audio="bark,  Wuff\nbark", temporal="", yes="yes yeah yep")
    assert "not those of the AVSD paper: audio. Reports counted" in said
    assert ">bark, wuff</textarea>" in said
    study.refresh_from_db()
    assert study.word_lists == {"audio": ["bark", "wuff"]}
    count(admin_client, study, "other")
    report = admin_client.get(f"/desk/statistics/{study.pk}/{other.pk}/statistics.html").content.decode()
    assert "Word lists that are not those of the AVSD paper: audio." in report
    assert report.count("questions in which a word is one of {bark, wuff}, of all questions") == 1, "of both"
    figures = admin_client.get(f"/desk/statistics/{study.pk}/{other.pk}/figures.csv").content.decode()
    (line,) = [line for line in figures.splitlines() if line.startswith('"questions: audio, exact"')]
    assert line.startswith('"questions: audio, exact",%,50.0,')
    assert ",50.0," in line.removeprefix('"questions: audio, exact",%,50.0,'), "the other study is counted alike"
    assert "the lists of the AVSD paper" in keep(admin_client, study)


def test_bad_word_lists_are_said_and_kept_to_be_mended(admin_client: Client) -> None:
    study = factories.study()
    said = keep(admin_client, study, audio="talk make-up", no="nope")
    assert (
        "&#x27;make-up&#x27; in the list &#x27;audio&#x27; is not one word in lower case. Nothing was changed." in said
    )
    assert ">talk make-up</textarea>" in said
    assert "has 201 words; at most 200" in keep(admin_client, study, no=" ".join(f"w{n}" for n in range(201)))
    study.refresh_from_db()
    assert study.word_lists == {}
    study.word_lists = {"sound": ["bark"]}
    with pytest.raises(ValidationError, match=r"unknown field `sound`.*The lists are audio, temporal"):
        study.full_clean()
