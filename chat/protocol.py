"""What goes over the wire? Every frame, typed; unknown fields and types are refused.

Plain Python: the server, the simulated workers and the tests share this file. Texts of refusals stand in
``chat.rules``. A frame is one JSON object; ``type`` names its struct.
"""

from typing import Literal

import msgspec

MAX_FRAME_BYTES = 32_768
"""The largest frame taken from a page: the longest summary in four-byte characters, escaped, with room to spare."""
MAX_RANGES = 500
"""How many played ranges a page may report."""

RoleName = Literal["questioner", "answerer"]
Kind = Literal["question", "answer", "summary"]
Move = Literal["ask", "answer", "summarise", "watch", "wait", "none"]
"""What a worker is to do now; ``wait`` for the partner's move, ``none`` when nothing is left to do."""


class ClientFrame(msgspec.Struct, tag_field="type", forbid_unknown_fields=True, frozen=True):
    """A frame from a page."""


class Hello(ClientFrame, tag="hello", frozen=True):
    """The first frame: whose page it is, and which version of the dialog it holds (0: none)."""

    token: str
    have: int = 0


class Evidence(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How a text was written, as its page saw it: characters pasted, seconds from first key to sending."""

    pasted: int = 0
    seconds: float = 0.0


class Ask(ClientFrame, tag="ask", frozen=True):
    """A question."""

    key: str
    text: str
    typed_at: float | None = None  # Unix seconds by the page's clock
    evidence: Evidence | None = None


class Answer(ClientFrame, tag="answer", frozen=True):
    """An answer."""

    key: str
    text: str
    typed_at: float | None = None
    evidence: Evidence | None = None


class Summarise(ClientFrame, tag="summarise", frozen=True):
    """The Questioner's summary."""

    key: str
    text: str
    typed_at: float | None = None
    evidence: Evidence | None = None


class Typing(ClientFrame, tag="typing", frozen=True):
    """The worker is typing; relayed, never stored."""


class Watched(ClientFrame, tag="watched", frozen=True):
    """The video has played to its end; the played ranges as [start, end] in seconds."""

    ranges: list[tuple[float, float]]


class Have(ClientFrame, tag="have", frozen=True):
    """Which version the page holds; always answered, with a ``state``."""

    version: int


class Leave(ClientFrame, tag="leave", frozen=True):
    """The worker gives up the seat for good."""


Said = Ask | Answer | Summarise
FromClient = Hello | Ask | Answer | Summarise | Typing | Watched | Have | Leave


class Line(msgspec.Struct, frozen=True):
    """One utterance as both roles see it. ``key`` is there for own lines only."""

    position: int
    kind: Kind
    text: str
    key: str = ""


class Limits(msgspec.Struct, frozen=True):
    """How long texts may be: words (characters in languages without spaces) at least, code points at most."""

    language: str = "en"
    least_question: int = 2
    least_answer: int = 5
    least_summary: int = 8
    longest_text: int = 500
    longest_summary: int = 2000


class Media(msgspec.Struct, frozen=True):
    """What a role may look at: links without meaning. The Questioner gets frames, the Answerer the rest."""

    frames: list[str] = []
    video: str = ""
    script: str = ""
    duration: float = 0.0


class Snapshot(msgspec.Struct, frozen=True):
    """All that one role may see of a dialog at one version. A waiting seat has version 0 and no role."""

    seat: int
    version: int
    phase: Literal["waiting", "dialog", "ended"]
    move: Move
    role: RoleName | None = None
    round: int = 0  # the round in progress, from 1; the last one during the summary
    rounds: int = 0
    lines: list[Line] = []
    limits: Limits = Limits()
    media: Media | None = None
    partner_here: bool = False
    partner_watched: bool = False
    waiting_since: float = 0.0  # seconds waited so far
    outcome: str = ""
    finish: str = ""  # where to go when ended


class ServerFrame(msgspec.Struct, tag_field="type", frozen=True):
    """A frame to a page."""


class State(ServerFrame, tag="state", frozen=True):
    """A whole snapshot; replaces what the page holds unless that is newer."""

    snapshot: Snapshot


class Spoken(ServerFrame, tag="said", frozen=True):
    """One utterance more, for a page that holds the version before; others ask with ``have``."""

    version: int
    line: Line
    move: Move
    round: int


class Ack(ServerFrame, tag="ack", frozen=True):
    """The text with this key is stored."""

    key: str
    version: int
    position: int


class Refused(ServerFrame, tag="refused", frozen=True):
    """A frame was not taken; the text stays with the worker. ``key`` is empty for frames without one."""

    code: str
    sentence: str
    key: str = ""


class Partner(ServerFrame, tag="partner", frozen=True):
    """What the partner is doing right now."""

    here: bool
    typing: bool = False


class Ended(ServerFrame, tag="ended", frozen=True):
    """It is over for this seat: why, and where to go. ``moved`` means opened elsewhere: do not reconnect."""

    outcome: str
    finish: str = ""


FromServer = State | Spoken | Ack | Refused | Partner | Ended

_decoder = msgspec.json.Decoder(FromClient)
_encoder = msgspec.json.Encoder()


class BadFrame(ValueError):
    """A frame that is no frame of ours; ``code`` is one of chat.rules.Code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def decode(data: str | bytes) -> FromClient:
    """Return the frame in ``data``. Raises BadFrame with code ``too_big`` or ``not_understood``."""
    if len(data) > MAX_FRAME_BYTES:
        raise BadFrame("too_big")
    try:
        frame = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise BadFrame("not_understood") from None
    if isinstance(frame, Watched) and len(frame.ranges) > MAX_RANGES:
        raise BadFrame("too_big")
    return frame


def encode(frame: FromServer) -> str:
    """Return a server frame as JSON text."""
    return _encoder.encode(frame).decode()
