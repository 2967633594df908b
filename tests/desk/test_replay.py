"""The replay of a dialog and of a viewing: what each saw when, as stored and no more; and the way to it from a line."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from chat import dialogs, transcripts
from chat.models import About, Dialog, Report, Seat, Utterance
from collector.catalogue.models import Frame
from collector.desk import timeline_dialog
from collector.desk.timeline import Column, Timeline, in_minutes
from collector.exports import rows
from collector.exports.avsd import Tally
from collector.exports.pseudonyms import pair_key, worker_key
from collector.lib import clock
from collector.studies.models import Study
from collector.summaries.models import VideoReport, Viewing
from tests import factories
from tests.chat import scene
from tests.summaries import scene as watching

pytestmark = pytest.mark.django_db
EVIDENCE = {"to_first_key": 4.0, "to_send": 10.0, "pastes": [31], "focus_losses": 1, "corrections": 2}


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Iterator[scene.Time]:
    """Time that passes only when told to: however slow the machine is, what happened has the same seconds."""
    monkeypatch.setattr(clock, "now", lambda: factories.START + clock._offset)
    with scene.time() as passing:
        yield passing


def spans(column: Column, track: str) -> list[tuple[float, float, str]]:
    """Return a track's spans in whole seconds, with how they are drawn."""
    (found,) = (each for each in column.tracks if each.name == track)
    return [(round(span.start), round(span.end), span.kind) for span in found.spans]


def told(line: Timeline) -> list[tuple[int, str, str]]:
    """Return the table in whole seconds."""
    return [(round(each.at), each.who, each.what) for each in line.moments]


def of(dialog: Dialog) -> Timeline:
    return timeline_dialog.of_dialog(Dialog.objects.get(pk=dialog.pk))


def at(dialog: Dialog, seconds: float) -> Any:
    return dialog.started_at + timedelta(seconds=seconds)


def page(client: Client, dialog: Dialog, query: str = "") -> str:
    answer = client.get(f"/desk/replay/dialog/{dialog.pk}/{query}")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_it_tells_who_did_what_when_and_who_was_away(time: scene.Time) -> None:
    pair = scene.Pair(scene.study())
    time.passes(20)
    pair.watch()
    time.passes(10)
    pair.say("ask")
    scene.vanish(pair.answerer)
    time.passes(10)
    scene.arrive(pair.answerer.participation)
    time.passes(5)
    pair.say("answer")
    time.passes(5)
    dialogs.leave(pair.questioner.pk)
    time.passes(4)
    dialogs.choose(pair.answerer.pk, wait=True)
    line = of(pair.dialog)
    came = [(0, role, "Came to the waiting room") for role in ("Answerer", "Questioner")]
    assert sorted(told(line)[:2]) == came
    assert told(line)[2:] == [
        (0, "Both", "Paired"),
        (20, "Answerer", "The video had played to its end"),
        (30, "Questioner", "Question 1"),
        (40, "Answerer", timeline_dialog.EVENTS["lost"]),
        (40, "Answerer", "Back"),
        (45, "Answerer", "Answer 1"),
        (50, "Questioner", "Their part has ended: left"),
        (50, "Both", "The dialog has ended: left"),
        (50, "Questioner", "Left the dialog"),
        (54, "Answerer", "Went on to wait for another partner"),
    ]
    questioner, answerer = line.columns
    assert spans(questioner, "Turn") == [(0, 30, "turn"), (30, 45, "waiting"), (45, 50, "turn"), (50, 54, "over")]
    assert spans(answerer, "Turn") == [(0, 20, "watching"), (20, 30, "waiting"), (30, 45, "turn"), (45, 50, "waiting"),
                                       (50, 54, "waiting")]  # fmt: skip
    assert answerer.tracks[0].spans[-1].said == "Alone: chooses another partner or the end."
    assert round(answerer.sees_until) == 50


