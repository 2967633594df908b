"""Does an import convert what it must, keep the rest byte for byte, and go on where it was stopped?"""

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import CommandError

from collector.catalogue import converting
from collector.catalogue.converting import Order, workshop
from collector.catalogue.models import Video
from collector.catalogue.transcoding import Failed
from tests.catalogue import clips
from tests.catalogue.test_importing import entry, files, manifest, run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: LazySettings) -> None:
    settings.MEDIA_ROOT, settings.VAR_DIR = tmp_path / "media", tmp_path / "var"


@pytest.fixture
def videos(tmp_path: Path) -> Path:
    folder = tmp_path / "videos"
    folder.mkdir()
    clips.write(folder / "PLAY1.mp4", clips.bars(10), sound=clips.tone)
    clips.write(folder / "MAKE1.avi", clips.bars(12), codec="mpeg4")
    return folder


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def waiting(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "var" / "converted").iterdir() if path.name != ".lock")


def test_only_what_does_not_play_is_converted(videos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(manifest(videos, entry("PLAY1"), entry("MAKE1")), videos, "--transcode")
    kept, made = Video.objects.get(image_id="PLAY1"), Video.objects.get(image_id="MAKE1")
    with kept.file.open() as file:
        assert file.read() == (videos / "PLAY1.mp4").read_bytes()
    assert (kept.original_checksum, kept.transcoding) == ("", {})
    with made.file.open() as file:
        assert digest(file.read()) == made.checksum
    assert made.original_checksum == digest((videos / "MAKE1.avi").read_bytes())
    assert (made.is_playable, made.video_codec, Path(str(made.file.name)).suffix) == (True, "h264", ".mp4")
    assert made.transcoding["video"].startswith("libx264")
    assert made.frames.count() == 3
    assert waiting(videos.parent) == []
    said = capsys.readouterr()
    assert f"Note: {videos / 'MAKE1.avi'}: converted." in said.err
    assert "because browsers do not play them: 1." in said.out


def test_importing_again_converts_nothing_again(videos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = manifest(videos, entry("MAKE1"))
    run(source, videos, "--transcode")
    before = files(videos.parent / "media")
    monkeypatch.setattr(converting.Workshop, "_run", lambda *_: pytest.fail("converted again"))
    run(source, videos)  # it has not changed, so the option is not needed either
    assert files(videos.parent / "media") == before


def test_one_that_was_stored_as_it_came_by_an_older_version_is_converted(videos: Path) -> None:
    source = manifest(videos, entry("MAKE1"))
    run(source, videos, "--transcode")
    original = digest((videos / "MAKE1.avi").read_bytes())
    Video.objects.update(is_playable=False, checksum=original, original_checksum="")
    with pytest.raises(CommandError):
        run(source, videos)
    run(source, videos, "--transcode")
    assert (Video.objects.get().is_playable, Video.objects.get().original_checksum) == (True, original)


def test_a_dry_run_converts_nothing(videos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(manifest(videos, entry("MAKE1")), videos, "--transcode", "--dry-run")
    assert "Files that would be converted, because browsers do not play them: 1." in capsys.readouterr().out
    assert waiting(videos.parent) == []


def test_what_was_converted_before_a_failure_is_used_by_the_next_import(
    videos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clips.write(videos / "MAKE2.avi", clips.bars(7), codec="mpeg4")
    real, made, failing = converting.Workshop._run, [], {"MAKE2.avi"}

    def fails_at_second(self: Any, order: Order, *rest: Any) -> Any:
        if order.path.name in failing:
            raise Failed("It could not be converted.")
        made.append(order.path.name)
        return real(self, order, *rest)

    monkeypatch.setattr(converting.Workshop, "_run", fails_at_second)
    source = manifest(videos, entry("MAKE2"), entry("MAKE1"))
    with pytest.raises(CommandError, match="1 row cannot be used; nothing was imported"):
        run(source, videos, "--transcode")
    assert files(videos.parent / "media") == set()
    assert not Video.objects.exists()
    assert [Path(name).suffix for name in waiting(videos.parent)] == [".json", ".mp4"]
    failing.clear()
    run(source, videos, "--transcode")
    assert made == ["MAKE1.avi", "MAKE2.avi"], "the first was not made again"
    assert (Video.objects.count(), waiting(videos.parent)) == (2, [])


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGKILL, "it was killed, perhaps for want of memory"),
        (signal.SIGALRM, "it made no step for ten minutes"),
    ],
)
def test_a_file_whose_process_is_ended_is_named_and_leaves_nothing_half(
    videos: Path, tmp_path: Path, number: int, words: str
) -> None:
    def end(*_: Any) -> None:
        for process in list(mine._running):
            process.send_signal(number)

    with workshop() as mine:
        ((_, error),) = mine.convert([(None, long(videos))], end)
    assert words in str(error)
    assert waiting(tmp_path) == []


def long(videos: Path) -> Order:
    """Return an order that takes a second or more."""
    return Order(clips.write(videos / "LONG1.avi", clips.bars(150, (640, 480)), codec="mpeg4"), "c" * 64, 15.0)


def test_an_import_that_is_killed_leaves_nothing_half_and_the_next_goes_on(videos: Path, tmp_path: Path) -> None:
    order = long(videos)
    script = (
        "import django; django.setup()\n"
        "import os, signal, sys\nfrom pathlib import Path\n"
        "from collector.catalogue.converting import Order, workshop\n"
        "with workshop() as mine:\n"
        f"    order = Order(Path({str(order.path)!r}), {order.checksum!r}, 30.0)\n"
        "    list(mine.convert([(None, order)], lambda *_: os.kill(os.getpid(), signal.SIGKILL)))\n"
    )
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "collector.settings", "VAR_DIR": str(tmp_path / "var")}
    env |= {"DATABASE_URL": ""}
    assert subprocess.run([sys.executable, "-c", script], env=env).returncode == -signal.SIGKILL
    assert not [name for name in waiting(tmp_path) if name.endswith(".mp4")]
    with workshop() as mine:
        assert waiting(tmp_path) == []
        ((_, copy),) = mine.convert([(None, order)], lambda *_: None)
        assert json.loads(copy.path.with_suffix(".json").read_text())["settings"] == copy.made.settings


def test_two_imports_do_not_convert_at_once(videos: Path) -> None:
    with workshop(), pytest.raises(CommandError, match="Another import converts videos now"):
        run(manifest(videos, entry("MAKE1")), videos, "--transcode")


def test_progress_is_told_for_each_file(videos: Path) -> None:
    told: list[tuple[str, int, int]] = []
    with workshop() as mine:
        orders = [(None, Order(videos / "MAKE1.avi", "d" * 64, 1.2))]
        assert len(list(mine.convert(orders, lambda *step: told.append(step)))) == 1
    assert told[0] == ("MAKE1.avi", 0, 1)
    assert told[-1] == ("MAKE1.avi", 1, 1)


def test_one_file_under_two_ids_is_converted_once(videos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies wait under the checksum of the original: two at once would write into one file."""
    (videos / "MAKE2.avi").write_bytes((videos / "MAKE1.avi").read_bytes())
    real, made = converting.Workshop._run, []

    def counted(self: Any, order: Order, *rest: Any) -> Any:
        made.append(order.path.name)
        return real(self, order, *rest)

    monkeypatch.setattr(converting.Workshop, "_run", counted)
    run(manifest(videos, entry("MAKE1"), entry("MAKE2")), videos, "--transcode")
    first, second = Video.objects.order_by("image_id")
    assert first.checksum == second.checksum
    assert first.file.name != second.file.name
    assert len(made) == 1
    assert waiting(videos.parent) == []
