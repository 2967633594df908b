"""What has one worker done, and got? The page that a signed link opens: sessions, pay, rejections, letters.

The frame's address is no proof of who somebody is (``hits.entering``). So who comes from a marketplace sees all their
sessions once it has confirmed the one whose last page led here, and only that one before.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_http_methods

from collector.lib import languages, tokens
from collector.studies import exclusions, kinds, outcomes, versions
from collector.studies.admission import token_of
from collector.studies.models import Participation, Worker
from collector.studies.pages import worker_page
from hits import again, letters, settlement, withdrawing
from hits.mailing import CannotWrite
from hits.marketplace import link
from hits.models import Assignment, AssignmentState, EntryKind, EntryState, LedgerEntry, Letter, Settlement

SHOWN = 100
_STATES: dict[str, str] = {
    EntryState.SENDING: gettext_noop("sent, not confirmed yet"),
    EntryState.UNKNOWN: gettext_noop("sent, not confirmed yet"),
    EntryState.FAILED: gettext_noop("failed; a person looks at it"),
}
_DUE = gettext_noop("due")
_DUE_WHEN: dict[str, str] = {
    AssignmentState.SEEN: gettext_noop("due once the work is submitted"),
    AssignmentState.SUBMITTED: gettext_noop("due once the work is approved"),
}
_REJECTED = gettext_noop("not paid, since the work was rejected")
_NO_SUCH = gettext_noop("This page has no such session or rejection. Load it again.")


@dataclass(frozen=True)
class Visit:
    """Whose page it is, and the one session that it shows, None for all of them."""

    worker: Worker
    only: Participation | None

    def participations(self) -> list[Participation]:
        """Return the sessions that may be shown, the newest first; so many at most."""
        if self.only:
            return [self.only]
        rows = Participation.objects.filter(worker=self.worker).select_related("study__collection", "version", "worker")
        return list(rows.order_by("-pk")[:SHOWN])


@dataclass(frozen=True)
class Payment:
    """An amount in US dollars, what it is for, and how far it is, in words."""

    amount: Decimal
    why: str
    state: str
    is_due: bool = True
    paid_at: datetime | None = None


@dataclass(frozen=True)
class Session:
    """One participation as its worker reads it."""

    part: Participation
    heading: str
    sentence: str
    address: str
    """Where it goes on, or where it ended; a withdrawal is there."""
    may_withdraw: bool
    payments: list[Payment]
    rejection: Assignment | None
    """The work where it was rejected, also when that was taken back after an appeal."""
    is_rejected: bool
    may_appeal: bool


def access(token: str) -> Visit:
    """Return what a worker's token opens, or raise BadToken. The only way from a page to a worker."""
    said = tokens.read_of_worker(token)
    worker = Worker.objects.filter(pk=said.worker).first()
    if worker is None:
        raise tokens.BadToken
    if not said.participation:
        return Visit(worker, None)
    parts = Participation.objects.select_related("study__collection", "version", "worker")
    part = parts.filter(pk=said.participation, worker=worker).first()
    if part is None:
        raise tokens.BadToken
    return Visit(worker, None if _is_confirmed(part) else part)


def _is_confirmed(part: Participation) -> bool:
    """Tell whether it is sure who took part; an invitation link takes the id that it carries at its word."""
    if part.worker.marketplace == link.NAME:
        return True
    confirmed = Assignment.objects.filter(participation=part, worker=part.worker_id)
    return confirmed.exclude(state=AssignmentState.SEEN).exists()


@worker_page
@require_http_methods(["GET", "HEAD", "POST"])
def mine(request: HttpRequest, token: str) -> HttpResponse:
    """Show a worker what they did and got; a POST keeps a message or an appeal."""
    visit, trouble, text = access(token), "", ""
    if request.method == "POST":
        try:
            _take(visit, request.POST)
            return redirect("mine", token)
        except CannotWrite as refused:
            trouble, text = str(refused), request.POST.get("text", "")[: letters.LONGEST]
    context = _page(visit) | {"trouble": trouble, "text": text, "key": uuid.uuid4(), "longest": letters.LONGEST}
    context["zone"] = settings.TIME_ZONE
    # What is wrong stands beside its form; where that is gone, beside the message's.
    asked = _number(request.POST, "appeal")
    context["appealed"] = asked if asked in context["open_appeals"] else 0
    return render(request, "hits/mine.html", context, status=400 if trouble else 200)


def _take(visit: Visit, posted: QueryDict) -> None:
    """Keep what a worker wrote. Raises CannotWrite."""
    text, shown = posted.get("text", ""), visit.participations()
    if "appeal" in posted:
        theirs = Assignment.objects.filter(participation__in=shown, worker=visit.worker)
        found = theirs.filter(pk=_number(posted, "appeal")).first()
        if found is None:
            raise CannotWrite(gettext(_NO_SUCH))
        letters.appeal(visit.worker, found, text)
        return
    about = next((part for part in shown if part.pk == _number(posted, "about")), visit.only)
    try:
        key = uuid.UUID(posted.get("key", ""))
    except ValueError:
        raise CannotWrite(gettext("Load this page again, then send your message.")) from None
    letters.write(visit.worker, about, text, key)


