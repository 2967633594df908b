"""What a study has gathered that has run for a while: rows by which the researcher's pages have something to show.

Whatever the worker process would touch stands as done, so that the pictures do not depend on when they are taken.
"""

import json
import uuid
from datetime import timedelta
from decimal import Decimal
from itertools import product
from typing import Any

from django.contrib.auth.models import User

from chat import scene_talk
from chat.models import Dialog, Role, Seat, Utterance
from collector.accounts import giving
from collector.accounts.roles import Role as DeskRole
from collector.catalogue.models import Video
from collector.catalogue.scenes import from_json
from collector.learning.lessons import quiz_digest
from collector.learning.models import Lesson
from collector.lib import clock, tokens
from collector.studies import exclusions, versions
from collector.studies.admission import token_of
from collector.studies.models import Collection, Kind, Participation, State, Study, StudyVideo, Worker
from hits import feedback, people
from hits.models import (
    Assignment,
    Compensation,
    Hit,
    LedgerEntry,
    Letter,
    Message,
    Reconciliation,
    Recruitment,
    SecondOpinion,
    Settlement,
)
from tests import factories
from tests.learning.learner import QUIZ

KITCHEN, EMPTY = "kitchen", "nothing-yet"
"""Names of a study that has run for hours, and of one that nobody has come to."""
PASSWORD = "only for pictures"
"""Of the accounts of other roles, which are called as these are."""
POOR = [
    ("Ok?", "Yes."),
    ("Is it red?", "No."),
    ("Write to anna@mail.example, what do you see?", "I see a van with 555-1234-777 on its side, lol."),
    ("Is it red?", "Yes."),
]
SAID = [("5", "Fun, and quick."), ("5", ""), ("4", "The wait was long."), ("4", ""), ("2", "The video was dark.")]
_RECRUITING = (("live", "draft"), ("sandbox", "done"), ("local", "paused"))
"""Environments, and how far recruiting is there."""
NUMBER = 4
"""Rounds of a dialog."""
ENDS = ["complete"] * 14 + ["left", "no_partner", "partner_left", "screened_out"] * 2


def stage() -> dict[str, Any]:
    """Make all of it, and print where it stands: numbers of rows, and tokens of workers' pages."""
    study = _study(KITCHEN, "Kitchen and living room, pilot", State.OPEN)
    for number, video in enumerate(Video.objects.filter(scene__isnull=False)):
        StudyVideo.objects.create(study=study, video=video, wanted=6, started=3 - number % 2)
    for role in (DeskRole.VIEWER, DeskRole.REVIEWER):
        giving.give(User.objects.create_user(role, password=PASSWORD), role)
    reviewer = User.objects.get(username=DeskRole.REVIEWER)
    recruitments = [_recruitment(study, *each) for each in _RECRUITING]
    _came(study)
    _at_work(study)
    _learned(study)
    worker = _worker_with_everything(study, recruitments[1], reviewer)
    empty = _study(EMPTY, "Nothing yet", State.DRAFT)
    another = _study("another", "Another study of rooms", State.CLOSED)
    who = User.objects.get(username="researcher")
    exclusions.exclude(worker.pk, "Took part in the trial before.", who, study=another.pk)
    items = _study("no-items", "Judging, without items", State.OPEN, kind=Kind.RELEVANCE)
    live = Dialog.objects.filter(study=study, ended_at=None).order_by("pk")
    found: dict[str, Any] = {
        "kitchen": study.pk, "empty": empty.pk, "another": another.pk, "no-items": items.pk, "busy": worker.pk,
        "live": live[1].pk, "live recruitment": recruitments[0].pk, "done recruitment": recruitments[1].pk,
        "good": Dialog.objects.filter(study=study, is_complete=True).order_by("pk")[2].pk,
        "poor": Dialog.objects.get(study=study, utterances__text=POOR[2][0]).pk,
        "mine": tokens.mint_for_worker(worker.pk),
        "last page": token_of(Participation.objects.filter(worker=worker).latest("pk")),
        "payment": str(Compensation.objects.get(worker=worker).key),
    }  # fmt: skip
    print("JSON" + json.dumps(found))
    return found


def _study(slug: str, name: str, state: State, **fields: Any) -> Study:
    money = {"reward": Decimal("2.40"), "summary_bonus": Decimal("0.80"), "ending_pay": Decimal("0.50")}
    collection, _ = Collection.objects.get_or_create(name="Rooms")
    return factories.study(
        slug=slug, name=name, state=state, collection=collection, dialogs_per_video=6, quiz=QUIZ, rounds=NUMBER,
        researcher="Ada Example, ada@lab.example", **money | fields,
    )  # fmt: skip


