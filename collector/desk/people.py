"""The page of one worker: what they did, what they got, what was decided about them, and what may be decided now.

It is the one page that shows a worker's id, which is personal data: to who may see it, when they ask, which is logged.
The id travels in no address and in no log.
"""

import uuid
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from collector.accounts import log, roles
from collector.accounts.roles import Deed, allowed
from collector.desk import about_worker, found, person
from collector.privacy import erasing
from collector.privacy.erasing import CannotErase
from collector.studies import exclusions
from collector.studies.exclusions import CannotExclude, Exclusion
from collector.studies.models import Collection, Participation, Study, Worker
from hits import compensating, corrections, letters, mailing, people, reviewing, tasks, withdrawing
from hits.compensating import CannotCompensate
from hits.mailing import CannotWrite
from hits.models import Block, EntryState, LedgerEntry, Letter, Mark, Recruitment, RecruitmentState, Withdrawal
from hits.people import CannotDo

SHOWN = 50


@allowed(Deed.FIND_WORKER)
@require_http_methods(["GET", "HEAD", "POST"])
def workers(request: HttpRequest) -> HttpResponse:
    """Find a worker by the id that they wrote to us; it is posted, so that it stands in no log."""
    external_id = request.POST.get("worker_id", "").strip()
    found = list(Worker.objects.filter(external_id=external_id)[:20]) if external_id else []
    for each in found:
        log.write(request, Deed.FIND_WORKER, str(each))
    if len(found) == 1:
        return redirect("worker", found[0].pk)
    context = {"found": found, "is_unknown": bool(external_id) and not found}
    return render(request, "desk/workers.html", context)


@allowed(Deed.SEE)
@require_safe
def worker(request: HttpRequest, pk: int) -> HttpResponse:
    """Show all that is known of a worker, but for the id."""
    return _page(request, get_object_or_404(Worker, pk=pk))


@allowed(Deed.REVEAL)
@require_POST
@never_cache
def reveal(request: HttpRequest, pk: int) -> HttpResponse:
    """Show it with the id, this once, and log that."""
    shown = get_object_or_404(Worker, pk=pk)
    about_worker.write(request, Deed.REVEAL, shown)
    return _page(request, shown, shown.external_id)


def _page(request: HttpRequest, shown: Worker, external_id: str = "") -> HttpResponse:
    parts = Participation.objects.filter(worker=shown).select_related("study").order_by("-pk")
    entries = LedgerEntry.objects.filter(worker=shown).select_related("study", "who").order_by("-pk")
    pay = corrections.pay_by_participation(shown)
    context = {
        "worker": shown,
        "external_id": external_id,
        "quality": found.of_worker(shown, Study.objects.filter(participations__worker=shown).distinct()),
        "parts": [(part, pay.get(part.pk, Decimal(0))) for part in parts[:SHOWN]],
        "withdrawals": Withdrawal.objects.filter(participation__worker=shown).select_related("who", "undone_by"),
        "number": parts.count(),
        "entries": entries[:SHOWN],
        "paid": sum((each.amount for each in entries if each.state == EntryState.PAID), Decimal(0)),
        "compensations": shown.compensations.select_related("recruitment__study", "who", "undone_by"),
        "marks": Mark.objects.filter(worker=shown).select_related("recruitment__study"),
        "exclusions": Exclusion.objects.filter(worker=shown).select_related("study", "collection", "who", "ended_by"),
        "blocks": Block.objects.filter(worker=shown).select_related("who", "lifted_by"),
        "is_blocked": Block.objects.filter(worker=shown, lifted_at=None).exists(),
        "messages_sent": shown.messages.select_related("who")[:SHOWN],
        "letters": _letters(shown) if roles.may(request.user, Deed.LETTERS) else [],
        "notes": shown.notes.select_related("who"),
        "targets": _targets(shown),
        "recruitments": _recruitments(shown),
        "is_of_marketplace": shown.marketplace == "mturk",
        "key": uuid.uuid4(),
        "goes": erasing.GOES,
        "stays": erasing.STAYS,
        "least_reason": reviewing.LEAST_REASON,
        "longest": {
            "subject": mailing.LONGEST_SUBJECT,
            "text": mailing.LONGEST_TEXT,
            "answer": letters.LONGEST_ANSWER,
        },
    }
    return render(request, "desk/worker.html", context)


