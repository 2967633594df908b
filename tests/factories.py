"""What does a test put into the database before it starts? Rows with keyword defaults, made-up texts, no library.

Every function saves and returns one thing; what is not given is made. ``finished_dialog`` makes a whole dialog.
Names and ids count up, so that two calls never collide.
"""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import msgspec

from chat.models import Dialog, Role, Seat, SeatState, Utterance
from chat.protocol import Limits
from collector.catalogue.models import Script, Video
from collector.lib import clock
from collector.studies import versions
from collector.studies.models import Collection, Fault, Outcome, Participation, State, Study, StudyVersion, Worker

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
"""When made dialogs start, unless told otherwise."""
_numbers = count(1)
_PROCESS = uuid.uuid4().hex[:8]
"""Commands that tests give to one product make workers in processes of their own."""
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def image_id() -> str:
    """Return a new video id of five characters [0-9A-Z]."""
    number, digits = next(_numbers), ""
    for _ in range(4):
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return "T" + digits


def collection(**fields: Any) -> Collection:
    """Make a collection."""
    return Collection.objects.create(**{"name": f"Collection {next(_numbers)}"} | fields)


def study(**fields: Any) -> Study:
    """Make an open study, in a collection of its own unless given one."""
    number = next(_numbers)
    defaults = {
        "name": f"Study {number}", "slug": f"study-{number}", "state": State.OPEN, "dialogs_per_video": None,
        "created_at": clock.now(),
    }  # fmt: skip
    if "collection" not in fields:
        fields["collection"] = collection()
    return Study.objects.create(**defaults | fields)


def study_version(study: Study | None = None) -> StudyVersion:
    """Return the version of what ``study`` says now."""
    return versions.current(study or globals()["study"]())


def video(script: str | None = "Somebody opens a door and sits down.", **fields: Any) -> Video:
    """Make a video row (with no file behind it) and its script; ``script=None`` leaves the script out."""
    now = clock.now()
    defaults = {
        "image_id": image_id(), "file": "videos/none.mp4", "checksum": "0" * 64, "size": 1000, "duration": 8.0,
        "width": 640, "height": 360, "has_sound": True, "video_codec": "h264", "audio_codec": "aac",
        "is_playable": True, "created_at": now, "updated_at": now,
    }  # fmt: skip
    made = Video.objects.create(**defaults | fields)
    if script is not None:
        Script.objects.create(video=made, text=script)
    return made


def worker(**fields: Any) -> Worker:
    """Make a worker of the link marketplace."""
    defaults = {
        "marketplace": "link", "environment": "live", "external_id": f"worker-{next(_numbers)}-{_PROCESS}",
        "created_at": clock.now(),
    }  # fmt: skip
    return Worker.objects.create(**defaults | fields)


def participation(study: Study | None = None, worker: Worker | None = None, **fields: Any) -> Participation:
    """Make an open participation, or an ended one when given an outcome."""
    study = study or globals()["study"]()
    version = fields.pop("version", None) or versions.current(study)
    now = clock.now()
    defaults: dict[str, Any] = {"consent_digest": version.consent_digest, "arrived_at": now, "confirmed_at": now}
    if fields.get("outcome"):
        defaults |= {"ended_at": now, "fault": Fault.NOBODY}
    worker = worker or globals()["worker"](is_simulated=fields.get("is_simulated", False))
    return Participation.objects.create(study=study, version=version, worker=worker, **defaults | fields)


def seat(participation: Participation | None = None, **fields: Any) -> Seat:
    """Make a waiting seat, or one in a dialog when given ``dialog`` and ``role``."""
    participation = participation or globals()["participation"]()
    now = clock.now()
    defaults: dict[str, Any] = {
        "study": participation.study, "worker": participation.worker, "is_simulated": participation.is_simulated,
        "rules_digest": participation.version.rules_digest, "entered_at": now,
    }  # fmt: skip
    if fields.get("dialog"):
        defaults |= {"state": SeatState.PAIRED, "paired_at": now}
    return Seat.objects.create(participation=participation, **defaults | fields)


