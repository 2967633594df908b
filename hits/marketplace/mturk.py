"""Mechanical Turk, and whatever speaks its protocol at another address. Its parts alone know boto3.

Idempotence: tokens come from our rows, "already exists" is success, and decisions are made on TurkErrorCode, never on
the text of a message. botocore repeats calls by itself, so every call that makes something carries a token.
"""

import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from xml.sax.saxutils import escape

from botocore.exceptions import ClientError

from hits.ledger import Answer, Paid
from hits.marketplace.base import Capabilities, MarketplaceError, Offer, Published, Submission
from hits.marketplace.mturk_errors import code_of, told
from hits.marketplace.mturk_people import People
from hits.marketplace.mturk_rows import published, submission
from hits.models import Compensation, EntryKind, LedgerEntry

log = logging.getLogger(__name__)

_FRAME = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/'
    'ExternalQuestion.xsd"><ExternalURL>{url}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>'
)
_NOT_THERE_YET = {"AssignmentDoesNotExist"}
_BY_APPROVAL = (EntryKind.REWARD, EntryKind.COMPENSATION)
_EVENTS = [
    "AssignmentAccepted", "AssignmentAbandoned", "AssignmentReturned", "AssignmentSubmitted", "AssignmentApproved",
    "AssignmentRejected", "HITExpired", "HITReviewable",
]  # fmt: skip
_HIT_ID = re.compile(r"\b[A-Z0-9]{20,64}\b")


