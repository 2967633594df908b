"""May this worker take part now? The one door: it makes the Worker, the Participation and the token."""

import re
import secrets
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.dispatch import Signal
from django.utils.translation import gettext, gettext_noop

from collector.lib import clock, logs, networks, tokens
from collector.studies import exclusions, kept, kinds, screening, versions, videos
from collector.studies.models import Kind, Outcome, Participation, State, Study, Worker

admitting = Signal()
"""Sent with ``participation`` in the transaction that makes one. A receiver may have something come before the task,
and then sets ``is_learning``."""
_IDENTITY = re.compile(r"[A-Za-z0-9_.@+-]{1,80}")


class Code(StrEnum):
    """Why somebody was not admitted."""

    NOT_OPEN = "not_open"
    PAUSED = "paused"
    CLOSED = "closed"
    OVER_CAP = "over_cap"
    EXCLUDED = "excluded"
    TOOK_PART = "took_part"
    NOBODY_WAITS = "nobody_waits"
    NOTHING_LEFT = "nothing_left"
    DEVICE_FAILED = "device_failed"
    QUIZ_FAILED = "quiz_failed"
    TOO_MANY = "too_many"
    TOO_LATE = "too_late"
    OUTSIDE_HOURS = "outside_hours"
    BAD_IDENTITY = "bad_identity"
    UNKNOWN_LINK = "unknown_link"


SENTENCES: dict[Code, str] = {
    Code.NOT_OPEN: gettext_noop("This study has not started yet. Nothing was recorded; please try again later."),
    Code.PAUSED: gettext_noop("This study takes a break. Nothing was recorded; please try again later."),
    Code.CLOSED: gettext_noop("This study has ended. Thank you for your interest; nothing was recorded."),
    Code.OVER_CAP: gettext_noop("You have done as many of these tasks as one person may. Thank you for all of them."),
    Code.EXCLUDED: gettext_noop(
        "This study has no more tasks for you. You lose nothing that you have earned; thank you."
    ),
    Code.TOOK_PART: gettext_noop(
        "You took part in a study that this one follows, so it is for others. Nothing was recorded."
    ),
    Code.NOBODY_WAITS: gettext_noop(
        "You have ended without a partner as often as one may in a day, and nobody is waiting just now. "
        "Open the invitation again in a few minutes: as soon as somebody waits, you can come in."
    ),
    Code.NOTHING_LEFT: gettext_noop(
        "No video is left that is new to you: the others are given to others, or you know them from another task. "
        "Nothing was recorded; thank you for coming."
    ),
    Code.DEVICE_FAILED: gettext_noop(
        "The check of your device was not passed today. Mend what it named, and open the invitation again tomorrow. "
        "Nothing was recorded."
    ),
    Code.QUIZ_FAILED: gettext_noop(
        "You did not pass the quiz of this task, so it is for others. That counts against nobody; nothing was recorded."
    ),
    Code.TOO_MANY: gettext_noop(
        "Too many people come from your network at once. Nothing was recorded; try again in a minute."
    ),
    Code.TOO_LATE: gettext_noop("Too little time is left to finish before this HIT ends. Nothing was counted."),
    Code.OUTSIDE_HOURS: gettext_noop(
        "This study takes people in at certain hours; it opens in {opens_in}. Nothing was recorded."
    ),
    Code.BAD_IDENTITY: gettext_noop(
        "The id in the link is not valid: it may have 1 to 80 letters, digits or . _ @ + - only."
    ),
    Code.UNKNOWN_LINK: gettext_noop("This link does not lead to a study. Check that it was copied whole."),
}


class NotAdmitted(Exception):
    """A worker who may not take part now, with a code and a sentence for them, completed by ``words``."""

    def __init__(self, code: Code, **words: str) -> None:
        super().__init__(code)
        self.code = code
        self._words = words

    @property
    def sentence(self) -> str:
        """The sentence, in the language that is spoken where it is asked for."""
        return gettext(SENTENCES[self.code]).format(**self._words)


@dataclass(frozen=True)
class Identity:
    """Who a marketplace says somebody is."""

    marketplace: str
    environment: str
    external_id: str
    is_simulated: bool = False
    entry: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse ids that no marketplace gives (a doubled parameter, markup, a whole address)."""
        if not _IDENTITY.fullmatch(self.external_id):
            raise NotAdmitted(Code.BAD_IDENTITY)


@dataclass(frozen=True)
class Admitted:
    """An open participation and the token of its pages."""

    participation: Participation
    token: str
    is_new: bool


def token_of(participation: Participation) -> str:
    """Return the token that opens a participation's pages."""
    return tokens.mint(participation.pk, participation.generation)


def access_participation(token: str) -> Participation:
    """Return the participation a token opens, or raise BadToken. The only way from a page to a participation."""
    said = tokens.read(token)
    found = (
        Participation.objects.select_related("study", "version", "worker")
        .filter(pk=said.participation, generation=said.generation)
        .first()
    )
    if found is None:
        raise tokens.BadToken
    logs.about(study=found.study_id)
    return found


def access_participations(said: list[str]) -> list[Participation | None]:
    """Return for each token the participation it opens, or None: as above for a crowd, without study and worker."""
    read: list[tokens.Token | None] = []
    for token in said:
        try:
            read.append(tokens.read(token))
        except tokens.BadToken:
            read.append(None)
    found = Participation.objects.in_bulk({each.participation for each in read if each})
    opened = [found.get(each.participation) if each else None for each in read]
    return [
        participation if participation and each and participation.generation == each.generation else None
        for participation, each in zip(opened, read, strict=True)
    ]


