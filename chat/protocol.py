"""What goes over the wire? Every frame, typed; unknown fields and types are refused.

Plain Python: the server, the simulated workers and the tests share this file. Texts of refusals stand in
``chat.rules``. A frame is one JSON object; ``type`` names its struct.
"""

from typing import Annotated, Literal, TypeVar

import msgspec

MAX_FRAME_BYTES = 32_768
"""The largest frame taken from a page: the longest summary in four-byte characters, escaped, with room to spare."""
MAX_RANGES = 500
"""How many played ranges a page may report."""

RoleName = Literal["questioner", "answerer"]
Kind = Literal["question", "answer", "summary"]
Phase = Literal["waiting", "dialog", "choice", "ended"]
Reason = Literal["", "no_time", "technical", "uncomfortable", "other"]
"""Why a worker leaves; empty when they do not say."""
PartnerReason = Literal["rude", "off_task", "not_answering", "asks_for_contact"]
VideoReason = Literal["does_not_play", "no_sound", "disturbing", "script_does_not_fit"]
LeftAlone = Literal["", "partner_left", "partner_lost", "partner_idle"]
"""How the partner of who is to choose went; ``lost`` is a connection that did not come back within the grace."""
Move = Literal["ask", "answer", "summarise", "watch", "wait", "none"]
"""What a worker is to do now; ``wait`` for the partner's move, ``none`` when nothing is left to do."""


class ClientFrame(msgspec.Struct, tag_field="type", forbid_unknown_fields=True, frozen=True):
    """A frame from a page."""


class Hello(ClientFrame, tag="hello", frozen=True):
    """The first frame: whose page it is, and which version of the dialog it holds (0: none)."""

    token: str
    have: int = 0


MAX_PASTES = 20
"""How many pastes into one text a page may report."""
MAX_COUNT = 1_000_000


Seconds = Annotated[float, msgspec.Meta(ge=0, le=1_000_000)]
Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)]


