"""What is stored of a dialog? Two Seats, the Utterances between them, and the events that are no utterance.

A dialog is an append-only list of utterances: the next free position is its state, and inserting there is the
compare-and-set. Every visible change has the next version.
"""

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q

from collector.catalogue.models import Video
from collector.studies.leaving import TakenOut, Work, WorkQuerySet
from collector.studies.models import Outcome, Participation, Study, Why, Worker
from collector.studies.redacting import Redaction, a_part_has_a_length


class Role(models.TextChoices):
    """The two roles of a dialog."""

    QUESTIONER = "questioner"
    ANSWERER = "answerer"


class DialogQuerySet(WorkQuerySet["Dialog"]):
    """Some dialogs."""

    def in_data(self) -> Self:
        """Return those that are whole in the data: not taken out, and withdrawn by neither of the two workers."""
        taken_out = DialogTakenOut.objects.filter(dialog=OuterRef("pk"), undone_at=None)
        return self.filter(~Exists(taken_out), ~Exists(_withdrawn_seats()))

    def withdrawn(self) -> Self:
        """Return those of which one of the two workers has withdrawn: one half cannot stand alone."""
        return self.filter(Exists(_withdrawn_seats()))

    def of_use(self) -> Self:
        """Return people's that are complete or running, or lack a summary in a study that does without it."""
        last_answer = Utterance.objects.filter(dialog=OuterRef("pk"), position=OuterRef("rounds") * 2 - 1)
        useful = Q(ended_at=None) | Q(is_complete=True)
        useful |= Q(Exists(last_answer), study__recollect_without_summary=False)
        return self.filter(useful, is_simulated=False)


def _withdrawn_seats() -> models.QuerySet["Seat"]:
    return Seat.objects.filter(dialog=OuterRef("pk"), participation__outcome=Outcome.WITHDRAWN)


class Dialog(Work):
    """Two seats and one video. Rounds and limits are frozen at pairing."""

    objects = DialogQuerySet.as_manager()
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="dialogs")
    video = models.ForeignKey(Video, on_delete=models.PROTECT, related_name="dialogs")
    is_simulated = models.BooleanField(default=False)
    rounds = models.PositiveSmallIntegerField()
    limits = models.JSONField(help_text="The limits of chat.protocol.Limits.")
    times = models.JSONField(default=dict, help_text="The times of chat.protocol.Times, in seconds.")
    version = models.PositiveIntegerField(default=1, help_text="Counts visible changes; pairing is the first.")
    started_at = models.DateTimeField()
    turn_due_at = models.DateTimeField(null=True, blank=True, help_text="When the turn, or the summary, is over.")
    turn_latest_at = models.DateTimeField(null=True, blank=True, help_text="Until when typing may extend the turn.")
    due_at = models.DateTimeField(null=True, blank=True, help_text="When the round in progress becomes the last.")
    ended_at = models.DateTimeField(null=True, blank=True)
    is_complete = models.BooleanField(default=False, help_text="All rounds and the summary are there.")
    ended_why = models.CharField(max_length=20, blank=True, help_text="An Outcome, that of the seat that ended it.")
    origin = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="What its file said, if imported; such a dialog has no seats.",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, ended_why="", is_complete=False)
                | (Q(ended_at__isnull=False) & ~Q(ended_why="")),
                name="an_ended_dialog_says_why",
            )
        ]
        indexes = [
            models.Index(fields=["study", "video"]),
            models.Index(fields=["study"], condition=Q(ended_at__isnull=True), name="open_dialogs"),
            models.Index(fields=["turn_due_at"], condition=Q(ended_at__isnull=True), name="turns_due"),
            models.Index(fields=["due_at"], condition=Q(ended_at__isnull=True), name="dialogs_due"),
        ]

    def __str__(self) -> str:
        return f"dialog {self.pk}"

    def counted_in(self) -> tuple[int, int]:
        """Return the ids of the study and the video for which it is counted."""
        return self.study_id, self.video_id


class DialogTakenOut(TakenOut):
    """That a person took a dialog out of the data."""

    dialog = models.ForeignKey(Dialog, on_delete=models.PROTECT, related_name="taken_out")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["dialog"], condition=Q(undone_at__isnull=True), name="a_dialog_is_taken_out_once"
            )
        ]


class SeatState(models.TextChoices):
    """Where a seat is in its life."""

    WAITING = "waiting"
    PAIRED = "paired"
    CHOOSING = "choosing"
    CLOSED = "closed"


