"""What is in a video file, and can it be used? Measured from the file itself, never from what its header claims.

Plain Python with PyAV, no Django: it runs in worker processes too. It must not change or keep anything.
"""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

# Only these are opened: FFmpeg would also take text for a terminal recording, or follow a playlist to other files.
_VIDEO_FORMATS = "mov,matroska,webm,avi,mpegts,mpeg,mpegvideo,flv,asf,ogg,gif,m4v,h264,hevc,obu,ivf,mxf,nut,dv,rm"
_AUDIO_FORMATS = "wav,mp3,flac,aac,ac3,eac3,amr,aiff,caf,w64,ape,wv,dts"
_OPTIONS = {"protocol_whitelist": "file", "format_whitelist": f"{_VIDEO_FORMATS},{_AUDIO_FORMATS}"}
_SIGNATURES = ((4, b"ftyp"), (4, b"moov"), (4, b"mdat"), (0, b"\x1aE\xdf\xa3"), (8, b"AVI "), (0, b"FLV\x01"))
_SILENCE = 0.001  # of full scale, -60 dB: dither and hum of a muted microphone stay below
COPY = "ffmpeg -i IN -c copy -movflags +faststart OUT.mp4"
CONVERT = "import_videos --transcode"
MAX_BYTES = 8 << 30
MAX_SECONDS = 2 * 3600
MAX_PIXELS = 8192 * 4608
"""Of a picture. What is larger in bytes, seconds or pixels is refused before it is decoded."""


class Reason(StrEnum):
    """Why a file cannot be used."""

    MISSING = "missing"
    EMPTY = "empty"
    NOT_VIDEO = "not_video"
    AUDIO_ONLY = "audio_only"
    BROKEN = "broken"
    NO_FRAME = "no_frame"
    TOO_LARGE = "too_large"
    TOO_LONG = "too_long"
    TOO_MANY_PIXELS = "too_many_pixels"


SENTENCES = {
    Reason.MISSING: "There is no such file. Check the name and the folder, and that it may be read.",
    Reason.EMPTY: "The file has zero bytes. Copy or download it again.",
    Reason.NOT_VIDEO: "The file is not a video that FFmpeg knows. Give a video file.",
    Reason.AUDIO_ONLY: "The file has sound but no picture. Give the video it belongs to.",
    Reason.BROKEN: "The file is damaged or was cut off. Copy or download it again.",
    Reason.NO_FRAME: "No picture in the file can be decoded. Copy or download it again, or convert it.",
    Reason.TOO_LARGE: f"The file is larger than {MAX_BYTES >> 30} GiB. Cut it, or compress it.",
    Reason.TOO_LONG: f"The video is longer than {MAX_SECONDS // 3600} hours. Cut it.",
    Reason.TOO_MANY_PIXELS: f"Its pictures have more than {MAX_PIXELS / 1e6:.0f} million pixels. Make them smaller.",
}


class Unreadable(Exception):
    """A file that cannot be used as a video; ``code`` is a Reason, the text its sentence."""

    def __init__(self, code: Reason) -> None:
        super().__init__(code)  # so that it survives the way back from a worker process
        self.code = code

    def __str__(self) -> str:
        return SENTENCES[self.code]


@dataclass(frozen=True)
class Facts:
    """What was measured. ``start`` is the time of the first frame in the file's own count; sizes are as shown."""

    start: float
    duration: float
    width: int
    height: int
    rotation: int
    has_sound: bool
    is_silent: bool
    video_codec: str
    audio_codec: str
    is_playable: bool
    playable_note: str


