"""How do pictures and sound get from one file into another? Decoded, filtered, encoded, each with its time.

A gap in the sound is filled with silence, and a picture that comes at the time of another is left out, so that both
stay together whatever the source's times are.
"""

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import av
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.filter import Graph
from av.packet import Packet
from av.video.frame import PictureType, VideoFrame
from av.video.stream import VideoStream

TICKS = 90_000
"""A second, in the times of pictures."""
RATE = 48_000
"""Samples a second."""
VIDEO = {"crf": "20", "preset": "medium", "profile": "high"}
BITS = {"mono": 96_000, "stereo": 160_000}
"""A second of sound."""
BT709 = 1
Frame = VideoFrame | AudioFrame
_FRAME_DURATION = 1 << 8  # FFmpeg's flag, which PyAV does not name: frames say how long they are shown


@dataclass(frozen=True)
class Plan:
    """What is done to each picture. ``size`` is in pixels before it is turned, by ``turn`` degrees clockwise."""

    size: tuple[int, int]
    turn: int
    filters: list[tuple[str, str]]
    notes: list[str]
    source: str


def time_of(frame: Frame | None) -> Fraction | None:
    """Return when a frame begins, in seconds; None where it does not say."""
    if frame is None or frame.pts is None or not frame.time_base:
        return None
    return frame.pts * frame.time_base


class _Way(ABC):
    """From packets of one file to those of another; filters are made anew when frames change their shape."""

    def __init__(self, to: OutputContainer, source: VideoStream | AudioStream, start: Fraction) -> None:
        self._to, self._source, self._start = to, source, start
        self._graph: Graph | None = None
        self._key: tuple[object, ...] = ()

    @abstractmethod
    def _take(self, frame: Frame) -> None:
        """Take a frame as it was decoded."""

    @abstractmethod
    def _encode(self, frame: Frame | None) -> None:
        """Encode a frame as it was filtered; None for the end."""

    def take(self, packet: "Packet[Any]") -> None:
        """Take a packet of the source; what is damaged is passed over."""
        with suppress(av.FFmpegError, EOFError):
            for frame in packet.decode():
                self._take(frame)

    def end(self) -> None:
        """Write what is left."""
        with suppress(av.FFmpegError, EOFError):
            for frame in self._source.codec_context.decode(None):
                self._take(frame)
        self._filter(None)
        self._encode(None)

    def _filter(self, frame: Frame | None, key: tuple[object, ...] = (), *filters: tuple[str, str]) -> None:
        """Push a frame through the filters, which belong to the ``key``; None brings out what they still hold."""
        if frame is not None and key != self._key:
            self._filter(None)
            self._graph, self._key = _chain(*filters), key
        if self._graph is None:
            return
        self._graph.push(frame)
        with suppress(BlockingIOError, EOFError):
            while True:
                self._encode(self._graph.pull())


class Pictures(_Way):
    """The pictures' way."""

    def __init__(self, to: OutputContainer, source: VideoStream, plan: Plan, start: Fraction, threads: int) -> None:
        super().__init__(to, source, start)
        rate = source.average_rate or source.guessed_rate or Fraction(25)
        self._plan, self._step, self._last = plan, max(1, round(TICKS / rate)), -1
        self._stream = to.add_stream("libx264", rate=min(rate, Fraction(240)).limit_denominator(1001))
        context = self._stream.codec_context
        context.width, context.height = plan.size if plan.turn in (0, 180) else plan.size[::-1]
        context.pix_fmt = "yuv420p"
        context.time_base = self._stream.time_base = Fraction(1, TICKS)
        context.color_primaries = context.color_trc = context.colorspace = context.color_range = BT709
        context.options = dict(VIDEO)
        context.gop_size = max(1, round(2 * rate))
        context.flags |= _FRAME_DURATION
        context.thread_count = threads

    @property
    def seconds(self) -> float:
        """How far it is."""
        return self._last / TICKS

    def _take(self, frame: Frame) -> None:
        if not isinstance(frame, VideoFrame) or frame.is_corrupt:
            return
        time = time_of(frame)
        at = self._last + self._step if time is None else round((time - self._start) * TICKS)
        wait = max(0, at) if self._last < 0 else 0
        at -= wait  # the first is shown from the start on
        if at <= self._last:
            return
        length = round(frame.duration * frame.time_base * TICKS) if frame.duration and frame.time_base else self._step
        colours = f"colorspace={int(frame.colorspace)}:range={int(frame.color_range)}"
        shape = f"video_size={frame.width}x{frame.height}:pix_fmt={frame.format.name}"
        source = ("buffer", f"{shape}:time_base=1/{TICKS}:{colours}")
        self._last = frame.pts = at
        frame.time_base, frame.duration = Fraction(1, TICKS), length + wait
        key = (frame.width, frame.height, frame.format.name)
        self._filter(frame, key, source, *self._plan.filters, ("buffersink", ""))

    def _encode(self, frame: Frame | None) -> None:
        frame = frame if isinstance(frame, VideoFrame) else None
        if frame:
            scale = (frame.time_base or Fraction(1, TICKS)) * TICKS  # some filters count finer
            frame.pts, frame.duration = round((frame.pts or 0) * scale), round(frame.duration * scale)
            frame.time_base, frame.pict_type = Fraction(1, TICKS), PictureType.NONE
        self._to.mux(self._stream.encode(frame))


class Sound(_Way):
    """The sound's way."""

    def __init__(self, to: OutputContainer, source: AudioStream, start: Fraction) -> None:
        super().__init__(to, source, start)
        self.layout = "mono" if source.codec_context.layout.nb_channels == 1 else "stereo"
        self._stream = to.add_stream("aac", rate=RATE, layout=self.layout)
        self._stream.codec_context.bit_rate = BITS[self.layout]
        self._samples = 0

    def _take(self, frame: Frame) -> None:
        if not isinstance(frame, AudioFrame):
            return
        rate, time = frame.sample_rate, time_of(frame)
        source = f"sample_rate={rate}:sample_fmt={frame.format.name}:channel_layout={frame.layout.name}"
        even = f"{RATE}:async=1:first_pts={self._samples}"
        shape = f"sample_fmts=fltp:sample_rates={RATE}:channel_layouts={self.layout}"
        frame.time_base = Fraction(1, rate)
        frame.pts = None if time is None else round((time - self._start) * rate)
        self._filter(
            frame,
            (frame.format.name, frame.layout.name, rate),
            ("abuffer", f"{source}:time_base=1/{rate}"), ("aresample", even), ("aformat", shape), ("abuffersink", ""),
        )  # fmt: skip

    def _encode(self, frame: Frame | None) -> None:
        frame = frame if isinstance(frame, AudioFrame) else None
        if frame:
            self._samples += frame.samples
        self._to.mux(self._stream.encode(frame))


def _chain(*filters: tuple[str, str]) -> Graph:
    graph = Graph()
    made = [graph.add(name, args) for name, args in filters]
    for one, other in pairwise(made):
        one.link_to(other)
    graph.configure()
    return graph