class Seat(models.Model):
    """A worker's place in the waiting room or a dialog; ``choosing`` when the partner is gone and they decide.

    ``process`` names the process that holds its socket, ``connection`` the newest socket; both empty when there is
    none. A page that polls has a connection, no process, and ``polled_at``. ``number`` counts the seats of a
    participation and stands in media links.
    """

    participation = models.ForeignKey(Participation, on_delete=models.PROTECT, related_name="seats")
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="seats")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="seats")
    number = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=8, choices=SeatState.choices, default=SeatState.WAITING)
    dialog = models.ForeignKey(Dialog, on_delete=models.PROTECT, null=True, blank=True, related_name="seats")
    role = models.CharField(max_length=10, choices=Role.choices, blank=True)
    is_simulated = models.BooleanField(default=False)
    rules_digest = models.CharField(max_length=64, help_text="What partners must agree on; see StudyVersion.")
    process = models.CharField(max_length=40, blank=True, db_index=True)
    connection = models.CharField(max_length=40, blank=True)
    polled_at = models.DateTimeField(null=True, blank=True)
    away_since = models.DateTimeField(null=True, blank=True, help_text="Since when no socket holds the seat.")
    left_alone_why = models.CharField(max_length=20, choices=Why.choices, blank=True)
    is_first_in_line = models.BooleanField(default=False, help_text="Has lost a partner and waits for another.")
    entered_at = models.DateTimeField()
    due_at = models.DateTimeField(
        null=True, blank=True, help_text="When what the seat is in may or does end: the wait, the grace, the choice."
    )
    paired_at = models.DateTimeField(null=True, blank=True)
    watched_at = models.DateTimeField(null=True, blank=True, help_text="When the video had played to its end once.")
    watched = models.JSONField(default=list, blank=True, help_text="Played ranges as [start, end] in seconds.")
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participation", "number"], name="one_seat_a_number"),
            models.UniqueConstraint(
                fields=["participation"], condition=~Q(state="closed"), name="one_open_seat_a_participation"
            ),
            models.UniqueConstraint(
                fields=["worker", "study"], condition=~Q(state="closed"), name="one_open_seat_a_worker_and_study"
            ),
            models.UniqueConstraint(
                fields=["dialog", "role"], condition=Q(dialog__isnull=False), name="one_seat_a_role"
            ),
            models.UniqueConstraint(
                fields=["dialog", "worker"], condition=Q(dialog__isnull=False), name="nobody_talks_to_themselves"
            ),
            models.CheckConstraint(
                condition=Q(dialog__isnull=True, role="") | (Q(dialog__isnull=False) & ~Q(role="")),
                name="a_role_comes_with_a_dialog",
            ),
            models.CheckConstraint(
                condition=~Q(state="paired") | Q(dialog__isnull=False), name="a_paired_seat_has_a_dialog"
            ),
        ]
        indexes = [
            models.Index(fields=["study", "entered_at"], condition=Q(state="waiting"), name="waiting_room"),
            models.Index(fields=["due_at"], condition=~Q(state="closed"), name="seats_due"),
            models.Index(fields=["away_since"], condition=~Q(state="closed"), name="seats_away"),
        ]

    def __str__(self) -> str:
        return f"seat {self.pk}"


class Utterance(models.Model):
    """One stored text. Its position says whose it is and what: even a question, odd an answer, the last the summary."""

    dialog = models.ForeignKey(Dialog, on_delete=models.CASCADE, related_name="utterances")
    position = models.PositiveSmallIntegerField()
    version = models.PositiveIntegerField(help_text="The dialog's version with this utterance.")
    key = models.CharField(max_length=40, help_text="Made by the sender's browser; makes resending safe.")
    text = models.TextField()
    typed_at = models.DateTimeField(null=True, blank=True, help_text="When it was sent, by the sender's clock.")
    stored_at = models.DateTimeField()
    evidence = models.JSONField(default=dict, blank=True, help_text="How it was written: pasted, typing time.")

    class Meta:
        ordering = ["dialog", "position"]
        constraints = [
            models.UniqueConstraint(fields=["dialog", "position"], name="one_utterance_a_position"),
            models.UniqueConstraint(fields=["dialog", "key"], name="one_utterance_a_key"),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class UtteranceRedaction(Redaction):
    """A decision about a part of an utterance."""

    utterance = models.ForeignKey(Utterance, on_delete=models.CASCADE, related_name="redactions")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            a_part_has_a_length("a_part_of_an_utterance"),
            models.UniqueConstraint(
                fields=["utterance", "start", "end"],
                condition=Q(undone_at__isnull=True),
                name="one_decision_a_part_of_an_utterance",
            ),
        ]


class DialogEvent(models.Model):
    """What happened in a dialog that is no utterance: watched, lost, returned, left, reported, ran out of time."""

    dialog = models.ForeignKey(Dialog, on_delete=models.CASCADE, related_name="events")
    version = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, null=True, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["dialog", "version"]
        constraints = [models.UniqueConstraint(fields=["dialog", "version"], name="one_event_a_version")]

    def __str__(self) -> str:
        return f"{self.kind} in dialog {self.dialog_id}"


class About(models.TextChoices):
    """What a report is about."""

    PARTNER = "partner"
    VIDEO = "video"


class Report(models.Model):
    """What a worker reported. It blames nobody until a person has looked."""

    dialog = models.ForeignKey(Dialog, on_delete=models.PROTECT, related_name="reports")
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="reports", help_text="Who reported.")
    about = models.CharField(max_length=7, choices=About.choices)
    reason = models.CharField(max_length=20)
    at = models.DateTimeField()
    looked_at = models.DateTimeField(null=True, blank=True, help_text="When a person had looked at it.")
    note = models.TextField(blank=True, help_text="What came of it.")

    def __str__(self) -> str:
        return f"{self.get_about_display()}: {self.reason.replace('_', ' ')}"


class Sweep(models.Model):
    """When deadlines were last swept, by any process: one row. A gap is our downtime, and nobody's fault."""

    swept_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"swept at {self.swept_at}"


class ProcessLease(models.Model):
    """A web process that is alive: it renews its row every 5 seconds; an old row means it was killed."""

    process = models.CharField(max_length=40, primary_key=True)
    renewed_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.process