class MTurk(People):
    """One requester's account in one environment: live, sandbox, or a local marketplace."""

    name = "mturk"
    capabilities = Capabilities(
        has_hits=True,
        has_preview=True,
        is_framed=True,
        checks_qualifications=True,
        pays=True,
        rejects=True,
        excludes=True,
        blocks=True,
        writes=True,
        has_balance=True,
        tells_events=True,
    )

    def balance(self) -> Decimal:
        """Return US dollars that can be spent."""
        with told("tell the balance"):
            return Decimal(self._client.get_account_balance()["AvailableBalance"])

    def offer(self, offer: Offer) -> str:
        """Return the HIT type's id; equal values give the same one."""
        with told("take the offer"):
            made = self._client.create_hit_type(
                Title=offer.title,
                Description=offer.description,
                Keywords=offer.keywords,
                Reward=f"{offer.reward:.2f}",
                AssignmentDurationInSeconds=offer.duration,
                AutoApprovalDelayInSeconds=offer.auto_approval,
                QualificationRequirements=list(offer.requirements),
            )
        return str(made["HITTypeId"])

    def tell(self, type_id: str, address: str) -> None:
        """Have events of a type's HITs sent: to a queue of Amazon's, or where the local marketplace can post to."""
        wanted = {"Destination": address, "Transport": "SQS", "Version": "2014-08-15", "EventTypes": _EVENTS}
        with told("send events"):
            self._client.update_notification_settings(HITTypeId=type_id, Notification=wanted, Active=True)

    def publish(self, type_id: str, url: str, token: str, annotation: str, lifetime: int) -> Published:
        """Publish one HIT; what was published under the token before is returned."""
        with told("publish a HIT"):
            try:
                made = self._client.create_hit_with_hit_type(
                    HITTypeId=type_id,
                    MaxAssignments=1,
                    LifetimeInSeconds=lifetime,
                    Question=_FRAME.format(url=escape(url)),
                    RequesterAnnotation=annotation,
                    UniqueRequestToken=token,
                )
            except ClientError as error:
                if code_of(error) != "HitAlreadyExists":
                    raise
                return self._published_before(annotation, str(error.response["Error"].get("Message", "")))
        return published(made["HIT"])

    def _published_before(self, annotation: str, message: str) -> Published:
        """Find the HIT that a lost answer told of: the message may name it, the annotation certainly does."""
        for hit_id in _HIT_ID.findall(message):
            found = self._client.get_hit(HITId=hit_id)["HIT"]
            if found.get("RequesterAnnotation") == annotation:
                return published(found)
        for listed in self._listed():
            if listed.annotation == annotation:
                return listed
        raise MarketplaceError(
            "lost_hit", "A HIT exists under this token and cannot be found yet; it is looked for again.", is_final=False
        )

    def _listed(self) -> Iterator[Published]:
        for page in self._client.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 100}):
            for row in page["HITs"]:
                yield published(row)

    def hits(self) -> Iterator[Published]:
        """Yield all HITs of this account, page by page."""
        with told("list HITs"):
            yield from self._listed()

    def look(self, hit_id: str) -> Published:
        """Return a HIT as it is now."""
        with told("show a HIT"):
            return published(self._client.get_hit(HITId=hit_id)["HIT"])

    def renew(self, hit_id: str, until: datetime) -> None:
        """Offer a HIT until then."""
        with told("renew a HIT"):
            self._client.update_expiration_for_hit(HITId=hit_id, ExpireAt=until)

    def expire(self, hit_id: str) -> None:
        """Offer a HIT no more; who has accepted it may finish and submit."""
        with told("expire a HIT"):
            self._client.update_expiration_for_hit(HITId=hit_id, ExpireAt=datetime(1970, 1, 1, tzinfo=UTC))

    def submissions(self, hit_id: str) -> Iterator[Submission]:
        """Yield all submissions of a HIT, page by page."""
        with told("list submissions"):
            pages = self._client.get_paginator("list_assignments_for_hit").paginate(
                HITId=hit_id, PaginationConfig={"PageSize": 100}
            )
            for page in pages:
                for row in page["Assignments"]:
                    yield submission(row)

    def approve(self, assignment_id: str, message: str = "", *, in_spite_of_rejection: bool = False) -> None:
        """Approve a submission; one that is approved already is fine."""
        with told("approve an assignment"):
            try:
                self._client.approve_assignment(
                    AssignmentId=assignment_id,
                    OverrideRejection=in_spite_of_rejection,
                    **({"RequesterFeedback": message[:1024]} if message else {}),
                )
            except ClientError as error:
                if code_of(error) != "InvalidAssignmentState" or self._state_of(assignment_id) != "approved":
                    raise

    def reject(self, assignment_id: str, reason: str) -> None:
        """Reject a submission with a reason, which the worker reads."""
        if not reason.strip():
            raise MarketplaceError("no_reason", "A rejection needs a reason that the worker can read.", is_final=True)
        with told("reject an assignment"):
            try:
                self._client.reject_assignment(AssignmentId=assignment_id, RequesterFeedback=reason[:1024])
            except ClientError as error:
                if code_of(error) != "InvalidAssignmentState" or self._state_of(assignment_id) != "rejected":
                    raise

    def _state_of(self, assignment_id: str) -> str:
        row = self._client.get_assignment(AssignmentId=assignment_id)["Assignment"]
        return str(row["AssignmentStatus"]).lower()

    # Money: called by the ledger only

    def pay(self, entry: LedgerEntry) -> Paid:
        """Pay an entry: a reward or compensation by approving its assignment, everything else as a bonus on it."""
        assignment_id = _assignment_of(entry)
        if not assignment_id:
            return Paid(Answer.FAILED, trouble="There is no assignment to pay it on; compensate the worker instead.")
        try:
            if entry.kind in _BY_APPROVAL:
                self.approve(assignment_id)
                return Paid(Answer.PAID, reference=assignment_id)
            return self._bonus(entry, assignment_id)
        except MarketplaceError as error:
            return _paid_or_not(error)

    def _bonus(self, entry: LedgerEntry, assignment_id: str) -> Paid:
        with told("send a bonus"):
            try:
                self._client.send_bonus(
                    WorkerId=entry.worker.external_id,
                    AssignmentId=assignment_id,
                    BonusAmount=f"{entry.amount:.2f}",
                    Reason=_reason(entry),
                    UniqueRequestToken=entry.token,
                )
            except ClientError:
                # A token that was used says so in words that differ; what was paid is seen in the list of payments.
                # Where that cannot be seen either, it is not known whether this or an earlier try has paid.
                if (found := self.find(entry)) is not None:
                    return found
                raise
        return Paid(Answer.PAID, reference=entry.token)

    def find(self, entry: LedgerEntry) -> Paid | None:
        """Look up whether an entry was paid: the approval of its assignment, or a bonus with its token as reason."""
        assignment_id = _assignment_of(entry)
        try:
            with told("list payments"):
                if entry.kind in _BY_APPROVAL:
                    is_paid = self._state_of(assignment_id) == "approved"
                else:
                    is_paid = any(_reason(entry) == reason for reason in self._bonus_reasons(assignment_id))
        except MarketplaceError as error:
            return Paid(Answer.UNKNOWN, trouble=error.sentence)
        return Paid(Answer.PAID, reference=assignment_id) if is_paid else None

    def _bonus_reasons(self, assignment_id: str) -> Iterator[str]:
        pages = self._client.get_paginator("list_bonus_payments").paginate(
            AssignmentId=assignment_id, PaginationConfig={"PageSize": 100}
        )
        for page in pages:
            for row in page["BonusPayments"]:
                yield str(row.get("Reason", ""))

    def bonuses(self, hit_id: str) -> Iterator[Decimal]:
        """Yield the bonuses that were paid on a HIT, by the marketplace's own books."""
        with told("list payments"):
            pages = self._client.get_paginator("list_bonus_payments").paginate(
                HITId=hit_id, PaginationConfig={"PageSize": 100}
            )
            for page in pages:
                for row in page["BonusPayments"]:
                    yield Decimal(row["BonusAmount"])


def _assignment_of(entry: LedgerEntry) -> str:
    """Return the assignment that an entry is paid on, empty when there is none: a compensation has one of its own."""
    if entry.kind == EntryKind.COMPENSATION:
        own = Compensation.objects.filter(entry=entry).values_list("assignment_id", flat=True)
        return own.first() or ""
    if entry.assignment is not None:
        return entry.assignment.external_id
    return str(entry.participation.entry.get("assignmentId", "")) if entry.participation else ""


def _reason(entry: LedgerEntry) -> str:
    """Return what a bonus says: words for the worker, and the token that tells it from every other bonus."""
    return f"{entry.get_kind_display().capitalize()} {entry.why} ({entry.token})"


def _paid_or_not(error: MarketplaceError) -> Paid:
    if "insufficient funds" in error.sentence.lower() or error.code == "InsufficientFunds":
        return Paid(Answer.NO_MONEY, trouble=error.sentence)
    if error.code in _NOT_THERE_YET or "status of: null" in error.sentence:
        return Paid(Answer.LATER, trouble=error.sentence)
    if error.code in ("ThrottlingException", "clock"):
        return Paid(Answer.LATER, trouble=error.sentence)
    return Paid(Answer.FAILED if error.is_final else Answer.UNKNOWN, trouble=error.sentence)
