"""What never reaches a watcher: the script and the dialogs of the video, its id, its file."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync

from collector.studies.models import StudyVideo
from tests import factories
from tests.summaries.scene import offer, study, watcher

pytestmark = pytest.mark.django_db


def test_no_page_and_no_answer_says_anything_about_the_video() -> None:
    dialog = factories.finished_dialog()
    dialog.video.script.text = "A stranger juggles oranges."
    dialog.video.script.save()
    made = study(videos=0)
    offer(made, dialog.video)
    made.example = factories.video(script="This is the example's script.")
    made.save()
    one = watcher(made)
    got = [one.client.get(f"/join/{made.slug}/").content, one.get().content]
    assert b"the example&#x27;s script" in got[1]
    one.begin()
    got.append(one.get().content)
    for kind, more in (
        ("look", {}),
        ("watched", {"ranges": [[0, 1]]}),
        ("watched", {"ranges": [[0, 8]]}),
        ("draft", {"text": "A man"}),
        ("summarise", {"key": "key-12345678", "text": "Too short"}),
    ):
        got.append(str(one.post(kind, **more)).encode())
    said = [utterance.text for utterance in dialog.utterances.all()]
    secrets = ["juggles", dialog.video.image_id, dialog.video.file.name, dialog.video.checksum, *said]
    everything = b"\n".join(got).decode()
    assert "Watch the video to its end" in everything
    for secret in secrets:
        assert secret not in everything, secret


def body(response: Any) -> bytes:
    """Return what a file's answer holds; its pieces are asynchronous."""

    async def read() -> bytes:
        return b"".join([piece async for piece in response.streaming_content])

    return async_to_sync(read)()


def test_media_open_only_for_whom_they_are_and_only_while_the_task_is_open(settings, tmp_path) -> None:  # type: ignore[no-untyped-def]
    settings.MEDIA_ROOT = tmp_path
    (tmp_path / "v.mp4").write_bytes(b"the task")
    (tmp_path / "e.mp4").write_bytes(b"the example")
    made = study(videos=0)
    one = watcher(made)
    assert one.get("example").status_code == 403
    offer(made, factories.video(file="v.mp4"))
    made.example = factories.video(file="e.mp4")
    made.save()
    assert one.get("video").status_code == 403  # before it begins
    assert body(one.get("example")) == b"the example"
    one.begin()
    response = one.client.get(f"/w/{one.token}/watch/video", headers={"range": "bytes=4-7"})
    assert (response.status_code, body(response)) == (206, b"task")
    one.post("leave")
    assert one.get("video").status_code == 403
    assert StudyVideo.objects.get().started == 0
