"""A bundle is whole or not there, every importable file of it comes back, and what cannot be is said."""

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from chat.models import Dialog
from collector.exports import archiving
from collector.releases import data, holding
from collector.releases.models import Release
from collector.studies.models import Study
from tests import factories
from tests.releases.conftest import read, release

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("step", "error"), [("write_split", RuntimeError("a bug")), ("write_evidence", KeyboardInterrupt())]
)
def test_what_goes_wrong_leaves_nothing_behind(
    talks: Study, out: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fail(*args: Any) -> None:
        raise error

    monkeypatch.setattr(data, step, fail)
    with pytest.raises(type(error)):
        release(out, "--study", "talks", "--with-evidence")
    assert [path.name for path in out.parent.iterdir()] == ["media"]
    assert not Release.objects.exists()


KILLED = """
import os, pathlib, signal, sys
from collector.exports.writing import making
with making(pathlib.Path(sys.argv[1])) as folder:
    (folder / "half").write_text("of it")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_that_is_killed_leaves_no_bundle_under_its_name(out: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(out)], cwd=Path(__file__).parents[2])
    assert killed.returncode == -9
    assert not out.exists()
    (left,) = out.parent.glob(".bundle.*.part")
    assert (left / "half").exists()


def test_a_folder_with_something_in_it_is_left_alone(talks: Study, out: Path) -> None:
    out.mkdir()
    (out / "mine").write_text("mine")
    with pytest.raises(CommandError, match="is not empty"):
        release(out, "--study", "talks")
    assert read(out) == {"mine": b"mine"}


@pytest.mark.parametrize("form", ["dstc7", "raw", "jsonl"])
def test_a_file_that_does_not_come_back_stops_the_release(
    talks: Study, out: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setitem(archiving.PIECES, form, lambda dialogs, tally: iter(["something else"]))
    before = (Study.objects.count(), Dialog.objects.count())
    with pytest.raises(CommandError, match=rf"{form}_train\.json.*, imported and exported again, is not the same file"):
        release(out, "--study", "talks", "--formats", form)
    assert not out.exists()
    assert (Study.objects.count(), Dialog.objects.count()) == before


def test_the_proof_of_coming_back_leaves_no_trace(talks: Study, out: Path) -> None:
    before = (Study.objects.count(), Dialog.objects.count(), holding.Video.objects.count())
    release(out, "--study", "talks")
    assert (Study.objects.count(), Dialog.objects.count(), holding.Video.objects.count()) == before


def test_an_archive_can_be_released_again(talks: Study, out: Path, tmp_path: Path) -> None:
    release(out, "--study", "talks")
    call_command("import_dialogs", str(out / data.place("raw", "val")), "--study", "archive", stdout=io.StringIO())
    release(tmp_path / "again", "--study", "archive", "--formats", "raw", "--license", "CC-BY-4.0")
    assert (tmp_path / "again" / data.place("raw", "val")).read_bytes() == (out / data.place("raw", "val")).read_bytes()
    sheet = (tmp_path / "again/DATASHEET.md").read_text()
    assert "were imported from a file" in sheet
    assert "simulated" not in sheet


REFUSED = [
    (["--study", "talk"], r"There is no study 'talk'\. The studies are: small\."),
    (["--study", "small", "--formats", "raw,csv"], r"There is no format csv\. The formats are: dstc7, "),
    (["--study", "small", "--formats", ","], "Name at least one format"),
    (["--study", "small", "--license", "do as you like"], r"'do as you like' is not the identifier of a licence"),
    (["--study", "small", "--license", "MIT OR 0BSD"], "is not the identifier of a licence"),
    (["--study", "small", "--license", "LicenseRef-mine"], "is not the identifier of a licence"),
    (["--study", "small", "--formats", "visdial"], "has 2 distinct answers; 100 are needed"),
    (["--study", "small", "--who", "nobody"], "There is no account 'nobody'"),
]


def test_what_cannot_be_released_is_said(out: Path) -> None:
    factories.finished_dialog(study=factories.study(slug="small"), video=factories.video(split="train"))
    for options, sentence in REFUSED:
        with pytest.raises(CommandError, match=sentence):
            release(out, *options)
    assert not out.exists()
    assert not Release.objects.exists()


def test_nothing_complete_is_nothing_to_release(out: Path) -> None:
    study = factories.study(slug="empty")
    factories.finished_dialog(study=study, summary=None)
    with pytest.raises(CommandError, match="There is nothing complete to release in empty"):
        release(out, "--study", "empty")
