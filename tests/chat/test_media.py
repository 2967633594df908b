"""A media link opens for its seat's role only, and says nothing about the video."""

from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient

from chat import snapshot
from chat.models import Role, Seat
from collector.catalogue.models import Frame
from collector.studies.admission import token_of
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tokens(settings, tmp_path) -> dict[str, str]:  # type: ignore[no-untyped-def]
    return made(settings, tmp_path)


def made(settings: Any, tmp_path: Path, **study: Any) -> dict[str, str]:
    """Make a dialog in a study; return the tokens of its workers by role."""
    settings.MEDIA_ROOT = tmp_path
    (tmp_path / "v.mp4").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "f.jpg").write_bytes(b"jpeg")
    video = factories.video(file="v.mp4")
    for slot in (1, 2, 3):
        Frame.objects.create(video=video, slot=slot, file="f.jpg", seconds=0, width=1, height=1)
    dialog = factories.dialog(video=video, study=factories.study(**study))
    return {str(s.role): token_of(s.participation) for s in Seat.objects.filter(dialog=dialog)}


async def status(token: str, path: str, **headers: str) -> int:
    response = await AsyncClient().get(f"/w/{token}/1/{path}", headers=headers)
    return response.status_code


async def test_each_role_gets_its_own_media_and_not_the_others(tokens: dict[str, str]) -> None:
    questioner, answerer = tokens[Role.QUESTIONER], tokens[Role.ANSWERER]
    assert [await status(questioner, f"frame/{n}") for n in (1, 2, 3)] == [200, 200, 200]
    assert await status(answerer, "video") == 200
    assert await status(questioner, "video") == 403
    assert await status(answerer, "frame/1") == 403


async def test_where_the_study_shows_one_frame_it_is_the_middle_one_and_no_other_opens(
    settings: Any, tmp_path: Path
) -> None:
    tokens = await sync_to_async(made)(settings, tmp_path, frames_shown=1)
    assert [await status(tokens[Role.QUESTIONER], f"frame/{n}") for n in (1, 2, 3)] == [404, 200, 404]
    seat = await Seat.objects.aget(role=Role.QUESTIONER)
    media = (await sync_to_async(snapshot.of)(seat.pk)).media
    assert media
    assert [link.rpartition("/")[2] for link in media.frames] == ["2"]


async def test_the_video_answers_ranges_so_that_a_player_can_seek(tokens: dict[str, str]) -> None:
    assert await status(tokens[Role.ANSWERER], "video", range="bytes=100-199") == 206


async def test_no_such_frame_seat_or_token_opens_nothing(tokens: dict[str, str]) -> None:
    assert await status(tokens[Role.QUESTIONER], "frame/4") == 404
    assert await status("1-1.forged", "video") == 403
    assert (await AsyncClient().get(f"/w/{tokens[Role.ANSWERER]}/2/video")).status_code == 403


async def test_a_waiting_seat_has_no_media() -> None:
    seat = await sync_to_async(factories.seat)()
    token = await sync_to_async(lambda: token_of(seat.participation))()
    assert await status(token, "video") == 403
    assert await status(token, "frame/1") == 403