@contextmanager
def opened(path: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open ``path`` and its picture, on one thread. Raises Unreadable."""
    _check_bytes(path)
    try:
        container = av.open(str(path), options=_OPTIONS, metadata_errors="replace")
    except (av.FFmpegError, OSError, ValueError):
        raise Unreadable(Reason.BROKEN if _looks_like_video(path) else Reason.NOT_VIDEO) from None
    with container:
        stream = next((s for s in container.streams.video if not _is_cover(s)), None)
        if stream is None:
            raise Unreadable(Reason.AUDIO_ONLY if container.streams.audio else Reason.NOT_VIDEO)
        if stream.codec_context is None:
            raise Unreadable(Reason.NO_FRAME)
        codec = stream.codec_context
        if codec.width * codec.height > MAX_PIXELS:
            raise Unreadable(Reason.TOO_MANY_PIXELS)
        codec.options = {"max_pixels": str(MAX_PIXELS)}  # pictures that turn out larger do not decode
        codec.thread_count = 1  # files are spread over the cores, not one file's frames
        yield container, stream


def decode(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    """Yield the frames that decode from where ``container`` stands; damaged ones are passed over."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except av.FFmpegError:
            packet = None  # the file ends early: what the decoder still holds comes out below
        frames: list[VideoFrame] = []
        with suppress(av.FFmpegError, EOFError):
            frames = packet.decode() if packet else stream.codec_context.decode(None)
        yield from (frame for frame in frames if not frame.is_corrupt)
        if packet is None:
            return


def probe(path: Path) -> Facts:
    """Measure the file at ``path``: seconds, pixels, degrees, sound, codecs, playable or not. Raises Unreadable."""
    start, duration = _extent(path)
    if duration > MAX_SECONDS:
        raise Unreadable(Reason.TOO_LONG)
    with opened(path) as (container, stream):
        frame = next(decode(container, stream), None)
        if frame is None:
            raise Unreadable(Reason.NO_FRAME)
        width, height = shown_size(frame, stream)
        codecs = _codecs(container, stream)
        note = _unplayable(path, container, frame, *codecs)
    loud = _is_loud(path) if codecs[1] else False
    return Facts(
        start=start, duration=duration, width=width, height=height, rotation=clockwise(frame),
        has_sound=loud, is_silent=bool(codecs[1]) and not loud,
        video_codec=codecs[0], audio_codec=codecs[1], is_playable=not note, playable_note=note,
    )  # fmt: skip


def clockwise(frame: VideoFrame) -> int:
    """Return how many degrees clockwise (0, 90, 180, 270) a player turns ``frame``."""
    return round(-frame.rotation / 90) * 90 % 360


def shown_size(frame: VideoFrame, stream: VideoStream) -> tuple[int, int]:
    """Return width and height in pixels as a player shows them: with square pixels, turned upright."""
    ratio = stream.sample_aspect_ratio
    width = max(1, round(frame.width * float(ratio))) if ratio else frame.width
    return (frame.height, width) if clockwise(frame) in (90, 270) else (width, frame.height)


def _check_bytes(path: Path) -> None:
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise Unreadable(Reason.EMPTY)
            if os.fstat(file.fileno()).st_size > MAX_BYTES:
                raise Unreadable(Reason.TOO_LARGE)
    except (OSError, ValueError):
        raise Unreadable(Reason.MISSING) from None


def _looks_like_video(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(16)
    return any(head[offset:].startswith(mark) for offset, mark in _SIGNATURES)


def _is_cover(stream: VideoStream) -> bool:
    return bool(stream.disposition & av.stream.Disposition.attached_pic)


def _codecs(container: InputContainer, stream: VideoStream) -> tuple[str, str]:
    audio = next((s for s in container.streams.audio if s.codec_context), None)
    return stream.codec_context.codec.canonical_name, audio.codec_context.codec.canonical_name if audio else ""


def _extent(path: Path) -> tuple[float, float]:
    """Return start and length in seconds from the packets that are there; headers may be wrong or say nothing."""
    begin, end, count = math.inf, -math.inf, 0
    with opened(path) as (container, stream):
        rate = stream.average_rate or stream.guessed_rate or stream.base_rate
        step = float(1 / rate) if rate else 0.04
        base = float(stream.time_base or 0)
        with suppress(av.FFmpegError):
            for packet in container.demux(stream):
                if not packet.size:
                    continue
                count += 1
                if (pts := packet.pts if packet.pts is not None else packet.dts) is None:
                    continue
                begin = min(begin, pts * base)
                end = max(end, pts * base + (packet.duration * base if packet.duration else step))
    return (begin, end - begin) if begin < end else (0.0, count * step)


def _is_loud(path: Path) -> bool:
    """Tell whether the audio track is anywhere above silence; stops at the first sound."""
    with opened(path) as (container, _), suppress(av.FFmpegError, EOFError):
        stream = container.streams.audio[0]
        resampler = av.AudioResampler(format="flt", layout="mono")
        for packet in container.demux(stream):
            with suppress(av.FFmpegError, EOFError):
                for frame in packet.decode():
                    for piece in resampler.resample(frame):
                        if np.abs(piece.to_ndarray()).max(initial=0) > _SILENCE:
                            return True
    return False


def _unplayable(path: Path, container: InputContainer, frame: VideoFrame, video: str, audio: str) -> str:
    """Return why browsers cannot play it and what to do, or nothing when they can."""
    kind = _container_kind(path, container)
    videos, audios = {
        "mp4": ({"h264", "av1", "vp9"}, {"", "aac", "mp3", "opus", "flac"}),
        "webm": ({"vp8", "vp9", "av1"}, {"", "opus", "vorbis"}),
    }.get(kind, (set(), set()))
    if not videos:
        why = f"Browsers do not play {kind} files everywhere."
    elif video not in videos:
        why = f"Browsers do not play {video} in {kind} everywhere."
    elif audio not in audios:
        why = f"Browsers do not play the sound, {audio}, in {kind} everywhere."
    elif video == "h264" and frame.format.name not in ("yuv420p", "yuvj420p"):
        why = f"Browsers do not play h264 with {frame.format.name} pixels everywhere."
    else:
        return ""
    return f"{why} Have a copy made that they play: {CONVERT}"


def _container_kind(path: Path, container: InputContainer) -> str:
    name = container.format.name
    if name.startswith("mov,"):
        return "QuickTime" if container.metadata.get("major_brand", "qt").startswith("qt") else "mp4"
    if name.startswith("matroska"):
        with path.open("rb") as file:
            return "webm" if b"webm" in file.read(64) else "Matroska"
    return name


def begins_at_once(path: Path) -> bool:
    """Tell whether a player can begin before it has the end of the file: an mp4's index stands before its pictures."""
    with path.open("rb") as file:
        while len(head := file.read(16)) >= 8:
            size, name = int.from_bytes(head[:4]), head[4:8]
            if name in (b"moov", b"mdat"):
                return name == b"moov"
            if size == 1:  # the size did not fit and follows
                size = int.from_bytes(head[8:16])
            if size < 8 or not name.isalnum():
                break  # no mp4, or a last box: there is no index to wait for
            file.seek(size - len(head), os.SEEK_CUR)
    return True
