"""What is stored of marketplaces and money?

The ledger is append-only: an entry's amount, reason and worker never change; only how far its payment has come does.
"""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from collector.lib.sealed import Digest, Sealed
from collector.studies.models import Participation, Study, Worker
from hits.heard import Heard as Heard
from hits.hours import Offered
from hits.records import (
    Block,
    Compensation,
    CompensationState,
    Mark,
    Message,
    MessageState,
    Note,
    Reconciliation,
    SecondOpinion,
    Withdrawal,
)  # fmt: skip
from hits.voices import Feedback, Letter

__all__ = [
    "Asked", "Assignment", "AssignmentState", "Block", "Compensation", "CompensationState", "Decision",
    "EntryKind", "EntryState", "Environment", "Feedback", "Hit", "HitState", "LedgerEntry", "Letter", "Mark", "Message",
    "MessageState", "Note", "Reconciliation", "Recruitment", "RecruitmentState", "SecondOpinion", "Settlement",
    "Withdrawal",
]  # fmt: skip


class Environment(models.TextChoices):
    """Which of a marketplace's worlds a row belongs to. Never mixed; stands on every page in its colour."""

    LIVE = "live"
    SANDBOX = "sandbox"
    LOCAL = "local"


class RecruitmentState(models.TextChoices):
    """Where the recruiting for a study is."""

    DRAFT = "draft"
    PILOT = "pilot", "pilot batch"
    PILOTED = "piloted", "pilot done, waits for a person"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"


class Asked(models.TextChoices):
    """What a person has asked the worker process to do: a page never waits for a marketplace."""

    NOTHING = "", "nothing"
    LAUNCH = "launch"
    EXPIRE = "expire", "pause and expire"


class Recruitment(Offered):
    """How workers for a study are found in one environment of a marketplace: the offer, who may take it, the limits.

    What each field does is said in ``forms``.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="recruitments")
    environment = models.CharField(max_length=7, choices=Environment.choices)
    state = models.CharField(max_length=7, choices=RecruitmentState.choices, default=RecruitmentState.DRAFT)
    why = models.CharField("why it stands", max_length=300, blank=True, help_text="Why it is paused, in a sentence.")
    trouble = models.CharField(max_length=300, blank=True, editable=False, help_text="What hinders it; it is tried on.")
    title = models.CharField(max_length=128)
    description = models.TextField(max_length=2000)
    keywords = models.CharField(max_length=1000, default="video, chat, dialog, questions, summary")
    percent_approved = models.PositiveSmallIntegerField(
        null=True, blank=True, default=95, validators=[MaxValueValidator(100)]
    )
    number_approved = models.PositiveIntegerField(null=True, blank=True, default=500)
    countries = models.CharField(max_length=120, blank=True, default="US, CA")
    masters = models.BooleanField(default=False)
    adult = models.BooleanField("adult content qualification", default=False)
    required_types = models.CharField("must hold", max_length=300, blank=True)
    excluded_types = models.CharField("must not hold", max_length=300, blank=True)
    open_at_once = models.PositiveSmallIntegerField(
        default=4, validators=[MinValueValidator(2), MaxValueValidator(200)]
    )
    assignment_minutes = models.PositiveSmallIntegerField(default=120, validators=[MinValueValidator(5)])
    auto_approval_hours = models.PositiveSmallIntegerField(default=72, validators=[MaxValueValidator(720)])
    approve_after_hours = models.PositiveSmallIntegerField(null=True, blank=True)
    pilot_dialogs = models.PositiveSmallIntegerField(default=10)
    dialogs_wanted = models.PositiveIntegerField()
    budget = models.DecimalField(max_digits=10, decimal_places=2)
    worker_day_ceiling = models.DecimalField(max_digits=8, decimal_places=2, default=100)
    day_ceiling = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    wage_reason = models.TextField(blank=True)
    asked = models.CharField(max_length=6, choices=Asked.choices, blank=True, editable=False)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, editable=False
    )
    balance = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True, editable=False)
    looked_at = models.DateTimeField(null=True, blank=True, editable=False, help_text="When it was last looked after.")
    type_id = models.CharField(max_length=64, blank=True, editable=False)
    mark_id = models.CharField(max_length=64, blank=True, editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["study", "environment"], name="one_recruitment_an_environment"),
        ]

    def __str__(self) -> str:
        return f"{self.study} in {self.environment}"


class HitState(models.TextChoices):
    """Where a HIT is. ``planned``: a row of ours that the marketplace does not know yet, or whose answer was lost."""

    PLANNED = "planned"
    OPEN = "open"
    CLOSED = "closed"
    FAILED = "failed"


class Hit(models.Model):
    """A published offer of one assignment: a seat that anybody who may can take. Any two seats can meet."""

    recruitment = models.ForeignKey(Recruitment, on_delete=models.PROTECT, related_name="hits")
    environment = models.CharField(max_length=7, choices=Environment.choices)
    endpoint = models.CharField(max_length=200)
    state = models.CharField(max_length=7, choices=HitState.choices, default=HitState.PLANNED)
    external_id = models.CharField(max_length=64, blank=True, db_index=True)
    reward = models.DecimalField(max_digits=6, decimal_places=2)
    planned_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    synced_at = models.DateTimeField(null=True, blank=True)
    pending = models.PositiveSmallIntegerField(default=0, help_text="Accepted or being previewed, as last seen.")
    free_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was last known to be free: whoever holds it accepted it later."
    )
    trouble = models.CharField(max_length=300, blank=True)

    class Meta:
        verbose_name = "HIT"
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "external_id"], condition=~Q(external_id=""), name="one_row_a_hit"
            ),
        ]
        indexes = [models.Index(fields=["recruitment", "state"])]

    def __str__(self) -> str:
        return f"HIT {self.pk} ({self.state})"

    @property
    def token(self) -> str:
        """What makes publishing it twice the same HIT."""
        return f"collector-hit-{self.pk}"

    @property
    def annotation(self) -> str:
        """What only the requester sees, by which a HIT whose answer was lost is found."""
        return f"collector:{self.recruitment_id}:{self.pk}"


class AssignmentState(models.TextChoices):
    """What the marketplace says of an assignment; ``seen``: somebody has opened it, and it is not submitted."""

    SEEN = "seen"
    SUBMITTED = "submitted"
    APPROVED = "approved"
    REJECTED = "rejected"


class Decision(models.TextChoices):
    """What was decided about a submission; carried out by the worker process."""

    OPEN = "", "not decided"
    APPROVE = "approve"
    REJECT = "reject"


class Assignment(models.Model):
    """One worker's acceptance of a HIT. Its id may come back with another worker, so the two together name it."""

    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, related_name="assignments")
    external_id = Sealed(by="external_digest", blank=True)
    external_digest = Digest(of="external_id")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="assignments")
    participation = models.ForeignKey(
        Participation, on_delete=models.PROTECT, null=True, blank=True, related_name="assignments"
    )
    state = models.CharField(max_length=9, choices=AssignmentState.choices, default=AssignmentState.SEEN)
    first_seen_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    auto_approval_at = models.DateTimeField(null=True, blank=True, db_index=True)
    approve_at = models.DateTimeField(null=True, blank=True, help_text="When it is to be approved and paid.")
    fields = models.JSONField(default=dict, blank=True, help_text="What the page sent with the submission.")
    document = models.JSONField(
        default=dict, blank=True, help_text="The submission as the marketplace last gave it, which disposes of its own."
    )
    linked_by = models.CharField(max_length=10, blank=True, help_text="entry, receipt, or a person.")
    decision = models.CharField(max_length=7, choices=Decision.choices, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True)
    decision_note = models.TextField(blank=True, help_text="The reason of a rejection, as the worker reads it.")
    trouble = models.CharField(max_length=300, blank=True, help_text="Why a decision was not carried out.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["external_digest", "worker"],
                condition=~Q(external_digest=""),
                name="one_row_an_assignment_and_worker",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "auto_approval_at"]),
            models.Index(fields=["decided_at"], condition=Q(decision="reject"), name="rejections"),
        ]

    def __str__(self) -> str:
        return f"assignment {self.pk} ({self.state})"


