"""Frames: what is taken, and what is refused."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat import protocol


@pytest.mark.parametrize(
    "data",
    [
        "",
        "hello",
        "[]",
        "{}",
        '{"type":"shout","text":"x"}',
        '{"type":"ask","text":"x"}',
        '{"type":"ask","key":"k","text":5}',
        '{"type":"ask","key":"k","text":"x","role":"answerer"}',
        '{"type":"have","version":"1"}',
        '{"type":"watched","ranges":[[0]]}',
        b"\xff\xfe",
        "[" * 20_000,
    ],
)
def test_what_is_no_frame_of_ours_is_refused(data: str | bytes) -> None:
    with pytest.raises(protocol.BadFrame) as caught:
        protocol.decode(data)
    assert caught.value.code == "not_understood"


def test_a_frame_too_big_is_refused_unread() -> None:
    with pytest.raises(protocol.BadFrame) as caught:
        protocol.decode(" " * (protocol.MAX_FRAME_BYTES + 1))
    assert caught.value.code == "too_big"


def test_more_played_ranges_than_a_player_makes_are_refused() -> None:
    frame = protocol.Watched([(float(i), i + 0.5) for i in range(protocol.MAX_RANGES + 1)])
    with pytest.raises(protocol.BadFrame) as caught:
        protocol.decode(msgspec.json.encode(frame))
    assert caught.value.code == "too_big"


@given(st.text(), st.text(max_size=50))
def test_client_frames_survive_the_wire(text: str, key: str) -> None:
    frame = protocol.Answer(key, text, 1.5, protocol.Evidence(3, 2.5))
    data = msgspec.json.encode(frame)
    if len(data) <= protocol.MAX_FRAME_BYTES:
        assert protocol.decode(data) == frame


def test_server_frames_name_their_type() -> None:
    text = protocol.encode(protocol.Ack("k", 3, 2))
    assert msgspec.json.decode(text) == {"type": "ack", "key": "k", "version": 3, "position": 2}


def test_the_longest_summary_fits_a_frame() -> None:
    frame = protocol.Summarise("k" * 40, "😀" * 2000)
    assert protocol.decode(msgspec.json.encode(frame)) == frame
