"""The researcher's page of exports: the commands' code in the worker process, its words, its files."""

import hashlib
import re
import zipfile
from collections.abc import AsyncIterator
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import pytest
from asgiref.sync import async_to_sync
from django.http.response import StreamingHttpResponse
from django.test import Client
from kombu.exceptions import OperationalError

from collector.exports import made, orders, tasks
from collector.exports.orders import Asked
from collector.lib import clock, jobs
from collector.lib.jobs import State
from tests import factories
from tests.exports import running
from tests.exports.test_export_summaries import eight, wrote
from tests.summaries import scene

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _here(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(tasks.make_export, "delay", tasks.make_export)


def ask(client: Client, **fields: str) -> str:
    return client.post("/desk/exports/make/", {"format": "dstc7"} | fields, follow=True).content.decode()


def loaded(client: Client, number: str = "") -> tuple[str, bytes]:
    """Return the name and the bytes of a file, the newest unless told otherwise."""
    number = number or next(made.every()).number
    answer = client.get(f"/desk/exports/{number}/file")
    assert isinstance(answer, StreamingHttpResponse)
    return answer["Content-Disposition"], async_to_sync(_whole)(answer)


async def _whole(answer: StreamingHttpResponse) -> bytes:
    return b"".join([piece async for piece in cast(AsyncIterator[bytes], answer.streaming_content)])


@pytest.mark.parametrize(
    ("fields", "options", "name"),
    [
        ({"format": "dstc7", "study": "made-up"}, ["--study", "made-up"], "made-up-dstc7.json"),
        ({"format": "dstc10", "truncate": "drawn", "seed": "3"}, ["--format", "dstc10", "--truncate", "--seed", "3"],
         "all-dstc10.json"),
        ({"format": "jsonl", "split": "val"}, ["--format", "jsonl", "--split", "val"], "all-val-jsonl.jsonl"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("made_up_dialogs")
def test_the_page_makes_what_the_command_makes(
    admin_client: Client, tmp_path: Path, fields: dict[str, str], options: list[str], name: str
) -> None:
    shown = ask(admin_client, **fields)
    _, said, warned = running.export(tmp_path / "by-command.json", *options)
    disposition, content = loaded(admin_client)
    assert content == (tmp_path / "by-command.json").read_bytes()
    assert disposition == f'attachment; filename="{name}"'
    assert hashlib.sha256(content).hexdigest() in shown
    first, *further = said.replace(str(tmp_path / "by-command.json"), name).splitlines()
    assert first in shown
    assert all(line in shown for line in further)
    assert warned == ""
    (export,) = made.every()
    assert export.order.by == "admin"
    assert set(options) <= set(export.command.split())


@pytest.mark.usefixtures("many_dialogs")
def test_a_folder_becomes_a_zip_and_a_split_of_too_few_answers_offers_all(admin_client: Client, tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    running.word_vectors(tmp_path / "vectors" / "made.3d.txt")
    shown = ask(admin_client, format="visdial", test="test", seed="4", vectors="made.3d.txt")
    assert "distinct answers; 100 are needed for the options of a round. With --pool all" in shown
    assert "Export with answers from all splits" in shown
    offered = dict(
        re.findall(r'<input type="hidden" name="(\w+)" value="([^"]+)">', shown.partition("What was made")[2])
    )
    offered.pop("csrfmiddlewaretoken", None)
    assert offered == {"format": "visdial", "test": "test", "seed": "4", "pool": "all", "vectors": "made.3d.txt"}
    ask(admin_client, **offered)
    newest = next(each for each in made.every() if each.file)
    _, content = loaded(admin_client, newest.number)
    with zipfile.ZipFile(BytesIO(content)) as archive:
        assert sorted(archive.namelist()) == [
            "all-visdial/",
            *(f"all-visdial/visdial_{name}.json" for name in ("test", "test_key", "train")),
        ]
    assert newest.job.state == State.DONE
    assert {path.name for path in newest.folder.iterdir()} == {"job.json", "order.json", "file.json", "all-visdial.zip"}


def test_what_watchers_wrote_is_exported_too(admin_client: Client) -> None:
    study = scene.study(videos=1, slug="sums")
    wrote(study, eight("reads"))
    assert "Wrote 1 summaries of 1 videos to sums-summaries.csv." in ask(admin_client, format="csv", study="sums")
    assert b"reads" in loaded(admin_client)[1]
    assert "There is no summary study &#x27;talk&#x27;" in ask(admin_client, format="json", study="talk")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"format": "raw", "seed": "1"}, "--seed goes with --format dstc7, dstc10, visdial, not raw."),
        ({"format": "csv", "pool": "all"}, "--pool goes with --format visdial, not csv."),
        ({"format": "xml"}, "&#x27;xml&#x27; is none of dstc7, dstc10"),
        ({"split": "all"}, "&#x27;all&#x27; is none of train, val, test."),
        ({"truncate": "-2"}, "--truncate takes a whole number of at most nine digits, not &#x27;-2&#x27;."),
        ({"study": "none"}, "There is no study &#x27;none&#x27;"),
        ({"format": "visdial", "vectors": "../secret"}, "There is no file &#x27;../secret&#x27; of word vectors"),
    ],
)
def test_what_cannot_be_asked_is_said_and_the_form_stays_filled(
    admin_client: Client, fields: dict[str, str], sentence: str
) -> None:
    shown = ask(admin_client, **fields)
    assert sentence in shown
    assert list(made.every()) == []
    if seed := fields.get("seed"):
        assert f'name="seed" inputmode="numeric" size="8" value="{seed}"' in shown


def test_a_file_of_word_vectors_is_offered(admin_client: Client, tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    running.word_vectors(tmp_path / "vectors" / "made.3d.txt")
    assert "<option>made.3d.txt</option>" in admin_client.get("/desk/exports/").content.decode()
    ask(admin_client, format="visdial", vectors="made.3d.txt")
    (export,) = made.every()
    assert export.order.asked == Asked("visdial", vectors=str(tmp_path / "vectors" / "made.3d.txt"))
    assert "vectors=made.3d.txt" in admin_client.get("/desk/exports/").content.decode()


def test_progress_trouble_and_a_queue_that_is_away_are_said(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = made.ask(Asked("dstc7"), "somebody")
    assert "It waits for the worker process." in admin_client.get("/desk/exports/").content.decode()
    seen = []

    def broken(asked: Asked, out: Path, started: orders.Started) -> None:
        started(110)(30)
        seen.append(admin_client.get("/desk/exports/").content.decode())
        raise ZeroDivisionError

    monkeypatch.setattr(jobs, "_EVERY", 0)
    with monkeypatch.context() as patched:
        patched.setattr(orders, "export", broken)
        with pytest.raises(ZeroDivisionError):
            made.make(number)
    (during,) = seen
    assert '<progress value="30" max="110">' in during
    assert 'http-equiv="refresh"' in during
    assert f"/{number}/remove/" not in during, "what is being written is not removed"
    shown = admin_client.get("/desk/exports/").content.decode()
    assert "the log of the worker process says why" in shown
    assert 'http-equiv="refresh"' not in shown

    def away(*args: Any) -> None:
        raise OperationalError

    monkeypatch.setattr(tasks.make_export, "delay", away)
    assert "The task queue does not answer" in ask(admin_client)
    lost = made.ask(Asked("raw"), "somebody")
    with clock.travel(jobs.SILENCE + timedelta(seconds=1)):
        assert "Nothing was heard of it since" in admin_client.get("/desk/exports/").content.decode()
    assert made.read(lost)


def test_files_are_removed_by_a_button_and_with_time(admin_client: Client, settings: Any) -> None:
    settings.EXPORT_DAYS = 3
    factories.finished_dialog()
    ask(admin_client)
    (first,) = made.every()
    with clock.travel(timedelta(days=2)):
        ask(admin_client, format="raw")
        assert tasks.remove_old_exports() == 0
    with clock.travel(timedelta(days=3, seconds=1)):
        assert tasks.remove_old_exports() == 1
    assert not first.folder.exists()
    (second,) = made.every()
    assert "It is removed." in admin_client.post(f"/desk/exports/{second.number}/remove/", follow=True).content.decode()
    assert list(made.every()) == []
    tasks.make_export(second.number)
    assert not second.folder.exists(), "asked for, removed, then begun: nothing is made"


@pytest.mark.usefixtures("made_up_dialogs")
def test_a_task_that_comes_again_after_its_process_was_killed_makes_the_file_once() -> None:
    number = made.ask(Asked("huggingface"), "somebody")
    left = made.root() / number / "all-huggingface"
    left.mkdir()
    (left / "half.parquet").write_text("half")
    tasks.make_export(number)
    first = made.read(number)
    assert first
    assert first.path
    with zipfile.ZipFile(first.path) as archive:
        assert not any("half" in name for name in archive.namelist())
    before = first.path.stat().st_mtime_ns
    tasks.make_export(number)
    assert first.path.stat().st_mtime_ns == before


def test_only_researchers_and_only_files_that_were_made(client: Client, admin_client: Client, tmp_path: Path) -> None:
    factories.finished_dialog()
    ask(admin_client)
    (export,) = made.every()
    (tmp_path / "exports" / "secret").mkdir()
    (tmp_path / "exports" / "secret" / "job.json").write_text((export.folder / "job.json").read_text())
    assert client.get("/desk/exports/").status_code == 302
    assert client.get(f"/desk/exports/{export.number}/file").status_code == 302
    assert client.post(f"/desk/exports/{export.number}/remove/").status_code == 302
    assert client.post("/desk/exports/make/", {"format": "raw"}).status_code == 302
    assert [each.number for each in made.every()] == [export.number]
    for number in ("secret", "..", "20260101-000000-abcdef"):
        assert admin_client.get(f"/desk/exports/{number}/file").status_code == 404
        admin_client.post(f"/desk/exports/{number}/remove/")
    assert (tmp_path / "exports" / "secret").is_dir()


def test_the_command_named_is_the_one_that_does_the_same() -> None:
    asked = Asked("dstc7", study="pilot", undisclosed_last=True, truncate=0, seed=0)
    assert orders.as_command(asked, "a file.json") == (
        "manage.py export_avsd --format dstc7 --study pilot --undisclosed-last --truncate --seed 0 --out 'a file.json'"
    )
    assert orders.as_command(Asked("csv"), "s.csv") == "manage.py export_summaries --format csv --out s.csv"
