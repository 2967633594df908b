"""Can a browser seek in a stored file, and does an answer give nothing away?"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import RequestFactory

from collector.catalogue import media

CONTENT = bytes(range(256)) * 4096


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "a-telling-name.mp4"
    path.write_bytes(CONTENT)
    return path


async def ask(path: Path, method: str = "GET", **headers: str) -> tuple[HttpResponseBase, bytes]:
    request = RequestFactory().generic(method, "/", headers=headers)
    response = await media.serve(request, path, "video/mp4")
    if isinstance(response, StreamingHttpResponse):
        return response, b"".join([piece async for piece in cast(AsyncIterator[bytes], response.streaming_content)])
    return response, response.content  # type: ignore[attr-defined]


async def test_a_whole_file_is_served(stored: Path) -> None:
    response, body = await ask(stored)
    assert (response.status_code, body) == (200, CONTENT)
    assert response["Content-Length"] == str(len(CONTENT))
    assert response["Content-Type"] == "video/mp4"
    assert response["Accept-Ranges"] == "bytes"
    assert response["Cache-Control"] == "private"


async def test_nothing_in_the_headers_tells_the_file(stored: Path) -> None:
    response, _ = await ask(stored)
    assert set(response.headers) == {"Content-Type", "Content-Length", "Accept-Ranges", "Cache-Control"}


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-99", 0, 99), ("bytes=100-", 100, len(CONTENT) - 1),
        ("bytes=-10", len(CONTENT) - 10, len(CONTENT) - 1),
        ("bytes=5-5", 5, 5), ("bytes=0-99999999999", 0, len(CONTENT) - 1), ("bytes=-99999999999", 0, len(CONTENT) - 1),
        ("bytes=1-700000", 1, 700000),
    ],
)  # fmt: skip
async def test_a_range_is_answered_with_206(stored: Path, asked: str, first: int, last: int) -> None:
    response, body = await ask(stored, range=asked)
    assert response.status_code == 206
    assert response["Content-Range"] == f"bytes {first}-{last}/{len(CONTENT)}"
    assert response["Content-Length"] == str(last - first + 1)
    assert body == CONTENT[first : last + 1]


@pytest.mark.parametrize("asked", ["bytes=9-3", "bytes=0-1,5-6", "bytes=-", "lines=1-2", "bytes=a-b", "bytes=²-3", ""])
async def test_a_range_that_makes_no_sense_is_answered_with_the_whole_file(stored: Path, asked: str) -> None:
    response, body = await ask(stored, range=asked)
    assert (response.status_code, body) == (200, CONTENT)


@pytest.mark.parametrize("asked", [f"bytes={len(CONTENT)}-", "bytes=99999999999-99999999999", "bytes=-0"])
async def test_a_range_beyond_the_end_is_refused_with_416(stored: Path, asked: str) -> None:
    response, body = await ask(stored, range=asked)
    assert (response.status_code, body) == (416, b"")
    assert response["Content-Range"] == f"bytes */{len(CONTENT)}"


async def test_head_answers_without_a_body(stored: Path) -> None:
    response, body = await ask(stored, "HEAD", range="bytes=0-5")
    assert (response.status_code, body, response["Content-Length"]) == (200, b"", str(len(CONTENT)))


async def test_a_conditional_range_is_answered_with_the_whole_file(stored: Path) -> None:
    response, body = await ask(stored, **{"range": "bytes=0-5", "if-range": '"old"'})
    assert (response.status_code, len(body)) == (200, len(CONTENT))


async def test_an_empty_file_and_a_missing_one(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    assert (await ask(empty))[1] == b""
    assert (await ask(empty, range="bytes=0-"))[0].status_code == 416
    response, body = await ask(tmp_path / "none.mp4")
    assert response.status_code == 404
    assert b"none" not in body


async def test_other_methods_are_refused(stored: Path) -> None:
    assert (await ask(stored, "POST"))[0].status_code == 405