def _recruitment(study: Study, environment: str, state: str) -> Recruitment:
    now = clock.now()
    return Recruitment.objects.create(
        study=study, environment=environment, state=state, title="Talk with somebody about a short video",
        description="One of you has seen it, the other asks.", dialogs_wanted=60, budget=Decimal(400),
        balance=Decimal("211.20"), created_at=now, looked_at=now,
        started_at=None if state == "draft" else now - timedelta(hours=9),
    )  # fmt: skip


def _came(study: Study) -> None:
    """Let workers have come over the last hours, and those who talked leave dialogs; one of these is poor."""
    now = clock.now()
    for number, outcome in enumerate(ENDS * 2):
        began = now - timedelta(minutes=14 * number + 20)
        met = outcome not in ("no_partner", "screened_out")
        part = factories.participation(
            study, arrived_at=began - timedelta(minutes=2), confirmed_at=began, outcome=outcome,
            started_at=began + timedelta(minutes=1) if met else None, ended_at=began + timedelta(minutes=13),
            waited_seconds=10 * (number % 9), is_learning=outcome == "screened_out",
        )  # fmt: skip
        factories.seat(part, state="closed", closed_at=part.ended_at)
        if number < len(SAID):
            feedback.take(part, *SAID[number])
    for number, video in enumerate(Video.objects.filter(scene__isnull=False)):
        rounds = POOR if number == 1 else _true_of(video)
        summary = scene_talk.summary(from_json(video.scene)) if number != 1 else "Something moves there, that is all."
        began = now - timedelta(hours=3)
        dialog = factories.finished_dialog(rounds, summary, study=study, video=video, started_at=began)
        evidence = {"to_first_key": 3.0, "to_send": 14.0, "pastes": [40] if number == 1 else [], "focus_losses": 1}
        Utterance.objects.filter(dialog=dialog).update(evidence=evidence)
    for each in Participation.objects.filter(study=study):
        Settlement.objects.create(participation=each, at=now)


def _true_of(video: Video) -> list[tuple[str, str]]:
    """Return rounds about a sample scene, of which all answers are true."""
    scene = from_json(video.scene)
    return [(asked, scene_talk.answer(scene, asked)) for asked in scene_talk.GENERAL[:NUMBER]]


def _at_work(study: Study) -> None:
    """Let people talk and wait now: pages that poll, and that will do so long enough."""
    now = clock.now()
    later, samples = now + timedelta(days=1), Video.objects.filter(scene__isnull=False)
    for number in range(3):
        began = now - timedelta(minutes=3 + 4 * number)
        dialog = factories.dialog(study, samples[number], started_at=began, turn_due_at=now + timedelta(minutes=50))
        Seat.objects.filter(dialog=dialog).update(connection="page", polled_at=later)
        factories.talk(dialog, [*_true_of(samples[number])[:number], *POOR[:1]])
    waiting = {"connection": "page", "polled_at": later}
    factories.seat(factories.participation(study), entered_at=now - timedelta(minutes=6), **waiting)
    for seat in (
        factories.seat(factories.participation(study), entered_at=now - timedelta(minutes=4), **waiting),
        factories.seat(factories.participation(study), entered_at=now - timedelta(seconds=90)),
    ):
        Seat.objects.filter(pk=seat.pk).update(rules_digest="read before the study was changed")


def _learned(study: Study) -> None:
    """Let people have had a lesson: some failed the device, some the quiz, one is still at it."""
    now, digest = clock.now(), quiz_digest(versions.preview(study).content)
    steps = ["device", "steps", "ask", "asked", "answer", "answered", "quiz"]
    ways = [("done", 1, [[1, 0]])] * 9 + [("done", 2, [[0, 0], [1, 0]])] * 3 + [("quiz", 1, [[0, 1], [2, 1]])] * 2
    ways += [("device", 3, []), ("ask", 1, [])]
    for step, tries, answers in ways:
        part = factories.participation(study, outcome="" if step == "ask" else "screened_out", is_learning=True)
        passed = None if step == "device" else now
        right = sum(given == wanted for given, wanted in zip(answers[-1], [1, 0], strict=True)) if answers else None
        Lesson.objects.create(
            participation=part, steps=steps, step=step, started_at=now, beeps="23", device_tries=tries,
            device_passed_at=passed, quiz_answers=answers, quiz_digest=digest, quiz_right=right,
            done_at=now if step == "done" else None, practised_at=now if answers else None,
            quiz_passed_at=now if step == "done" else None,
        )  # fmt: skip
        if part.ended_at:
            Settlement.objects.create(participation=part, at=now)


