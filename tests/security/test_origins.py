"""A page of another site opens no socket, in any name that it may give itself."""

import pytest
from channels.testing import WebsocketCommunicator

from collector.asgi import application

pytestmark = pytest.mark.django_db(transaction=True)


async def is_let_in(origin: str | None) -> bool:
    headers = [(b"host", b"testserver")] + ([(b"origin", origin.encode())] if origin is not None else [])
    socket = WebsocketCommunicator(application, "/ws/chat/", headers)
    accepted, _ = await socket.connect()
    await socket.disconnect()
    return bool(accepted)


@pytest.mark.parametrize(
    "origin",
    [
        "https://example.org", "http://testserver.example.org", "https://testserver@example.org",
        "http://example.org#testserver", "javascript:testserver", "http://", "garbage", "",
    ],
)  # fmt: skip
async def test_a_page_of_another_site_opens_no_socket(origin: str) -> None:
    assert not await is_let_in(origin)


@pytest.mark.parametrize("origin", ["http://testserver", "https://localhost", None, "null"])
async def test_pages_of_ours_and_programs_open_one(origin: str | None) -> None:
    assert await is_let_in(origin)