def test_a_lost_connection_is_drawn_until_the_worker_is_back(time: scene.Time) -> None:
    pair = scene.Pair(scene.study())
    time.passes(10)
    scene.vanish(pair.questioner)
    time.passes(6)
    time.passes(14)
    scene.arrive(pair.questioner.participation)
    time.passes(10)
    questioner, answerer = of(pair.dialog).columns
    assert spans(questioner, "Connection") == [(0, 16, "here"), (16, 30, "lost"), (30, 40, "here")]
    assert spans(answerer, "Connection") == [(0, 40, "here")]


def test_the_video_stands_only_where_it_is_known_to_have_stood() -> None:
    dialog = factories.dialog(video=factories.video(duration=8.0), ended_at=at_start(90), ended_why="left")
    (answerer,) = Seat.objects.filter(dialog=dialog, role="answerer")
    column = of(dialog).columns[1]
    assert (column.watched, spans(column, "Video")) == (30, [(0, 22, "here"), (22, 30, "watching"), (30, 90, "here")])
    Seat.objects.filter(pk=answerer.pk).update(watched_at=at_start(5))  # played at more than its pace
    assert spans(of(dialog).columns[1], "Video") == [(0, 5, "watching"), (5, 90, "here")]
    Seat.objects.filter(pk=answerer.pk).update(watched_at=None)
    column = of(dialog).columns[1]
    assert (column.watched, spans(column, "Video")) == (None, [(0, 90, "here")])
    assert "not played to its end" in column.tracks[-1].spans[0].said


def at_start(seconds: float) -> Any:
    return factories.START + timedelta(seconds=seconds)


def test_writing_is_drawn_from_the_first_key_and_never_before_the_turn() -> None:
    dialog = factories.finished_dialog()
    for position, first in ((0, 4.0), (2, -1e6)):
        seen = EVIDENCE | {"to_first_key": max(0, first), "to_send": 10.0 if first > 0 else 1e6}
        Utterance.objects.filter(dialog=dialog, position=position).update(evidence=seen)
    questioner = of(dialog).columns[0]
    # Texts stand at 20, 40, 60 and 80 s; the second claims to have been typed for days.
    assert spans(questioner, "Writing") == [(14, 20, "typing"), (40, 60, "typing")]


def test_evidence_is_told_only_where_the_worker_agreed_to_it() -> None:
    for keeps in (True, False):
        study = factories.study(keeps_evidence=keeps)
        dialog = factories.finished_dialog(study=study)
        Utterance.objects.filter(dialog=dialog, position=0).update(evidence=EVIDENCE, typed_at=at_start(19))
        (asked,) = (each for each in of(dialog).moments if each.what == "Question 1")
        assert ("pasted once: 31 characters" in asked.details) is keeps
        assert asked.details[-1] == "by their own clock sent 09:00:19, stored 09:00:20"


def test_the_answerer_is_not_shown_the_summary_nor_a_script_that_the_study_keeps_back() -> None:
    dialog = factories.finished_dialog()
    questioner, answerer = of(dialog).columns
    assert [each.name for each in questioner.lines][-1] == "Summary"
    assert [each.name for each in answerer.lines][-1] == "Answer 2"
    assert (questioner.script, answerer.script) == ("", "Somebody opens a door and sits down.")
    kept_back = factories.finished_dialog(study=factories.study(answerer_sees_script=False))
    assert of(kept_back).columns[1].script == ""


def test_the_questioner_is_shown_as_many_frames_as_the_study_showed(admin_client: Client) -> None:
    for shown, slots in ((3, "123"), (1, "2")):
        dialog = factories.finished_dialog(study=factories.study(frames_shown=shown))
        for slot in (1, 2, 3):
            Frame.objects.create(video=dialog.video, slot=slot, file="f.jpg", seconds=0, width=640, height=360)
        assert "".join(re.findall(r'alt="Frame (\d)"', page(admin_client, dialog))) == slots


def test_reports_stand_in_it_with_what_came_of_them(time: scene.Time) -> None:
    pair = scene.Pair(scene.study())
    dialogs.report(pair.answerer.pk, About.VIDEO, "no_sound")
    Report.objects.update(looked_at=clock.now(), note="The track is silent.")
    (report,) = (each for each in of(pair.dialog).moments if each.what.startswith("Report."))
    assert (report.who, report.what, report.details[1]) == (
        "Answerer",
        "Report. Video: no sound",
        "The track is silent.",
    )