class EntryKind(models.TextChoices):
    """What an amount is for."""

    REWARD = "reward"
    SHARE = "share", "rest of the reward"
    WAITING = "waiting"
    SUMMARY = "summary", "summary bonus"
    QUALITY = "quality", "quality bonus"
    COMPENSATION = "compensation"
    CORRECTION = "correction"


class EntryState(models.TextChoices):
    """How far the payment of an entry has come."""

    PLANNED = "planned"
    SENDING = "sending"
    PAID = "paid"
    FAILED = "failed"
    UNKNOWN = "unknown"
    UNDONE = "undone", "taken back"


class LedgerEntry(models.Model):
    """One amount owed to a worker for one reason, and how far its payment has come.

    ``key`` names the reason and is unique: what is planned twice exists once. The token of a payment is made from the
    row's id, so that sending again is the same payment.
    """

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="ledger")
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="ledger")
    participation = models.ForeignKey(
        Participation, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger"
    )
    assignment = models.OneToOneField(
        Assignment,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="entry",
        help_text="A submission without a participation, which a person has approved.",
    )
    kind = models.CharField(max_length=12, choices=EntryKind.choices)
    key = models.CharField(max_length=100, unique=True)
    amount = models.DecimalField(max_digits=8, decimal_places=2, validators=[MinValueValidator(0)])
    why = models.CharField(max_length=300, help_text="In words; the worker may read it.")
    who = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, help_text="Empty: the pay rules."
    )
    at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=EntryState.choices, default=EntryState.PLANNED)
    changed_at = models.DateTimeField()
    first_sent_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    reference = Sealed(default="", blank=True, help_text="What the marketplace calls the payment.")
    is_by_hand = models.BooleanField(default=False, help_text="Paid by a person, outside the platform.")
    trouble = models.CharField(max_length=300, blank=True, help_text="Why it failed or is not known, in a sentence.")
    replaced_by = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="replaces",
        help_text="The entry that stands for this one, which was never sent.",
    )  # fmt: skip

    class Meta:
        verbose_name_plural = "ledger entries"
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="an_entry_has_an_amount"),
            models.CheckConstraint(
                condition=~Q(state__in=["sending", "unknown"]) | Q(first_sent_at__isnull=False),
                name="what_was_sent_says_when",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "changed_at"]),
            models.Index(fields=["worker", "at"]),
            models.Index(fields=["study", "state"]),
            models.Index(fields=["first_sent_at"]),
        ]

    def __str__(self) -> str:
        return f"${self.amount} {self.get_kind_display()}, {self.state}"

    @property
    def token(self) -> str:
        """The token of this payment: the same for ever, whatever is retried."""
        return f"collector-entry-{self.pk}"


class Settlement(models.Model):
    """A participation whose pay has been worked out: what it is owed stands in the ledger."""

    participation = models.OneToOneField(Participation, on_delete=models.PROTECT, related_name="settlement")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"settlement of participation {self.participation_id}"
