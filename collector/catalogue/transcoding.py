"""How does a video that browsers cannot play become one that they can? An mp4 of H.264 and AAC, its index in front.

Plain Python with PyAV, no Django. It runs as a process of its own (``python -m collector.catalogue.transcoding``),
because a file of strangers may make a decoder hang or grow: the kernel ends it, and with it only this file.

Each picture keeps its time, so a variable rate stays one. Pixels come out square, upright, with 8 bits, in the colours
of BT.709; what was made for brighter screens (HDR) is mapped by FFmpeg's own scaler.
"""

import json
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from collector.catalogue.probing import Facts, Reason, Unreadable, clockwise, decode, opened, probe
from collector.catalogue.ways import BITS, BT709, RATE, VIDEO, Pictures, Plan, Sound, time_of

RECIPE = 1
"""Raise it with every change of what comes out, so that nothing made by an older one is taken for it."""
LONGEST_SIDE = 3840
"""Pixels; larger pictures are made smaller, since not every browser decodes them."""
_LEAD = Fraction(1, 10)  # seconds of sound before the first picture that are cut off; with more, the picture waits
_HDR = {16: "PQ", 18: "HLG"}  # by the number of a transfer in H.273
_UNKNOWN = 2
_LOW = 576  # lines; up to here, pictures that say nothing of their colours have those of old television
_MEMORY = 4 << 30  # bytes
_STALLED = 600  # seconds without a step; converting.py says it in words
_GONE = 0.05  # of the length, or a second: what may be missing at the end of a damaged file


class Failed(Exception):
    """Why nothing came of it, in a sentence."""


@dataclass(frozen=True)
class Made:
    """What was done: sentences for the researcher, and settings to keep with the video."""

    notes: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)


def transcode(path: Path, out: Path, threads: int, told: Callable[[float], None]) -> Made:
    """Write ``path`` as an mp4 to ``out``; ``told`` hears the second it is at. Raises Unreadable and Failed."""
    facts = probe(path)
    first, aspect = _first(path, "video")
    if not isinstance(first, VideoFrame):
        raise Unreadable(Reason.NO_FRAME)
    plan = _plan(first, aspect)
    with opened(path) as (container, video), av.open(str(out), "w", "mp4", options={"movflags": "+faststart"}) as to:
        track, notes = _track(container)
        start = _start(path, first, track is not None)
        pictures = Pictures(to, video, plan, start, threads)
        sound = Sound(to, track, start) if track else None
        video.codec_context.thread_count = threads
        for packet in _packets(container, video, track):
            (sound if sound and packet.stream.type == "audio" else pictures).take(packet)
            told(pictures.seconds)
        pictures.end()
        if sound:
            sound.end()
    _check(out, facts)
    return Made([*plan.notes, *notes], {"recipe": RECIPE} | _settings(plan, sound))


def _settings(plan: Plan, sound: Sound | None) -> dict[str, Any]:
    """Return what was done in the words of FFmpeg."""
    return {
        "program": f"PyAV {av.__version__}, FFmpeg {av.ffmpeg_version_info}",
        "source": plan.source,
        "filters": ",".join(f"{name}={args}" for name, args in plan.filters),
        "video": "libx264 " + " ".join(f"{name}={value}" for name, value in VIDEO.items()),
        "audio": f"aac {BITS[sound.layout]} bit/s, {RATE} Hz, {sound.layout}" if sound else "",
    }


def _first(path: Path, kind: str) -> tuple[VideoFrame | AudioFrame | None, Fraction | None]:
    """Return the first frame that decodes of ``video`` or the chosen ``audio``, and the shape of its pixels."""
    with opened(path) as (container, video):
        if kind == "video":
            return next(decode(container, video), None), video.sample_aspect_ratio
        track, _ = _track(container)
        with suppress(av.FFmpegError, EOFError):
            for packet in container.demux(track) if track else ():
                with suppress(av.FFmpegError, EOFError):
                    for frame in packet.decode():
                        if isinstance(frame, AudioFrame):
                            return frame, None
    return None, None


def _start(path: Path, picture: VideoFrame, has_sound: bool) -> Fraction:
    """Return the time of the source, in seconds, that becomes 0."""
    shown = time_of(picture) or Fraction(0)
    heard = time_of(_first(path, "audio")[0]) if has_sound else None
    return heard if heard is not None and shown - heard > _LEAD else shown