def test_the_page_shows_texts_escaped_with_their_times_and_begins_at_a_round(admin_client: Client) -> None:
    dialog = factories.finished_dialog(
        [("Is it <b>loud</b>?", "No, it is not loud."), ("And then?", "He goes & sits.")]
    )
    Frame.objects.create(video=dialog.video, slot=1, file="frames/none.jpg", seconds=0, width=640, height=360)
    shown = page(admin_client, dialog, "?round=2")
    assert "Is it &lt;b&gt;loud&lt;/b&gt;?" in shown
    assert "<b>loud" not in shown
    assert 'data-at="round-2"' in shown
    assert '<tr data-moment="60.0" id="round-2"><td><span class="replay-at">1:00</span>' in shown
    assert 'alt="Frame 1"' in shown
    assert 'data-watched="30.0" data-length="8.0"' in shown
    assert 'data-at=""' in page(admin_client, dialog, "?round=<script>")


def test_a_long_dialog_costs_as_few_queries_as_a_short_one(admin_client: Client) -> None:
    numbers = []
    for rounds in (1, 40):
        dialog = factories.finished_dialog([("What is it?", "It is a thing.")] * rounds)
        with CaptureQueriesContext(connection) as queries:
            page(admin_client, dialog)
        numbers.append(len(queries))
    assert numbers == [11, 11]  # three of them are the session, its user and their second factor


def test_an_imported_dialog_says_that_screens_are_not_known(admin_client: Client) -> None:
    origin = {"pair": "PAIR", "questioner": "Q", "answerer": "A", "study": "x", "split": "", "script": ""}
    dialog = factories.finished_dialog(seated=False, origin=origin)
    shown = page(admin_client, dialog)
    assert "It was imported from a file" in shown
    assert "What was on the screen is not known." in shown
    assert "<svg" not in shown
    assert told(of(dialog))[-1] == (720, "Both", "The dialog has ended: complete")
    assert admin_client.get("/desk/find/?key=PAIR").headers["Location"] == f"/desk/replay/dialog/{dialog.pk}/"
    assert f"/desk/replay/dialog/{dialog.pk}/" in admin_client.get("/desk/find/?key=Q").content.decode()


def test_a_viewing_has_its_own(admin_client: Client, time: scene.Time) -> None:
    study = watching.study()
    watcher = watching.watcher(study)
    watcher.begin()
    time.passes(30)
    watcher.watch()
    time.passes(60)
    watcher.post("summarise", key=watching.KEY, text=watching.TEXT, evidence=EVIDENCE)
    viewing = Viewing.objects.get()
    with CaptureQueriesContext(connection) as queries:
        answer = admin_client.get(f"/desk/replay/viewing/{viewing.pk}/")
    assert len(queries) == 7
    shown = " ".join(answer.content.decode().split())
    (column,) = answer.context["line"].columns
    assert spans(column, "Task") == [(0, 30, "watching"), (30, 90, "turn")]
    assert spans(column, "Writing") == [(84, 90, "typing")]
    assert (column.script, watching.TEXT in shown) == ("", True)
    assert [each[2] for each in told(answer.context["line"])] == [
        "Was given the video", "The video had played to its end", "First key of the summary", "Summary",
        "Their part has ended: complete",
    ]  # fmt: skip
    VideoReport.objects.create(viewing=viewing, reason="no_sound", at=clock.now())
    assert "Report. Video: no sound" in admin_client.get(f"/desk/replay/viewing/{viewing.pk}/").content.decode()


def test_every_line_of_jsonl_leads_to_its_round(admin_client: Client) -> None:
    dialog = factories.finished_dialog()
    factories.finished_dialog()
    lines = [json.loads(each) for each in rows.jsonl(transcripts.read(Dialog.objects.filter(pk=dialog.pk)), Tally())]
    assert len(lines) == 2
    for line in lines:
        answer = admin_client.get("/desk/find/", {"key": line["dialog"], "round": line["round"]})
        there = f"/desk/replay/dialog/{dialog.pk}/?round={line['round']}#round-{line['round']}"
        assert answer.headers["Location"] == there
        assert f'id="round-{line["round"]}"' in page(admin_client, dialog)


