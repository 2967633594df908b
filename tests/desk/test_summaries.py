"""The page of a summary study: Table 2 as the command has it, and each video's summaries, sorted."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from kombu.exceptions import OperationalError

from collector.analysis import summary_reports, summary_table, tasks
from collector.analysis.captions import METRICS
from collector.analysis.watchers import summarised
from collector.catalogue.models import Frame
from collector.lib import jobs
from collector.studies.models import Study
from tests import factories
from tests.analysis.test_summary_study import TEXTS
from tests.exports.test_export_summaries import wrote
from tests.summaries import scene

pytestmark = pytest.mark.django_db

NO_METEOR = "not available (needs Java)"
GOOD, POOR = "A man walks into the room and sits down on a chair to read.", "Nothing much."


@pytest.fixture(autouse=True)
def _here(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(summary_table, "missing", lambda: NO_METEOR)  # its program takes longer than all the rest
    monkeypatch.setattr(tasks.compare_summaries, "delay", tasks.compare_summaries)


@pytest.fixture
def study() -> Study:
    """A study of two videos, BBBBB with a good summary of the Questioner, AAAAA with a poor one."""
    good = factories.finished_dialog(summary=GOOD, video=factories.video(image_id="BBBBB"))
    poor = factories.finished_dialog(summary=POOR, video=factories.video(image_id="AAAAA"), study=good.study)
    made = scene.study(videos=0, slug="sums", videos_of=good.study)
    for dialog in (good, poor):
        scene.offer(made, dialog.video)
    for number in range(8):
        wrote(made, TEXTS[number % 4] if number < 4 else TEXTS[number % 4].replace("chair", "sofa"))
    Frame.objects.create(video=poor.video, slot=1, file="frames/f.jpg", seconds=0, width=640, height=360)
    return made


def compare(client: Client, study: Study, **fields: str) -> str:
    fields = {"watchers": "4", "seed": "0"} | fields
    return client.post(f"/desk/summaries/{study.pk}/compare/", fields, follow=True).content.decode()


def order(client: Client, study: Study, query: str) -> list[str]:
    page = client.get(f"/desk/summaries/{study.pk}/?{query}").content.decode()
    return re.findall(r'scope="rowgroup"><span>(\w+)</span>', page)


def test_the_table_and_each_videos_summaries_are_shown(admin_client: Client, study: Study) -> None:
    assert "Nothing has been compared yet" in admin_client.get(f"/desk/summaries/{study.pk}/").content.decode()
    page = compare(admin_client, study)
    found = summarised(study)
    table = summary_table.summary_table(found, seed=0)
    for cells in table.rows.values():
        assert all(f"<td>{each.value:.3f}" in page for each in cells.values())
    assert "of 2 videos; 4 watchers a video, seed 0" in page
    assert f"METEOR: {NO_METEOR}." in page
    assert "CIDEr weighs words by how few videos they occur in, so of one video it is 0" in page
    for each in found:
        assert all(text in page for text in (*each.watchers, each.questioner))
        address = f"/desk/quality/{study.videos_of_id}/{each.dialog}/"
        assert address in page
        assert each.questioner in admin_client.get(address).content.decode()
    assert page.count("<img ") == 1
    assert 'alt="Frame 1 of AAAAA"' in page
    report = summary_reports.read(tasks.summaries_of(study.pk))
    assert report
    rows = list(csv.DictReader(io.StringIO(_file(admin_client, study, "videos.csv"))))
    assert [(row["image_id"], row["whose"], row["summary"]) for row in rows[4::5]] == [
        (each.video, "Questioner", each.questioner.text) for each in report.videos
    ]
    scores = table.videos[0].watchers[1][1]
    assert [float(rows[1][metric]) for metric in METRICS] == pytest.approx(list(scores))
    assert _file(admin_client, study, "table_2.csv").startswith("row,metric,value,95 % from,to")


def _file(client: Client, study: Study, name: str) -> str:
    return client.get(f"/desk/summaries/{study.pk}/{name}").content.decode()


def test_videos_are_sorted_by_each_column(admin_client: Client, study: Study) -> None:
    compare(admin_client, study)
    assert order(admin_client, study, "") == ["AAAAA", "BBBBB"], "poor dialogs first"
    for metric in ("BLEU-1", "ROUGE-L", "CIDEr"):
        for whose in ("questioner", "difference"):
            assert order(admin_client, study, f"sort={metric}&of={whose}") == ["AAAAA", "BBBBB"]
            assert order(admin_client, study, f"sort={metric}&of={whose}&order=falling") == ["BBBBB", "AAAAA"]
    assert order(admin_client, study, "sort=video") == ["AAAAA", "BBBBB"]
    assert order(admin_client, study, "sort=video&order=falling") == ["BBBBB", "AAAAA"]
    assert order(admin_client, study, "sort=nonsense&of=nobody&page=99") == ["AAAAA", "BBBBB"]
    report = summary_reports.read(tasks.summaries_of(study.pk))
    assert report
    by_watchers = sorted(report.videos, key=lambda each: sum(said.scores[4] for said in each.watchers))
    assert order(admin_client, study, "sort=ROUGE-L&of=watchers") == [each.video for each in by_watchers]
    page = admin_client.get(f"/desk/summaries/{study.pk}/?sort=CIDEr&of=difference").content.decode()
    assert "CIDEr, the Questioner’s less the watchers’, lowest first" in page
    assert 'aria-sort="ascending"><a href="?sort=CIDEr&amp;of=difference&amp;order=falling#videos"' in page


def test_of_one_video_it_is_said_that_cider_is_zero(admin_client: Client) -> None:
    talked = factories.finished_dialog(summary=GOOD)
    study = scene.study(videos=0, slug="sums")
    study.collection_id = talked.study.collection_id
    study.save()
    scene.offer(study, talked.video)
    for text in TEXTS:
        wrote(study, text)
    page = compare(admin_client, study, dialogs=talked.study.slug)
    assert "This is one video, so its CIDEr is 0." in page
    assert f'<option value="{talked.study.slug}" selected>' in page


def test_what_cannot_be_compared_is_said(
    admin_client: Client, client: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No video has summaries of 5 watchers" in compare(admin_client, study, watchers="5")
    assert "a whole number from 2 to 100, not &#x27;1&#x27;" in compare(admin_client, study, watchers="1")
    assert "at most nine digits, not &#x27;x&#x27;" in compare(admin_client, study, seed="x")
    assert "There is no dialog study &#x27;sums&#x27;" in compare(admin_client, study, dialogs="sums")

    def away(*args: Any) -> None:
        raise OperationalError

    monkeypatch.setattr(tasks.compare_summaries, "delay", away)
    assert "The task queue does not answer" in compare(admin_client, study)
    monkeypatch.setattr(tasks.compare_summaries, "delay", lambda *args: None)
    assert "It waits for the worker process" in compare(admin_client, study)
    assert "It is being computed already" in compare(admin_client, study)
    jobs.refuse(tasks.summaries_of(study.pk), "Done with.")
    assert client.get(f"/desk/summaries/{study.pk}/").status_code == 302
    assert client.post(f"/desk/summaries/{study.pk}/compare/").status_code == 302
    for name in ("videos.csv", "report.json", "job.json"):
        assert admin_client.get(f"/desk/summaries/{study.pk}/{name}").status_code == 404
    talks = factories.study()
    assert admin_client.get(f"/desk/summaries/{talks.pk}/").status_code == 404
