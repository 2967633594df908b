"""How do dialogs become rows, one a round, with all that is known about it? For tables: JSON Lines, Parquet.

Texts are as typed. People are pseudonyms. Times are in UTC, when our server stored the text.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, cast

from chat.transcripts import Transcript
from collector.exports.avsd import Tally, by_video
from collector.exports.pseudonyms import pair_of, people_of

Row = dict[str, Any]
COLUMNS: dict[str, type] = {
    "image_id": str, "split": str, "study": str, "dialog": str, "round": int, "rounds": int, "question": str,
    "answer": str, "summary": str, "script": str, "language": str, "questioner": str, "answerer": str,
    "asked_at": datetime, "answered_at": datetime, "started_at": datetime, "ended_at": datetime,
    "is_complete": bool, "is_simulated": bool, "duration": float, "has_sound": bool, "frames": int,
}  # fmt: skip
"""The columns in their order. None is ever null: what is missing is empty."""


def rows(transcripts: Iterable[Transcript], tally: Tally) -> Iterator[Row]:
    """Yield a row for each answered round of each ended dialog, with COLUMNS as keys; times are aware datetimes."""
    for _, first, further in by_video(transcripts, tally):
        for transcript in (first, *further):
            tally.dialogs += 1
            tally.rows += len(transcript.rounds)
            tally.frames.add(transcript.frames)
            yield from _rows(transcript)


def jsonl(transcripts: Iterable[Transcript], tally: Tally) -> Iterator[str]:
    """Yield the lines of a JSON Lines file."""
    for row in rows(transcripts, tally):
        yield json.dumps(row, default=datetime.isoformat) + "\n"


def _rows(transcript: Transcript) -> Iterator[Row]:
    questioner, answerer = people_of(transcript)
    of_dialog: Row = {
        "image_id": transcript.image_id,
        "split": transcript.split,
        "study": transcript.study,
        "dialog": pair_of(transcript),
        "rounds": transcript.rounds_wanted,
        "summary": transcript.summary or "",
        "script": transcript.script,
        "language": transcript.language,
        "questioner": questioner,
        "answerer": answerer,
        "started_at": transcript.started_at.astimezone(UTC),
        "ended_at": cast(datetime, transcript.ended_at).astimezone(UTC),
        "is_complete": transcript.is_complete,
        "is_simulated": transcript.is_simulated,
        "duration": transcript.duration,
        "has_sound": transcript.has_sound,
        "frames": transcript.frames,
    }
    said = zip(transcript.rounds, transcript.times, strict=True)
    for number, ((question, answer), (asked, answered)) in enumerate(said, start=1):
        of_round = {
            "round": number,
            "question": question,
            "answer": answer,
            "asked_at": asked.astimezone(UTC),
            "answered_at": answered.astimezone(UTC),
        }
        row = of_dialog | of_round
        yield {column: row[column] for column in COLUMNS}