def _letters(shown: Worker) -> list[Letter]:
    rows = shown.letters.select_related("participation__study", "assignment__hit", "answered_by")
    return list(rows[:SHOWN])


def _targets(shown: Worker) -> list[tuple[str, str]]:
    """Return what a worker can be excluded from, where they came first, and what they are not excluded from yet."""
    standing = Exclusion.objects.filter(worker=shown, ended_at=None)
    no_studies = set(standing.values_list("study", flat=True))
    no_collections = set(standing.values_list("collection", flat=True))
    theirs = set(Participation.objects.filter(worker=shown).values_list("study", flat=True))
    studies = sorted(Study.objects.order_by("name"), key=lambda each: each.pk not in theirs)
    found = [(f"study-{each.pk}", f"the study {each.name}") for each in studies if each.pk not in no_studies]
    return found + [
        (f"collection-{each.pk}", f"all studies of the collection {each.name}")
        for each in Collection.objects.order_by("name")
        if each.pk not in no_collections
    ]


def _recruitments(shown: Worker) -> list[Recruitment]:
    if shown.marketplace != "mturk":
        return []
    rows = Recruitment.objects.filter(environment=shown.environment).exclude(state=RecruitmentState.DRAFT)
    return list(rows.select_related("study"))


@allowed(Deed.SEE)
@require_POST
def act(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Take down what a person decides about a worker, and say what will come of it."""
    if action not in ACTIONS:
        raise Http404
    roles.require(request, Deed(action))
    shown, who = get_object_or_404(Worker, pk=pk), User.objects.get(username=request.user.get_username())
    try:
        messages.success(request, ACTIONS[action](shown, who, request.POST))
        about_worker.write(request, Deed(action), shown)
        tasks.look_after_hits_soon()
    except (CannotDo, CannotExclude, CannotCompensate, CannotWrite, CannotErase) as refused:
        messages.error(request, str(refused))
    return redirect("worker", pk)


def _number(posted: QueryDict, name: str) -> int:
    text = posted.get(name, "")
    return int(text) if text.isdecimal() else 0


def _amount(posted: QueryDict) -> Decimal:
    try:
        amount = Decimal(posted.get("amount", "").strip().removeprefix("$"))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        raise CannotDo("The amount is no number of US dollars, such as 1.50.")
    return amount


def _key(posted: QueryDict) -> uuid.UUID:
    """Return the key of the shown form: sent twice, it is done once."""
    try:
        return uuid.UUID(posted.get("key", ""))
    except ValueError:
        raise CannotDo("Open the page again.") from None


def _note(shown: Worker, who: User, posted: QueryDict) -> str:
    people.note(shown, posted.get("text", ""), who)
    return "The note is kept."


def _write(shown: Worker, who: User, posted: QueryDict) -> str:
    confirmed = posted.get("confirmed") == "yes"
    subject, text = posted.get("subject", ""), posted.get("text", "")
    mailing.write(shown, subject, text, who, _key(posted), confirmed=confirmed)
    return "The message is sent within a minute; this page says what became of it."


def _answer(shown: Worker, who: User, posted: QueryDict) -> str:
    letters.answer(shown, _number(posted, "letter"), posted.get("text", ""), who, confirmed=_is_confirmed(posted))
    is_mailed = shown.marketplace == "mturk" and not shown.is_forgotten
    by_mail = " The marketplace sends it within a minute, too." if is_mailed else ""
    return f"Your answer stands on the worker's page.{by_mail}"


def _exclude(shown: Worker, who: User, posted: QueryDict) -> str:
    kind, _, number = posted.get("target", "").partition("-")
    model = {"study": Study, "collection": Collection}.get(kind)
    if model is None or not number.isdecimal() or not model.objects.filter(pk=int(number)).exists():  # type: ignore[attr-defined]
        raise CannotDo("Choose a study or a collection.")
    exclusions.exclude(shown.pk, posted.get("reason", ""), who, **{kind: int(number)})
    return "Excluded: they see no further offer. What they are doing now they may finish, and it is paid."


def _include(shown: Worker, who: User, posted: QueryDict) -> str:
    row = Exclusion.objects.filter(pk=_number(posted, "exclusion"), worker=shown).first()
    if row is None or not exclusions.include(row.pk, who):
        raise CannotDo("They are not excluded any more.")
    return "They may take part again."


def _bonus(shown: Worker, who: User, posted: QueryDict) -> str:
    amount, number = _amount(posted), _number(posted, "participation")
    people.bonus(shown, number, amount, posted.get("reason", ""), who, _key(posted))
    if shown.marketplace != "mturk":
        return "The bonus is in the ledger, to be paid by hand with the next statement."
    return "The bonus is in the ledger, and is paid as soon as this work is approved."


def _take_back_bonus(shown: Worker, who: User, posted: QueryDict) -> str:
    people.take_back_bonus(shown, _number(posted, "entry"), who)
    return "It is taken back; it was not sent."


def _correct(shown: Worker, who: User, posted: QueryDict) -> str:
    amount, number, is_confirmed = _amount(posted), _number(posted, "participation"), _is_confirmed(posted)
    corrections.correct(shown, number, amount, posted.get("reason", ""), who, _key(posted), confirmed=is_confirmed)
    return "The difference is in the ledger; until it is sent it can be taken back."


def _withdraw(shown: Worker, who: User, posted: QueryDict) -> str:
    number, reason = _number(posted, "participation"), posted.get("reason", "")
    withdrawing.withdraw(shown, number, reason, who, confirmed=_is_confirmed(posted))
    return "Withdrawn: exports made from now on leave the dialog out. Both workers stay paid."


def _undo_withdrawal(shown: Worker, who: User, posted: QueryDict) -> str:
    withdrawing.undo(shown, _number(posted, "withdrawal"), who)
    return "The withdrawal is taken back; exports made from now on hold the dialog again."


def _is_confirmed(posted: QueryDict) -> bool:
    return posted.get("confirmed") == "yes"


def _compensate(shown: Worker, who: User, posted: QueryDict) -> str:
    recruitment = Recruitment.objects.select_related("study").filter(pk=_number(posted, "recruitment")).first()
    if recruitment is None or recruitment.state == RecruitmentState.DRAFT:
        raise CannotDo("Choose what it is for.")
    compensating.plan(recruitment, shown, _amount(posted), posted.get("reason", ""), who, _key(posted))
    return "A HIT that only they see is offered within a minute. Write to them that it is there."


def _take_back_compensation(shown: Worker, who: User, posted: QueryDict) -> str:
    if not shown.compensations.filter(pk=(number := _number(posted, "compensation"))).exists():
        raise CannotDo("There is no such compensation.")
    compensating.take_back(number, who)
    return "It is taken back, unless they have accepted it meanwhile: then it is paid."


def _offer_again(shown: Worker, who: User, posted: QueryDict) -> str:
    if shown.compensations.filter(pk=(number := _number(posted, "compensation"))).exists():
        compensating.try_again(number)
    return "It is offered again."


def _block(shown: Worker, who: User, posted: QueryDict) -> str:
    people.block(shown, posted.get("reason", ""), who, confirmed=_is_confirmed(posted))
    return "They are blocked within a minute."


def _unblock(shown: Worker, who: User, posted: QueryDict) -> str:
    if not people.unblock(shown, who):
        raise CannotDo("They are not blocked.")
    return "They are let back within a minute. What they are excluded from stays as it is."


ACTIONS: dict[str, Callable[[Worker, User, QueryDict], str]] = {
    "note": _note,
    "write": _write,
    "answer": _answer,
    "exclude": _exclude,
    "include": _include,
    "bonus": _bonus,
    "take-back-bonus": _take_back_bonus,
    "correct": _correct,
    "withdraw": _withdraw,
    "undo-withdrawal": _undo_withdrawal,
    "compensate": _compensate,
    "take-back-compensation": _take_back_compensation,
    "offer-again": _offer_again,
    "erase": person.erase,
    "block": _block,
    "unblock": _unblock,
}