def _number(posted: QueryDict, name: str) -> int:
    text = posted.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _page(visit: Visit) -> dict[str, Any]:
    """Return what the page shows."""
    parts = visit.participations()
    own = {part.pk for part in parts}
    works = _works(parts)
    entries = LedgerEntry.objects.filter(worker=visit.worker).exclude(state=EntryState.UNDONE).order_by("pk")
    written = Letter.objects.filter(worker=visit.worker).select_related("participation__study")
    if visit.only:
        entries, written = entries.filter(participation=visit.only), written.filter(participation=visit.only)
    by_part: dict[int | None, list[Payment]] = defaultdict(list)
    for entry in entries.select_related("study"):
        by_part[entry.participation_id].append(_payment(entry, works.get(entry.participation_id)))
    every = [each for payments in by_part.values() for each in payments]
    others = [each for pk, payments in by_part.items() if pk not in own for each in payments]
    sessions = [_session(part, by_part[part.pk], works.get(part.pk)) for part in parts]
    return {
        "sessions": sessions,
        "open_appeals": {each.rejection.pk for each in sessions if each.may_appeal and each.rejection},
        "others": others,
        "paid": _sum(each for each in every if each.paid_at),
        "due": _sum(each for each in every if each.is_due),
        "written": written[:SHOWN],
        "left": _left(visit.worker, parts),
        "is_whole": visit.only is None,
        "is_cut": len(parts) == SHOWN,
        "is_by_hand": visit.worker.marketplace == link.NAME,
    }


def _works(parts: list[Participation]) -> dict[int | None, Assignment]:
    """Return what was, or is to be, submitted for each participation: the newest, where they took more than one."""
    rows = Assignment.objects.filter(participation__in=parts).select_related("appeal").order_by("pk")
    return {each.participation_id: each for each in rows}


def _payment(entry: LedgerEntry, work: Assignment | None) -> Payment:
    why = _why(entry.kind, entry.why)
    if entry.state == EntryState.PAID:
        how = gettext("paid by hand") if entry.is_by_hand else gettext("paid")
        return Payment(entry.amount, why, how, is_due=False, paid_at=entry.changed_at)
    if entry.state == EntryState.PLANNED:
        return _planned(entry.amount, why, work)
    return Payment(entry.amount, why, gettext(_STATES[entry.state]))


def _why(kind: str, why: str) -> str:
    """Return what an amount is for; where two are for one thing, which of them is the rest."""
    said = settlement.in_words(why)
    return gettext("as a bonus, the rest {why}").format(why=said) if kind == EntryKind.SHARE else said


def _planned(amount: Decimal, why: str, work: Assignment | None) -> Payment:
    """Return what is owed and not sent, and what it waits for."""
    if work is not None and letters.stands_rejected(work):
        return Payment(amount, why, gettext(_REJECTED), is_due=False)
    return Payment(amount, why, gettext(_DUE if work is None else _DUE_WHEN.get(work.state, _DUE)))


def session(part: Participation) -> Session:
    """Return an ended participation for its last page: what it is worth, also while that is not worked out yet."""
    work = _works([part]).get(part.pk)
    if Settlement.objects.filter(participation=part).exists():
        entries = part.ledger.exclude(state=EntryState.UNDONE).order_by("pk")
        return _session(part, [_payment(each, work) for each in entries], work)
    due = [] if part.is_simulated else settlement.announced(part)
    return _session(part, [_planned(each.amount, _why(each.kind, each.why), work) for each in due], work)


def _sum(payments: Iterable[Payment]) -> Decimal:
    return sum((each.amount for each in payments), Decimal(0))


def _session(part: Participation, payments: list[Payment], work: Assignment | None) -> Session:
    heading, sentence = gettext("Under way"), ""
    if part.ended_at is not None:
        heading, sentence = outcomes.words_of(part.outcome, part.why, versions.content_of(part.version))
    has_appealed = work is not None and hasattr(work, "appeal")
    is_rejected = work is not None and letters.stands_rejected(work)
    return Session(
        part=part,
        heading=heading,
        sentence="" if is_rejected else sentence,
        address=reverse("finish" if part.ended_at else kinds.page_of(part), args=[token_of(part)]),
        may_withdraw=withdrawing.until(part) is not None,
        payments=payments,
        rejection=work if is_rejected or has_appealed else None,
        is_rejected=is_rejected,
        may_appeal=is_rejected and not has_appealed,
    )


def _left(worker: Worker, parts: list[Participation]) -> list[tuple[str, int]]:
    """Return how many more tasks the worker may do, with the names of the studies that share the number."""
    names, numbers = defaultdict(list), {}
    for part in {part.study_id: part for part in reversed(parts)}.values():
        standing = exclusions.standing(part.study_id, part.study.collection_id)
        if (number := again.left(part)) and not standing.filter(worker=worker).exists():
            names[part.study.collection_id].append(part.study.name)
            numbers[part.study.collection_id] = number
    return sorted((languages.either(sorted(names[pk])), number) for pk, number in numbers.items())