def limits(**fields: Any) -> dict[str, Any]:
    """Return the limits of a dialog as they are stored."""
    return dict(msgspec.to_builtins(Limits(**fields)))


def dialog(study: Study | None = None, video: Video | None = None, seated: bool = True, **fields: Any) -> Dialog:
    """Make a dialog without utterances and its two seats; running unless given ``ended_at`` and ``ended_why``.

    ``questioner`` and ``answerer`` may name the workers.
    """
    study = study or globals()["study"]()
    questioner, answerer = fields.pop("questioner", None), fields.pop("answerer", None)
    defaults = {"rounds": study.rounds, "limits": limits(language=study.language), "started_at": START}
    made = Dialog.objects.create(study=study, video=video or globals()["video"](), **defaults | fields)
    if seated:
        for role, who in ((Role.QUESTIONER, questioner), (Role.ANSWERER, answerer)):
            _seat_in(made, role, who)
    return made


def _seat_in(dialog: Dialog, role: Role, who: Worker | None) -> Seat:
    ended = dialog.ended_at is not None
    whole: dict[str, Any] = {"outcome": Outcome(dialog.ended_why)} if ended else {}
    part = participation(dialog.study, who, is_simulated=dialog.is_simulated, started_at=dialog.started_at, **whole)
    closed: dict[str, Any] = {"state": SeatState.CLOSED, "closed_at": dialog.ended_at} if ended else {}
    watched = dialog.started_at + timedelta(seconds=30) if role == Role.ANSWERER else None
    return seat(part, dialog=dialog, role=role, watched_at=watched, **closed)


def utterance(dialog: Dialog, text: str = "Is somebody in the room?", **fields: Any) -> Utterance:
    """Add one text to a dialog, at the next free position unless told otherwise."""
    position = fields.setdefault("position", Utterance.objects.filter(dialog=dialog).count())
    defaults = {
        "version": position + 2, "key": f"key-{dialog.pk}-{position}",
        "stored_at": dialog.started_at + timedelta(seconds=20 * (position + 1)),
    }  # fmt: skip
    return Utterance.objects.create(dialog=dialog, text=text, **defaults | fields)


def talk(dialog: Dialog, rounds: Sequence[tuple[str, str]], summary: str | None = None) -> None:
    """Store questions and answers, and the summary when there is one."""
    texts = [text for both in rounds for text in both] + ([] if summary is None else [summary])
    Utterance.objects.bulk_create(
        Utterance(
            dialog=dialog, position=position, version=position + 2, key=f"key-{dialog.pk}-{position}", text=text,
            stored_at=dialog.started_at + timedelta(seconds=20 * (position + 1)),
        )
        for position, text in enumerate(texts)
    )  # fmt: skip
    Dialog.objects.filter(pk=dialog.pk).update(version=len(texts) + 1)


def finished_dialog(
    rounds: Sequence[tuple[str, str]] | None = None,
    summary: str | None = "Somebody comes in, sits down and reads a book.",
    **fields: Any,
) -> Dialog:
    """Make an ended dialog with its texts: complete when it has a summary, else left by its Questioner.

    Without ``rounds`` there are two made-up ones.
    """
    if rounds is None:
        rounds = [
            ("Is there one person in the video?", "Yes, there is one person in the room."),
            ("What happens at the end?", "The person sits down and reads a book."),
        ]
    complete = summary is not None
    started = fields.setdefault("started_at", START)
    defaults = {
        "rounds": len(rounds), "is_complete": complete, "ended_at": started + timedelta(minutes=12),
        "ended_why": Outcome.COMPLETE if complete else Outcome.LEFT,
    }  # fmt: skip
    made = dialog(**defaults | fields)
    talk(made, rounds, summary)
    made.refresh_from_db()
    return made
