"""What does a watcher's page post, and what is it answered? One JSON object each; the frames are those of the chat.

A relevance study has frames of its own for the work and is answered the same.
"""

from typing import Annotated, Literal

import msgspec

from chat.protocol import (
    ClientFrame,
    Leave,
    Limits,
    Refused,
    ReportVideo,
    ServerFrame,
    Summarise,
    Watched,
    read,
)


class Draft(ClientFrame, tag="draft", frozen=True):
    """What is typed and not sent yet, whole."""

    text: str


class Look(ClientFrame, tag="look", frozen=True):
    """The page wants to know how things stand."""


FromWatcher = Watched | Draft | Summarise | Leave | ReportVideo | Look


class Seen(ServerFrame, tag="seen", frozen=True):
    """How things stand: what is to be done, and in how many seconds it runs out."""

    move: Literal["watch", "summarise", "judge"]
    task_left: float
    summary_left: float | None = None
    """None while the video has not been watched, and where no summary is written."""


class Over(ServerFrame, tag="over", frozen=True):
    """It has ended, and where to go."""

    finish: str


class Opening(msgspec.Struct, frozen=True):
    """All that the page begins with."""

    seen: Seen
    limits: Limits
    evidence: bool
    duration: Annotated[float, msgspec.Meta(ge=0)]
    draft: str


ToWatcher = Seen | Over | Refused
_decoder = msgspec.json.Decoder(FromWatcher)
_encoder = msgspec.json.Encoder()


def decode(data: bytes) -> FromWatcher:
    """Return the frame in ``data``. Raises BadFrame."""
    return read(_decoder, data)


def encode(frame: ToWatcher) -> bytes:
    """Return an answer as JSON."""
    return _encoder.encode(frame)
