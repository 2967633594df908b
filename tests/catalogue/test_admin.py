"""Can a researcher see, filter and play the videos, and nobody else?"""

from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from collector.catalogue.models import Video
from collector.catalogue.storing import store_video
from tests.catalogue import clips

pytestmark = pytest.mark.django_db


@pytest.fixture
def videos(tmp_path: Path, settings: LazySettings) -> list[Video]:
    settings.MEDIA_ROOT = tmp_path / "media"
    made = []
    for image_id, split, sound in (
        ("LOUD1", "train", clips.tone),
        ("MUTE1", "val", clips.silence),
        ("NONE1", "", None),
    ):
        path = clips.write(tmp_path / f"{image_id}.mp4", clips.bars(5), sound=sound)
        made.append(store_video(image_id, path, script=f"The script of {image_id}.", split=split))
    return made


@pytest.fixture
def researcher() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("researcher"))
    return client


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", ["LOUD1", "MUTE1", "NONE1"]), ("sound=yes", ["LOUD1"]), ("sound=silent", ["MUTE1"]),
        ("sound=none", ["NONE1"]), ("split__exact=val", ["MUTE1"]), ("q=script+of+NONE1", ["NONE1"]),
    ],
)  # fmt: skip
def test_the_list_is_filtered(researcher: Client, videos: list[Video], query: str, shown: list[str]) -> None:
    page = researcher.get(f"{reverse('admin:catalogue_video_changelist')}?{query}")
    assert [video.image_id for video in page.context["cl"].result_list] == shown
    assert page.content.decode().count('<img src="/catalogue/frame/') == 3 * len(shown)


def test_the_page_of_a_video_has_player_frames_and_script(researcher: Client, videos: list[Video]) -> None:
    page = researcher.get(reverse("admin:catalogue_video_change", args=[videos[1].pk])).content.decode()
    assert f'src="{reverse("catalogue-file", args=["video", videos[1].pk])}"' in page
    assert "The script of MUTE1." in page
    assert "silent track" in page


def test_a_researcher_loads_files_in_ranges(researcher: Client, videos: list[Video]) -> None:
    address = reverse("catalogue-file", args=["video", videos[0].pk])
    answer = researcher.get(address, headers={"range": "bytes=4-7"})
    assert (answer.status_code, answer["Content-Type"]) == (206, "video/mp4")
    frame = reverse("catalogue-file", args=["frame", videos[0].frames.all()[0].pk])
    assert researcher.get(frame)["Content-Type"] == "image/jpeg"
    assert researcher.get("/catalogue/script/1").status_code == 404
    assert researcher.get("/catalogue/video/999999").status_code == 404
    assert researcher.post(address).status_code == 405


def test_nobody_else_loads_files(videos: list[Video]) -> None:
    client = Client()
    address = reverse("catalogue-file", args=["video", videos[0].pk])
    assert client.get(address).status_code == 302
    client.force_login(User.objects.create_user("someone"))
    assert client.get(address).status_code == 302
