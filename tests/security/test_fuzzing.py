"""Whatever bytes come, a reader gives what it is for or its own refusal, and nothing else; longer in drills."""

import importlib.util
import json
import logging
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from asgiref.sync import sync_to_async
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chat import consumers, protocol
from chat.models import Utterance
from collector.analysis import published
from collector.catalogue import sources
from collector.exports import archives, submissions
from tests.chat.test_socket import Page, _fresh, a_pair, watch

__all__ = ["_fresh"]  # a fixture

EXAMPLES = [60, pytest.param(800, marks=pytest.mark.long_drill)]
WORDS = [
    "type", "ask", "answer", "hello", "watched", "ranges", "key", "text", "token", "have", "frames", "page", "evidence",
    "image_id", "dialog", "dialogs", "data", "question", "answer_options", "scene_aware_dialog", "summary", "caption",
    "round", "id", "script", "file", "length", "actions", "questions", "answers", "gt_index", "ranks", "round_id",
    "split", "../x", "c001 1.0 2.0", "\x00", "\ud800", "=1+1", "<x>",
]  # fmt: skip
"""What the formats are made of, so that more than the first check is reached."""
_leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(WORDS)
)
_values = st.recursive(
    _leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=4), inner),
    max_leaves=20,
)


def _as_bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


def _cut(parts: tuple[bytes, int, bytes]) -> bytes:
    whole, place, other = parts
    place %= len(whole) + 1
    return whole[:place] + other + whole[place + len(other) :]


def around(*samples: bytes) -> st.SearchStrategy[bytes]:
    """Give bytes of any kind, JSON of any shape, and these files with a part of them changed."""
    changed = st.tuples(st.sampled_from(samples), st.integers(0, 4000), st.binary(max_size=6)).map(_cut)
    return st.binary(max_size=200) | _values.map(_as_bytes) | changed


def hold(examples: int, data: st.SearchStrategy[bytes], read: Callable[[bytes], None]) -> None:
    """Have so many examples read; the short run is always the same."""
    checks = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    is_short = examples < 1000

    @settings(max_examples=examples, deadline=None, database=None, derandomize=is_short, suppress_health_check=checks)
    @given(data)
    def holds(content: bytes) -> None:
        read(content)

    holds()


FRAMES = [
    msgspec.json.encode(frame)
    for frame in (
        protocol.Hello("1-1.x", 3), protocol.Ask("key-00000001", "What?", 1.0, protocol.Evidence(1, 2, [3])),
        protocol.Watched([(0, 8.0)]), protocol.Leave("other"), protocol.Choose(True),
        protocol.Poll("page", 1, [protocol.Typing()]),
    )
]  # fmt: skip


@pytest.mark.parametrize("examples", EXAMPLES)
def test_any_frame_is_one_of_ours_or_refused(examples: int) -> None:
    def read(content: bytes) -> None:
        for decode, kind in ((protocol.decode, protocol.FromClient), (protocol.decode_poll, protocol.Poll)):
            with suppress(protocol.BadFrame):
                assert isinstance(decode(content), kind)

    hold(examples, around(*FRAMES), read)


CSV = (
    b"id,subject,scene,quality,relevance,verified,script,objects,descriptions,actions,length\r\n"
    b'AAAA1,S,Kitchen,6,7,Yes,"One, two",apple;knife,One.;Two.,c063 1.00 4.50,12.00\r\n'
)
MANIFEST = b'{"id": "A", "script": "b", "file": "x.mp4", "length": 3, "publishable": true, "split": "train"}\n' * 2
_SCENE = {"image_id": "AAAA1", "caption": "c", "summary": "s", "dialog": [{"question": "q", "answer": "a"}]}
DSTC7 = _as_bytes({"type": "scene_aware_dialog", "version": "1", "dialogs": [_SCENE]})
RAW = _as_bytes(
    {"AAAA1": {"summary": "s", "script": "x", "split": "val", "data": {"p": [{"question": "q", "answer": "a"}]}}}
)
_ROUND = {"question": 0, "answer": 0, "answer_options": [0, 1], "gt_index": 0}
VISDIAL = _as_bytes(
    {"data": {"questions": ["q"], "answers": ["a", "b"], "dialogs": [{"image_id": "A", "dialog": [_ROUND]}]}}
)
RANKS = _as_bytes([{"image_id": "A", "round_id": 1, "ranks": list(range(1, 101))}])
_ASKED = {("A", 1): submissions.Asked("q", 0)}