def _track(container: InputContainer) -> tuple[AudioStream | None, list[str]]:
    """Return the audio track to take, the default or the first, and which it is where there are more."""
    tracks = [each for each in container.streams.audio if each.codec_context]
    if not tracks:
        return None, []
    marked = [each for each in tracks if each.disposition & av.stream.Disposition.default]
    taken = (marked or tracks)[0]
    if len(tracks) == 1:
        return taken, []
    language = f" ({taken.language})" if taken.language else ""
    why = "marked as the default" if marked else "none is marked as the default"
    return taken, [f"Of {len(tracks)} audio tracks number {tracks.index(taken) + 1}{language} is taken: {why}."]


def _plan(frame: VideoFrame, aspect: Fraction | None) -> Plan:
    notes, filters = [], []
    turn = clockwise(frame)
    width = max(1, round(frame.width * float(aspect))) if aspect else frame.width
    scale = min(1.0, LONGEST_SIDE / max(width, frame.height))
    size = (_even(width * scale), _even(frame.height * scale))
    if scale < 1:
        notes.append(f"It is made smaller: {size[0]} × {size[1]} pixels.")
    if frame.interlaced_frame:
        filters.append(("yadif", "mode=send_frame:deint=interlaced"))
        notes.append("Its half pictures are put together.")
    colours = (
        ["in_color_matrix=" + ("bt709" if frame.height > 576 else "bt601")] if frame.colorspace == _UNKNOWN else []
    )
    if frame.color_trc in _HDR:
        notes.append(f"It is HDR ({_HDR[frame.color_trc]}): brightness is mapped to that of ordinary screens.")
    if frame.color_trc in _HDR or frame.color_primaries not in (BT709, _UNKNOWN):
        colours.append("out_primaries=bt709:out_transfer=bt709:intent=perceptual")
    scaling = [f"w={size[0]}:h={size[1]}:flags=lanczos+accurate_rnd", *colours, "out_color_matrix=bt709:out_range=tv"]
    filters += [
        ("scale", ":".join(scaling)), ("format", "pix_fmts=yuv420p"), ("setsar", "1"),
        ("setparams", "color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv"),
    ]  # fmt: skip
    filters += {90: [("transpose", "clock")], 180: [("hflip", ""), ("vflip", "")], 270: [("transpose", "cclock")]}.get(
        turn, []
    )
    source = f"{frame.width}x{frame.height} {frame.format.name}, pixels {aspect or 1}, turned by {turn}"
    return Plan(size, turn, filters, notes, source)


def _even(pixels: float) -> int:
    """Return the even number of pixels at or below: colours are stored for two by two."""
    return max(2, int(pixels + 0.001) // 2 * 2)


def _packets(container: InputContainer, *streams: VideoStream | AudioStream | None) -> Iterator["Packet[Any]"]:
    """Yield the packets of the streams as they come; a file that ends early ends here."""
    packets = container.demux([each for each in streams if each])
    with suppress(av.FFmpegError, EOFError):
        yield from packets


def _check(out: Path, source: Facts) -> None:
    """Look at what came out. Raises Failed."""
    made = probe(out)
    if not made.is_playable:
        raise Failed(f"What came out is not what browsers play: {made.playable_note}")
    if abs(made.duration - source.duration) > max(1.0, _GONE * source.duration):
        raise Failed(
            f"What came out lasts {made.duration:.1f} s, the file {source.duration:.1f} s. Copy or download it again."
        )


def main() -> None:
    """Transcode one file: ``SOURCE OUT THREADS``; a line of JSON for each second that is done, then one of the end."""
    path, out, threads = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    at = 0

    def told(seconds: float) -> None:
        nonlocal at
        signal.alarm(_STALLED)  # nobody catches it: a decoder that hangs is ended by the kernel
        if seconds >= at:
            print(json.dumps({"at": seconds}), flush=True)
            at = int(seconds) + 1

    told(0)
    try:
        said = asdict(transcode(path, out, threads, told))
    except (Unreadable, Failed) as error:
        said = {"failed": str(error)}
    except (av.FFmpegError, MemoryError) as error:
        said = {"failed": f"FFmpeg cannot convert it ({error.__class__.__name__}: {error}). Convert it by other means."}
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