class Evidence(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How a text was written, as its page saw it. For review only; nothing is refused for what it says.

    Times in seconds from when it became the worker's turn; ``pastes`` holds the length of each paste in characters;
    ``focus_losses`` counts how often the page was left; ``corrections`` the deletions. Unsent text is never sent.
    """

    to_first_key: Seconds = 0.0
    to_send: Seconds = 0.0
    pastes: Annotated[list[Count], msgspec.Meta(max_length=MAX_PASTES)] = []
    focus_losses: Count = 0
    corrections: Count = 0


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

    reason: Reason = ""


class EndWaiting(ClientFrame, tag="end_waiting", frozen=True):
    """Nobody came within the longest wait: the worker ends, paid, instead of waiting on."""


class EndAlone(ClientFrame, tag="end_alone", frozen=True):
    """The partner is lost and the short grace over: the worker ends, paid, before the long grace is."""


class Choose(ClientFrame, tag="choose", frozen=True):
    """The partner is gone: wait for another one, first in line, or end, paid."""

    wait: bool


class ReportPartner(ClientFrame, tag="report_partner", frozen=True):
    """The partner misbehaves; ends the dialog for both and blames nobody until a person has looked."""

    reason: PartnerReason


class ReportVideo(ClientFrame, tag="report_video", frozen=True):
    """The video cannot be talked about; ends the dialog, both paid, and holds the video for the researcher."""

    reason: VideoReason


Said = Ask | Answer | Summarise
FromClient = (
    Hello
    | Ask
    | Answer
    | Summarise
    | Typing
    | Watched
    | Have
    | Leave
    | EndWaiting
    | EndAlone
    | Choose
    | ReportPartner
    | ReportVideo
)


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


class Times(msgspec.Struct, frozen=True):
    """How long things may take, in seconds. Frozen at pairing with the limits."""

    grace: float = 60
    grace_rounds: int = 3
    long_grace: float = 180
    turn: float = 300
    nudge: float = 120
    typing: float = 120  # by so much at most a turn is extended while it is typed
    watch: float = 60  # on top of a turn while the video has not been watched; twice its length at least
    summary: float = 900
    dialog: float = 3600
    warning: float = 3000


class Wait(msgspec.Struct, frozen=True):
    """What a waiting worker may know, in seconds. Nothing is promised.

    ``typical`` is the median of the study's recent waits, None when there were too few. ``ends_left`` counts how often
    the worker may still end as no_partner within a day, this time included.
    """

    so_far: float
    until_choice: float  # 0 or less: the worker may end now, paid, or go on waiting
    longest: float
    typical: float | None = None
    ends_left: int = 0
    is_first_in_line: bool = False
    pays: bool = True  # whether the study pays for coming in vain


class Media(msgspec.Struct, frozen=True):
    """What a role may look at: links without meaning. The Questioner gets frames, the Answerer the rest."""

    frames: list[str] = []
    video: str = ""
    script: str = ""
    duration: float = 0.0


class Lost(msgspec.Struct, frozen=True):
    """The partner's connection is lost: seconds until they are given up, and whether the worker may end now, paid."""

    back_within: float
    may_end_in: float  # 0 or less: now


class End(msgspec.Struct, frozen=True):
    """How it ended for this worker, in words, and where to go."""

    outcome: str
    heading: str
    sentence: str
    finish: str


class Snapshot(msgspec.Struct, frozen=True):
    """All that one role may see of a dialog at one version. A waiting seat has version 0 and no role.

    ``choice`` is the phase in which the partner is gone and the worker decides what comes next. Every ``*_left`` is in
    seconds from when the snapshot was taken; None where nothing runs out.
    """

    seat: int
    version: int
    phase: Phase
    move: Move
    role: RoleName | None = None
    round: int = 0  # the round in progress, from 1; the last one during the summary
    rounds: int = 0
    lines: list[Line] = []
    limits: Limits = Limits()
    times: Times = Times()
    media: Media | None = None
    partner_here: bool = False
    partner_watched: bool = False
    partner_lost: Lost | None = None
    turn_left: float | None = None  # of whoever's move it is
    dialog_left: float | None = None
    choice_left: float | None = None
    left_alone: LeftAlone = ""  # in ``choice``
    may_wait: bool = False  # in ``choice``: whether another partner can be waited for
    wait: Wait | None = None
    evidence: bool = True  # whether the study keeps how texts were written
    pays: bool = True  # whether the study pays; where it does not, the page does not speak of it
    end: End | None = None


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
    turn_left: float | None = None


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

    typing: bool = False


class Moved(ServerFrame, tag="moved", frozen=True):
    """The seat was opened elsewhere; this page stops and does not connect again."""


class Ended(ServerFrame, tag="ended", frozen=True):
    """It is over for this worker."""

    end: End


FromServer = State | Spoken | Ack | Refused | Partner | Moved | Ended

Found = TypeVar("Found")
_decoder = msgspec.json.Decoder(FromClient)
_encoder = msgspec.json.Encoder()


class BadFrame(ValueError):
    """A frame that is no frame of ours; ``code`` is one of chat.rules.Code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def read(decoder: msgspec.json.Decoder[Found], data: str | bytes, most: int = MAX_FRAME_BYTES) -> Found:
    """Return what a decoder finds in ``data``. Raises BadFrame with code ``too_big`` or ``not_understood``."""
    if len(data) > most:
        raise BadFrame("too_big")
    try:
        found = decoder.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise BadFrame("not_understood") from None
    if isinstance(found, Watched) and len(found.ranges) > MAX_RANGES:
        raise BadFrame("too_big")
    return found


def decode(data: str | bytes) -> FromClient:
    """Return the frame in ``data``. Raises BadFrame."""
    return read(_decoder, data)


class Poll(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a page without a socket posts: its name for itself, what it holds, and the frames it has to send."""

    page: str
    have: int = 0
    frames: Annotated[list[FromClient], msgspec.Meta(max_length=10)] = []


_poll_decoder = msgspec.json.Decoder(Poll)


def decode_poll(data: bytes) -> Poll:
    """Return what a page posted. Raises BadFrame."""
    return read(_poll_decoder, data, 2 * MAX_FRAME_BYTES)


def encode_all(frames: list[FromServer]) -> bytes:
    """Return frames as one JSON list: the answer to a poll."""
    return _encoder.encode(frames)


def encode(frame: FromServer) -> str:
    """Return a server frame as JSON text."""
    return _encoder.encode(frame).decode()