def read_videos(path: Path) -> None:
    """Read a list of videos; no row may name a file outside of the folder."""
    for row in sources.read(path):
        if isinstance(row, sources.Row):
            assert not row.file.startswith("/")
            assert ".." not in row.file.replace("\\", "/").split("/")


READERS: dict[str, tuple[Callable[[Path], Any], type[Exception], tuple[bytes, ...]]] = {
    "videos": (read_videos, sources.Problem, (CSV, MANIFEST)),
    "dialogs": (lambda path: list(archives.read(path)[1]), archives.CannotImport, (DSTC7, RAW, VISDIAL)),
    "published": (lambda path: list(published.read(path)), published.BadFile, (DSTC7, RAW, VISDIAL)),
    "against": (submissions.read_against, submissions.Refused, (VISDIAL, RANKS)),
    "options": (submissions.read_options, submissions.Refused, (VISDIAL,)),
    "predictions": (lambda path: submissions.read_predictions(path, _ASKED), submissions.Refused, (RANKS,)),
    "relevances": (lambda path: submissions.read_relevances(path, _ASKED), submissions.Refused, (RANKS,)),
}
"""What reads files that come from elsewhere, how it refuses one, and files that it takes."""


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("reader", READERS)
def test_any_file_is_read_or_refused_in_a_sentence_that_names_it(reader: str, examples: int, tmp_path: Path) -> None:
    read, refusal, samples = READERS[reader]
    path = tmp_path / "file"

    def takes(content: bytes) -> None:
        path.write_bytes(content)
        try:
            read(path)
        except refusal as refused:
            if str(path) not in str(refused):
                pytest.fail(f"{refused} names no file")

    takes(samples[0][:-3] + b"[" * 100_000)
    hold(examples, around(*samples), takes)


TEXTS = [
    "What happens then?",
    "Somebody opens the door slowly.",
    "Who goes there?",
    "They sit down and read a book.",
    "",
    "x" * 600,
    "\u202e?",
    " ",
]


def _frame(chance: random.Random, number: int) -> str:
    """Return a frame of a page made by hand: mostly well formed, often not its turn, sometimes no frame at all."""
    kinds: list[dict[str, Any]] = [
        {"type": chance.choice(["ask", "answer", "summarise"]), "key": f"key-{chance.randrange(number + 2):08}",
         "text": chance.choice(TEXTS)},
        {"type": "typing"}, {"type": "have", "version": chance.choice([0, 1, -1, 2**62])},
        {"type": "watched", "ranges": chance.choice([[], [[0, 8]], [[8, 0]], [[-1, 1e300]]])},
        {"type": "choose", "wait": True}, {"type": "end_alone"}, {"type": "end_waiting"},
        {"type": chance.choice(WORDS), chance.choice(WORDS): 1},
    ]  # fmt: skip
    text = json.dumps(chance.choices(kinds, [6, 1, 1, 1, 1, 1, 1, 1])[0])
    return text if chance.random() < 0.9 else text[: chance.randrange(1, len(text))]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long_drill) for seed in range(2, 8))])
async def test_whatever_two_pages_send_the_dialog_stays_one(
    seed: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(consumers, "BURST", 10_000)
    chance, pages = random.Random(seed), await a_pair()
    await watch(pages[1])
    await pages[0].send("ask", key="key-first", text=TEXTS[0])
    await pages[0].stored()
    for number in range(100):
        await chance.choice(pages).socket.send_to(text_data=_frame(chance, number))
    for page in pages:
        await page.send("have", version=0)
        await _quiet(page)
        await page.close()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    said = await sync_to_async(lambda: list(Utterance.objects.order_by("position").values_list("position", "text")))()
    assert [position for position, _ in said] == list(range(len(said)))
    assert said, "not even the first question stands there"
    for position, text in said:
        assert ("?" in text) == (position % 2 == 0), "a question stands where an answer does"


async def _quiet(page: Page) -> None:
    """Read what the server has to say, all of it frames that pages know, until it says no more."""
    while not await page.socket.receive_nothing(timeout=1):
        frame = await page.receive()
        assert frame["type"] in ("state", "said", "ack", "refused", "partner", "moved", "ended")
        assert frame.get("code") != "busy", frame


@pytest.mark.long_drill
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris has no build here")
def test_a_fuzzer_that_follows_the_code_finds_nothing_in_half_a_minute(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.security.following", "-max_total_time=30", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=150)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Done" in done.stderr, done.stderr[-500:]
