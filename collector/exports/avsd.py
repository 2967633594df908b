"""How do transcripts become AVSD files? Two shapes, given as pieces of JSON so that no whole file is in memory.

``dstc7`` is what the DSTC7, 8 and 10 files look like: normalised text, one dialog a video. ``raw`` is what the first
release looked like: text as typed, all dialogs of a video, by pair key. Both take transcripts that are ordered by
video and write ASCII, which every reader's encoding understands. Nothing is chosen here but the one dialog a video.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from chat.transcripts import Transcript
from collector.exports.normalising import normalised, on_one_line
from collector.exports.pseudonyms import pair_key

_EXPECTED_ID = re.compile(r"[0-9A-Z]{5}")


@dataclass
class Tally:
    """What was written, counted on the way; complete when the last piece is taken."""

    dialogs: int = 0
    videos: int = 0
    further_dialogs: int = 0
    """Dialogs left out because their video already had one (dstc7)."""
    further_summaries: int = 0
    """Summaries left out because the format holds one a video (raw)."""
    odd_ids: list[str] = field(default_factory=list)
    """Ids of videos that some readers cannot take: they expect five characters 0-9 and A-Z."""


def dstc7(transcripts: Iterable[Transcript], tally: Tally) -> Iterator[str]:
    """Yield a "scene_aware_dialog" file: of each video the first dialog given."""
    yield '{"type": "scene_aware_dialog", "version": "0.1", "dialogs": ['
    for video, first, further in _by_video(transcripts, tally):
        yield _separator(tally) + json.dumps(_scene(video, first))
        tally.dialogs += 1
        tally.further_dialogs += sum(1 for _ in further)
    yield "\n]}\n"


def raw(transcripts: Iterable[Transcript], tally: Tally) -> Iterator[str]:
    """Yield a file as of the first release: of each video all dialogs, and the summary of the first."""
    yield "{"
    for video, first, further in _by_video(transcripts, tally):
        yield f'{_separator(tally)}{json.dumps(video)}: {_head(first)}, "data": {{\n{_pair(first)}'
        tally.dialogs += 1
        for transcript in further:
            yield f",\n{_pair(transcript)}"
            tally.dialogs += 1
            tally.further_summaries += bool(transcript.summary)
        yield "}}"
    yield "\n}\n"


FORMATS: dict[str, Callable[[Iterable[Transcript], Tally], Iterator[str]]] = {"dstc7": dstc7, "raw": raw}


def _by_video(
    transcripts: Iterable[Transcript], tally: Tally
) -> Iterator[tuple[str, Transcript, Iterator[Transcript]]]:
    for video, group in groupby(transcripts, key=lambda transcript: transcript.image_id):
        tally.videos += 1
        if not _EXPECTED_ID.fullmatch(video):
            tally.odd_ids.append(video)
        first = next(group)
        yield video, first, group  # noqa: B031 - what is left of it


def _separator(tally: Tally) -> str:
    return "\n" if tally.videos == 1 else ",\n"


def _scene(video: str, transcript: Transcript) -> dict[str, object]:
    return {
        "image_id": video,
        "caption": normalised(transcript.script),
        "summary": normalised(transcript.summary or ""),
        "dialog": [{"answer": normalised(a), "question": normalised(q)} for q, a in transcript.rounds],
    }


def _head(transcript: Transcript) -> str:
    """Return the start of a video's object, left open for its dialogs."""
    head = {
        "summary": on_one_line(transcript.summary or ""),
        "script": on_one_line(transcript.script),
        "split": transcript.split or "train",
    }
    return json.dumps(head)[:-1]


def _pair(transcript: Transcript) -> str:
    rounds = [
        {"question": on_one_line(question), "answer": on_one_line(answer), "id": str(number)}
        for number, (question, answer) in enumerate(transcript.rounds, start=1)
    ]
    return f'"{pair_key(transcript.collection_id, transcript.dialog_id)}": {json.dumps(rounds)}'