def test_a_worker_s_pseudonym_leads_to_their_work_in_that_collection_only(admin_client: Client) -> None:
    worker, study = factories.worker(external_id="A1SECRET"), factories.study()
    here, elsewhere = (factories.finished_dialog(study=each, questioner=worker) for each in (study, factories.study()))
    viewing = a_viewing(factories.study(kind="summary", collection=study.collection), worker)
    answer = admin_client.get("/desk/find/", {"key": worker_key(study.collection_id, worker.pk)})
    shown = answer.content.decode()
    assert re.findall(r"/desk/replay/\w+/\d+/", shown) == [
        f"/desk/replay/dialog/{here.pk}/", f"/desk/replay/viewing/{viewing.pk}/",
    ]  # fmt: skip
    assert f"/desk/replay/dialog/{elsewhere.pk}/" not in shown
    assert "A1SECRET" not in shown


def a_viewing(study: Study, worker: Any) -> Viewing:
    part = factories.participation(study, worker)
    return Viewing.objects.create(participation=part, video=factories.video(), started_at=clock.now())


def test_a_video_s_id_leads_to_all_about_it_in_the_order_of_exports(admin_client: Client) -> None:
    video = factories.video(image_id="ABCDE")
    left = factories.finished_dialog(summary=None, video=video)
    whole = factories.finished_dialog(video=video, started_at=at_start(3600))
    shown = admin_client.get("/desk/find/?key=ABCDE&round=1").content.decode()
    assert re.findall(r"/desk/replay/dialog/(\d+)/\?round=1#round-1", shown) == [str(whole.pk), str(left.pk)]


@pytest.mark.parametrize("key", ["f" * 40, "NONE1", "'; --", "\N{SNOWMAN}"])
def test_an_unknown_key_is_told_so(admin_client: Client, key: str) -> None:
    factories.finished_dialog()
    answer = admin_client.get("/desk/find/", {"key": key})
    assert answer.status_code == 200
    assert "Nothing here has the key" in answer.content.decode()


def test_a_key_is_found_with_as_few_queries_among_many_dialogs_as_among_few(admin_client: Client) -> None:
    numbers = []
    for _ in range(2):
        made = [factories.finished_dialog() for _ in range(6)]
        key = pair_key(made[-1].study.collection_id, made[-1].pk)
        with CaptureQueriesContext(connection) as queries:
            admin_client.get("/desk/find/", {"key": key})
        numbers.append(len(queries))
    assert numbers == [5, 5]


@pytest.mark.parametrize("path", ["find/?key=x", "replay/dialog/{}/", "replay/viewing/{}/"])
def test_only_staff_come_in(client: Client, path: str) -> None:
    dialog = factories.finished_dialog()
    answer = client.get(f"/desk/{path.format(dialog.pk)}")
    assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (302, "/admin/login/")


def test_it_is_linked_where_dialogs_and_viewings_are_shown(admin_client: Client) -> None:
    dialog = factories.finished_dialog()
    viewing = a_viewing(factories.study(kind="summary"), factories.worker())
    there = f'href="{reverse("replay-dialog", args=[dialog.pk])}"'
    for path in (f"/desk/quality/{dialog.study_id}/{dialog.pk}/", f"/admin/chat/dialog/{dialog.pk}/change/"):
        assert there in admin_client.get(path).content.decode()
    shown = admin_client.get(f"/admin/summaries/viewing/{viewing.pk}/change/").content.decode()
    assert f'href="{reverse("replay-viewing", args=[viewing.pk])}"' in shown


def test_minutes_are_read_as_people_write_them() -> None:
    assert [in_minutes(each) for each in (0, 7.9, 187, 3600, -0.4, -190)] == [
        "0:00", "0:07", "3:07", "1:00:00", "0:00", "−3:10",
    ]  # fmt: skip
