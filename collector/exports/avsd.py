"""How do transcripts become AVSD files? Three shapes, given as pieces of JSON so that no whole file is in memory.

``dstc7`` is what the DSTC7 and 8 files look like: normalised text, one dialog a video. ``dstc10`` is the same with
several references for the last answer where there are some. ``raw`` is what the first release looked like: text as
typed, all dialogs of a video, by pair key. All take transcripts that are ordered by video and write ASCII, which every
reader's encoding understands. Nothing is chosen here but the one dialog a video.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from chat.transcripts import Transcript
from collector.exports.cutting import WHOLE, Cut
from collector.exports.normalising import as_normalised, as_typed
from collector.exports.pseudonyms import pair_of
from collector.lib.words import COREFERENCE, holds

_SCENES = '{"type": "scene_aware_dialog", "version": "0.1", "dialogs": ['
_POINTING_BACK = COREFERENCE | {"after", "before", "else", "next", "that", "then"}
_EXPECTED_ID = re.compile(r"[0-9A-Z]{5}")


@dataclass
class Tally:
    """What was written, counted on the way; complete when the last piece is taken."""

    dialogs: int = 0
    videos: int = 0
    further_dialogs: int = 0
    """Dialogs left out because their video already had one (dstc7, dstc10, visdial)."""
    further_summaries: int = 0
    """Summaries left out because the format holds one a video (raw)."""
    references: int = 0
    """Further references of last answers (dstc10)."""
    rows: int = 0
    """Rounds written (jsonl, parquet, huggingface)."""
    frames: set[int] = field(default_factory=set)
    """How many Questioners saw; 0 where nothing says it (jsonl, parquet, huggingface)."""
    odd_ids: list[str] = field(default_factory=list)
    """Ids of videos that some readers cannot take: they expect five characters 0-9 and A-Z."""


def dstc7(transcripts: Iterable[Transcript], tally: Tally, cut: Cut = WHOLE) -> Iterator[str]:
    """Yield a "scene_aware_dialog" file: of each video the first dialog given."""
    yield _SCENES
    for _, first, further in by_video(transcripts, tally):
        yield _separator(tally) + json.dumps(_scene(first, cut))
        tally.dialogs += 1
        tally.further_dialogs += sum(1 for _ in further)
    yield "\n]}\n"


def dstc10(transcripts: Iterable[Transcript], tally: Tally, cut: Cut = WHOLE) -> Iterator[str]:
    """Yield the same, but the last answer is a list where further dialogs about the video hold references for it.

    A reference is what another Answerer said to the same question (after normalising). A question with a word that
    points back (it, then) means something else after other rounds, so it has none.
    """
    yield _SCENES
    for _, first, further in by_video(transcripts, tally):
        others = list(further)
        scene = _scene(first, cut)
        if scene["dialog"]:
            last = scene["dialog"][-1]
            references = _references(last["question"], last["answer"], others)
            last["answer"] = references if len(references) > 1 else last["answer"]
            tally.references += len(references) - 1
        yield _separator(tally) + json.dumps(scene)
        tally.dialogs += 1
        tally.further_dialogs += len(others)
    yield "\n]}\n"


def _references(question: str, answer: str, others: Iterable[Transcript]) -> list[str]:
    """Return the answers to ``question``, distinct, the dialog's own first."""
    if holds(question, _POINTING_BACK):
        return [answer]
    given = (
        text(a) for other in others for text in [as_normalised(other)] for q, a in other.rounds if text(q) == question
    )
    return list(dict.fromkeys([answer, *given]))


def raw(transcripts: Iterable[Transcript], tally: Tally) -> Iterator[str]:
    """Yield a file as of the first release: of each video all dialogs, and the summary of the first."""
    yield "{"
    for video, first, further in by_video(transcripts, tally):
        yield f'{_separator(tally)}{json.dumps(video)}: {_head(first)}, "data": {{\n{_pair(first)}'
        tally.dialogs += 1
        for transcript in further:
            yield f",\n{_pair(transcript)}"
            tally.dialogs += 1
            tally.further_summaries += bool(transcript.summary)
        yield "}}"
    yield "\n}\n"


def by_video(transcripts: Iterable[Transcript], tally: Tally) -> Iterator[tuple[str, Transcript, Iterator[Transcript]]]:
    """Yield each video's id, its first dialog and its further ones; count the videos and note odd ids."""
    for video, group in groupby(transcripts, key=lambda transcript: transcript.image_id):
        tally.videos += 1
        if not _EXPECTED_ID.fullmatch(video):
            tally.odd_ids.append(video)
        first = next(group)
        yield video, first, group  # noqa: B031 - what is left of it


def _separator(tally: Tally) -> str:
    return "\n" if tally.videos == 1 else ",\n"


def _scene(transcript: Transcript, cut: Cut) -> dict[str, Any]:
    text = as_normalised(transcript)
    rounds = tuple((text(question), text(answer)) for question, answer in transcript.rounds)
    return {
        "image_id": transcript.image_id,
        "caption": text(transcript.script),
        "summary": text(transcript.summary or ""),
        "dialog": [{"answer": a, "question": q} for q, a in cut(transcript.image_id, rounds)],
    }


def _head(transcript: Transcript) -> str:
    """Return the start of a video's object, left open for its dialogs."""
    text = as_typed(transcript)
    head = {
        "summary": text(transcript.summary or ""),
        "script": text(transcript.script),
        "split": transcript.split or "train",
    }
    return json.dumps(head)[:-1]


def _pair(transcript: Transcript) -> str:
    text = as_typed(transcript)
    rounds = [
        {"question": text(question), "answer": text(answer), "id": str(number)}
        for number, (question, answer) in enumerate(transcript.rounds, start=1)
    ]
    return f'"{pair_of(transcript)}": {json.dumps(rounds)}'