def _worker_with_everything(study: Study, recruitment: Recruitment, reviewer: User) -> Worker:
    """Make a worker of whom every list has something: paid, due, rejected, written to, answered, excluded."""
    now, who = clock.now(), User.objects.get(username="researcher")
    worker = factories.worker(marketplace="mturk", environment="sandbox", external_id="A1EXAMPLEOFANID")
    hit = Hit.objects.create(
        recruitment=recruitment, environment="sandbox", endpoint="", external_id="H1", reward=2, planned_at=now,
        state="closed",
    )  # fmt: skip
    dialogs = Dialog.objects.filter(study=study, is_complete=True).order_by("pk")[2:6]
    decided = product(("approved", "rejected"), ("paid", "failed"))
    for days, dialog, (state, pay) in zip((9, 6, 5, 1), dialogs, decided, strict=True):
        part = Participation.objects.get(seats__dialog=dialog, seats__role=Role.ANSWERER)
        Seat.objects.filter(participation=part).update(worker=worker)
        at = now - timedelta(days=days)
        Participation.objects.filter(pk=part.pk).update(worker=worker, arrived_at=at, confirmed_at=at, ended_at=at)
        _decide(hit, worker, part, state, reviewer)
        _owe(worker, part, pay, who)
    Reconciliation.objects.create(
        recruitment=recruitment, at=now, ledger=Decimal("4.80"), marketplace=Decimal("7.20"), open_amount=0,
        unknown_amount=Decimal("2.40"),
    )  # fmt: skip
    _compensate(recruitment, worker, who)
    _write(worker, who)
    people.note(worker, "Asked by mail on Monday whether the sound matters.", who)
    return worker


def _decide(hit: Hit, worker: Worker, part: Participation, state: str, reviewer: User) -> None:
    reject = state == "rejected"
    made = Assignment.objects.create(
        hit=hit, external_id=f"W{part.pk}", worker=worker, participation=part, state=state, decided_by=reviewer,
        submitted_at=part.ended_at, decided_at=clock.now(), decision="reject" if reject else "approve",
        decision_note="Half of the answers are about things that are not in the video." if reject else "",
    )  # fmt: skip
    if part.pk % 2:
        researcher = User.objects.get(username="researcher")
        SecondOpinion.objects.create(assignment=made, who=researcher, approves=True, at=clock.now())


def _owe(worker: Worker, part: Participation, state: str, who: User) -> None:
    now = clock.now()
    failed = {"trouble": "The marketplace says that this worker's account is closed."} if state == "failed" else {}
    rows = [("reward", "2.40", "for a whole dialog", None), ("quality", "0.50", "for answers with many details", who)]
    for kind, amount, why, by in rows:
        LedgerEntry.objects.create(
            worker=worker, study=part.study, participation=part, kind=kind, key=f"{kind}-{part.pk}", why=why, who=by,
            amount=Decimal(amount), at=now, changed_at=now, first_sent_at=now, state=state, **failed,
        )  # fmt: skip


def _compensate(recruitment: Recruitment, worker: Worker, who: User) -> None:
    now, amount, reason = clock.now(), Decimal("0.90"), "You waited six minutes, and could not submit it."
    entry = LedgerEntry.objects.create(
        worker=worker, study=recruitment.study, kind="compensation", key="compensation-1", amount=amount, why=reason,
        who=who, at=now, changed_at=now, state="paid", first_sent_at=now,
    )  # fmt: skip
    Compensation.objects.create(
        recruitment=recruitment, worker=worker, entry=entry, state="done", amount=amount, reason=reason, who=who, at=now
    )


def _write(worker: Worker, who: User) -> None:
    """Let the worker have written twice, with one answer, and others once each about what they did."""
    now = clock.now()
    first, second, *_ = Participation.objects.filter(worker=worker).order_by("pk")
    answer = {"answer": "No. You are paid in full, and we have mended it.", "answered_at": now, "answered_by": who}
    text = "The sound stopped after a minute. Is that a problem for my pay?"
    Letter.objects.create(worker=worker, participation=first, text=text, at=now - timedelta(days=9), **answer)
    text = "My partner came back after the page had ended. Can we go on somewhere?"
    Letter.objects.create(worker=worker, participation=second, text=text, at=now - timedelta(days=8))
    Message.objects.create(
        worker=worker, subject="About your message", text="Thank you for telling us. We have mended the video.",
        who=who, at=now, state="sent", changed_at=now,
    )  # fmt: skip
    for number, part in enumerate(Participation.objects.filter(study=first.study, outcome="left")[:2]):
        text = "Why did it end so soon? I had more to say about the last minute of it."
        Letter.objects.create(worker=part.worker, participation=part, text=text, at=now, key=uuid.UUID(int=number + 1))