def check_open(study: Study, *, simulated: bool = False) -> None:
    """Raise NotAdmitted unless the study takes workers now; a draft takes programs only."""
    if simulated and study.state == State.DRAFT:
        return
    closed = {
        State.DRAFT: Code.NOT_OPEN, State.DRAIN: Code.PAUSED, State.PAUSED: Code.PAUSED, State.CLOSED: Code.CLOSED,
    }  # fmt: skip
    if code := closed.get(State(study.state)):
        raise NotAdmitted(code)


def resume(study: Study, identity: Identity) -> Admitted | None:
    """Return the worker's open participation in the study, if there is one. Makes nothing."""
    found = Participation.objects.filter(
        study=study,
        ended_at__isnull=True,
        worker__marketplace=identity.marketplace,
        worker__environment=identity.environment,
        worker__external_id=identity.external_id,
    ).first()
    return Admitted(found, token_of(found), is_new=False) if found else None


def admit(study: Study, identity: Identity, *, address: str = "", arrived_at: datetime | None = None) -> Admitted:
    """Return a participation for somebody who has confirmed consent: their open one, or a new one.

    Of the network ``address`` they come from a hash is kept, where the study keeps evidence; it decides nothing.
    Raises NotAdmitted when the study is not open or the cap of its collection is reached.
    """
    now = clock.now()
    with transaction.atomic():
        # Two windows of one worker come one after the other, so the second finds what the first made.
        worker = _locked(identity, now)
        if found := resume(study, identity):
            return found
        check_open(study, simulated=worker.is_simulated)
        _check_excluded(study, worker)
        _check_screened(study, worker)
        _check_cap(study, worker)
        _check_waits(study, worker)
        version = versions.current(study)
        participation = Participation.objects.create(
            study=study,
            version=version,
            worker=worker,
            is_simulated=worker.is_simulated,
            consent_digest=version.consent_digest,
            kept=kept.current(),
            entry=identity.entry,
            network=_network(study, worker, address),
            arrived_at=arrived_at or now,
            confirmed_at=now,
            completion_code=study.completion_code or secrets.token_hex(4).upper(),
        )
        admitting.send(Participation, participation=participation)
    return Admitted(participation, token_of(participation), is_new=True)


def _locked(identity: Identity, now: datetime) -> Worker:
    """Return the row of somebody, or a new one: also when theirs was erased while its lock was waited for."""
    while True:
        found, _ = Worker.objects.get_or_create(
            marketplace=identity.marketplace,
            environment=identity.environment,
            external_id=identity.external_id,
            defaults={"is_simulated": identity.is_simulated, "created_at": now},
        )
        locked = Worker.objects.select_for_update().get(pk=found.pk)
        if not locked.is_forgotten:
            return locked


def _network(study: Study, worker: Worker, address: str) -> str:
    """Return the mark of a network, which is for comparing partners; empty where there is none to compare with."""
    is_kept = study.keeps_evidence and not worker.is_simulated and study.kind == Kind.DIALOG
    return networks.trace(address, f"study.{study.pk}") if is_kept else ""


def no_partner_ends(study: Study, worker_id: int) -> int:
    """Return how often a worker ended as no_partner in the collection within a day."""
    return no_partner_ends_of([worker_id]).get((study.collection_id, worker_id), 0)


def no_partner_ends_of(workers: Iterable[int]) -> dict[tuple[int, int], int]:
    """Return how often workers ended as no_partner within a day, by collection and worker, where they ever did."""
    recent = Participation.objects.filter(worker__in=workers, outcome=Outcome.NO_PARTNER)
    since = recent.filter(ended_at__gte=clock.now() - timedelta(days=1))
    return Counter(since.values_list("study__collection", "worker"))


def _check_waits(study: Study, worker: Worker) -> None:
    """Let somebody whose paid waits of the day are used up in only while somebody else waits.

    Who works alone waits for nobody, but may have seen all videos that are left.
    """
    if kinds.of(study.kind).is_alone:
        if not videos.new_to(study, worker.pk, simulated=worker.is_simulated).exists():
            raise NotAdmitted(Code.NOTHING_LEFT)
        return
    if no_partner_ends(study, worker.pk) < study.no_partner_a_day:
        return
    others = Participation.objects.filter(study=study, is_simulated=worker.is_simulated).exclude(worker=worker)
    if not others.filter(ended_at__isnull=True, started_at__isnull=True, is_learning=False).exists():
        raise NotAdmitted(Code.NOBODY_WAITS)


def _check_excluded(study: Study, worker: Worker) -> None:
    if exclusions.standing(study.pk, study.collection_id).filter(worker=worker).exists():
        raise NotAdmitted(Code.EXCLUDED)
    if Participation.objects.filter(worker=worker, study__in=study.not_after.all()).exists():
        raise NotAdmitted(Code.TOOK_PART)


def _check_screened(study: Study, worker: Worker) -> None:
    if screening.failed_quiz(study).filter(worker=worker).exists():
        raise NotAdmitted(Code.QUIZ_FAILED)
    if screening.failed_device(study).filter(worker=worker).exists():
        raise NotAdmitted(Code.DEVICE_FAILED)


def under_cap(study: Study, worker_id: int) -> int:
    """Return how many tasks more a worker may do: what is complete and under way counts over the whole collection."""
    theirs = Participation.objects.filter(worker=worker_id, study__collection=study.collection_id)
    counted = theirs.filter(outcome=Outcome.COMPLETE).count() + theirs.filter(ended_at__isnull=True).count()
    return max(0, study.collection.cap - counted)


def _check_cap(study: Study, worker: Worker) -> None:
    if not under_cap(study, worker.pk):
        raise NotAdmitted(Code.OVER_CAP)
