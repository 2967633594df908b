"""What does a judge's page post besides what every watcher's does? What it is answered stands in ``summaries``."""

from typing import Annotated

import msgspec

from chat.protocol import ClientFrame, Leave, ReportVideo, Watched, read
from collector.relevance.models import OPTIONS
from collector.summaries.protocol import Look, Seen

AllMarks = Annotated[list[bool | None], msgspec.Meta(min_length=OPTIONS, max_length=OPTIONS)]
"""One for each answer in the order shown: true is correct, null not marked yet."""


class Marks(ClientFrame, tag="marks", frozen=True):
    """How things are marked now, all of them, so that only the newest needs to be sent."""

    marks: AllMarks


class Finish(ClientFrame, tag="finish", frozen=True):
    """As Marks, and that the worker is done."""

    marks: AllMarks


FromJudge = Watched | Marks | Finish | Leave | ReportVideo | Look


class Opening(msgspec.Struct, frozen=True):
    """All that the page begins with."""

    seen: Seen
    duration: float
    question: str
    options: list[str]
    """In the order in which this worker sees them."""
    marks: list[bool | None]
    page: int
    """How many options stand on one page."""


_decoder = msgspec.json.Decoder(FromJudge)


def decode(data: bytes) -> FromJudge:
    """Return the frame in ``data``. Raises BadFrame."""
    return read(_decoder, data)
