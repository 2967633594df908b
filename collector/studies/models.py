"""What is asked, of whom, about which videos, and who took part?

Collection over Study over Participation; the other models say what was agreed, seen and met. The rules about them are
in ``admission``, ``exclusions``, ``versions`` and ``outcomes``; the fields frozen into versions in ``frozen``.
"""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q

from collector.catalogue.models import Split, Video
from collector.lib import words
from collector.lib.sealed import Digest, Sealed, SealedJSON
from collector.studies import defaults
from collector.studies.exclusions import Exclusion as Exclusion
from collector.studies.frozen import FrozenFields
from collector.studies.frozen import Kind as Kind
from collector.studies.kept import KeptVersion as KeptVersion


class Collection(models.Model):
    """The studies of one dataset; cap, videos seen and partners met hold over all of them."""

    name = models.CharField(max_length=100, unique=True)
    cap = models.PositiveIntegerField("completed dialogs a worker", default=200)

    def __str__(self) -> str:
        return self.name


class State(models.TextChoices):
    """Where a study is in its life."""

    DRAFT = "draft"
    OPEN = "open"
    DRAIN = "drain", "Draining"
    PAUSED = "paused"
    CLOSED = "closed"


def _plainly(value: Any) -> Any:
    """Return a value as it can be compared: a form gives a text back with other line ends, and without the last."""
    return value.split() if isinstance(value, str) else value


class Study(FrozenFields):
    """What a researcher asks for. What each field does is said in ``forms``."""

    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="studies")
    name = models.CharField(max_length=100, unique=True)
    slug = models.SlugField(unique=True)
    state = models.CharField(max_length=6, choices=State.choices, default=State.DRAFT)
    split = models.CharField(max_length=5, choices=Split.choices, blank=True)
    videos_of = models.ForeignKey(
        "self",
        verbose_name="videos of the study",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    example = models.ForeignKey(
        Video,
        verbose_name="example video",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    dialogs_per_video = models.PositiveIntegerField(
        "dialogs, or summaries, a video; or people an item",
        default=1,
        null=True,
        blank=True,
    )
    not_after = models.ManyToManyField(
        "self",
        verbose_name="not for who took part in",
        symmetrical=False,
        blank=True,
    )
    recollect_without_summary = models.BooleanField(
        "collect again when the summary is missing",
        default=True,
    )
    completion_code = models.CharField(max_length=40, blank=True)
    completion_url = models.URLField(blank=True)
    word_lists = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "studies"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_running(self) -> bool:
        """Whether who is inside may begin, meet and go on; a draining study does that, and lets nobody new in."""
        return self.state in (State.OPEN, State.DRAIN)

    def runs_for(self, *, simulated: bool) -> bool:
        """Whether people, or programs, may go on in it: a draft is rehearsed by programs before anybody is let in."""
        return self.is_running or (simulated and self.state == State.DRAFT)

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store it with the texts that its choices bring."""
        self.take_on_choices()
        super().save(*args, **kwargs)

    def take_on_choices(self) -> None:
        """Give a new study what its kind has, and a study with one frame the texts that say so."""
        self._take_on_kind()
        self._fit_texts_to_frames()

    def _take_on_kind(self) -> None:
        """Give a new study of another kind or language its own texts and numbers where it has those of a dialog."""
        if not self._state.adding:
            return
        plain = {field.name: field.get_default() for field in self._meta.fields}
        for name, value in defaults.of(self.kind, self.language).items():
            unwritten = (plain[name], defaults.OF_KIND.get(self.kind, {}).get(name))
            if _plainly(getattr(self, name)) in map(_plainly, unwritten):
                setattr(self, name, value)

    def _fit_texts_to_frames(self) -> None:
        """Have instructions that nobody has changed speak of as many frames as are shown."""
        for name, of_one, of_three in defaults.OF_FRAMES:
            if _plainly(getattr(self, name)) in (_plainly(of_one), _plainly(of_three)):
                setattr(self, name, of_one if self.frames_shown == 1 else of_three)

    def clean(self) -> None:
        """Refuse bad word lists, and another kind once the study is made: its texts, pages and pay follow from it.

        The videos of a relevance study come with its items, each for so many people.
        """
        before = Study.objects.filter(pk=self.pk).values_list("kind", flat=True).first()
        if before not in (None, self.kind):
            raise ValidationError({"kind": f"This study is of the kind {before}, and stays so. Make another study."})
        try:
            words.word_lists(self.word_lists)
        except words.BadWords as error:
            raise ValidationError({"word_lists": str(error)}) from error
        super().clean()
        if self.kind == Kind.RELEVANCE:
            self._check_relevance()

    def _check_relevance(self) -> None:
        for name in ("split", "videos_of"):
            if getattr(self, name):
                raise ValidationError(
                    {name: "The videos of a relevance study come with its items (make_relevance_items)."}
                )
        if not self.dialogs_per_video:
            raise ValidationError({"dialogs_per_video": "Say how many people judge an item, such as 4."})


class StudyVersion(models.Model):
    """The frozen fields of a study as workers saw them. Never changed."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    content = models.JSONField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the content.")
    rules_digest = models.CharField(max_length=64, help_text="SHA-256 of what two partners must agree on.")
    consent_digest = models.CharField(max_length=64, help_text="SHA-256 of the consent text as shown.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="one_version_a_number"),
            models.UniqueConstraint(fields=["study", "digest"], name="one_version_a_content"),
        ]

    def __str__(self) -> str:
        return f"{self.study}, version {self.number}"


class StudyVideo(models.Model):
    """A video of a study, and how many dialogs about it, or summaries of it, were started."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="study_videos")
    video = models.ForeignKey(Video, on_delete=models.PROTECT, related_name="study_videos")
    wanted = models.PositiveIntegerField(null=True, blank=True)
    started = models.PositiveIntegerField(default=0)
    is_held = models.BooleanField("held", default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "video"], name="one_row_a_study_and_video"),
            models.CheckConstraint(
                condition=Q(wanted__isnull=True) | Q(started__lte=F("wanted")), name="no_video_over_its_number"
            ),
        ]
        indexes = [models.Index(fields=["study", "started"])]

    def __str__(self) -> str:
        return f"{self.video_id} in {self.study_id}"


class Worker(models.Model):
    """A person on a marketplace. ``external_id`` is personal data: it leaves only as a pseudonym, and is kept sealed.

    It is empty once it was removed, since it was kept long enough or the person asked for it.
    """

    marketplace = models.CharField(max_length=20)
    environment = models.CharField(max_length=20)
    external_id = Sealed(by="external_digest", blank=True)
    external_digest = Digest(of="external_id")
    is_simulated = models.BooleanField(default=False, help_text="A program; it meets only its kind.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["marketplace", "environment", "external_digest"],
                condition=~Q(external_digest=""),
                name="one_worker_a_marketplace_identity",
            )
        ]
        indexes = [models.Index(fields=["external_digest"], name="workers_by_their_id")]

    def __str__(self) -> str:
        return f"worker {self.pk}"

    @property
    def is_forgotten(self) -> bool:
        """Whether their id was removed: nobody can write to them, pay them or know them again."""
        return not self.external_digest

    @property
    def participant(self) -> str:
        """What the invitation link calls them; empty for who came from a marketplace."""
        return self.external_id if self.marketplace == "link" else ""


class Outcome(models.TextChoices):
    """How a participation ended."""

    COMPLETE = "complete"
    PARTNER_LEFT = "partner_left"
    LEFT = "left"
    TIMED_OUT = "timed_out"
    NO_PARTNER = "no_partner"
    STUDY_ENDED = "study_ended"
    SCREENED_OUT = "screened_out"
    TECHNICAL_FAILURE = "technical_failure"
    WITHDRAWN = "withdrawn"


class Why(models.TextChoices):
    """What lay behind an outcome, where the outcome alone does not say it."""

    PARTNER_GONE = "partner_gone", "the partner left or lost the connection"
    PARTNER_LEFT = "partner_left", "the partner left"
    PARTNER_LOST = "partner_lost", "the partner's connection was lost for longer than the grace"
    PARTNER_IDLE = "partner_idle", "the partner wrote nothing for too long"
    CONNECTION_LOST = "connection_lost", "the worker's connection was lost for longer than the grace"
    TURN_OVER = "turn_over", "nothing was written within the time of a turn"
    SUMMARY_OVER = "summary_over", "no summary was written within its time"
    DIALOG_OVER = "dialog_over", "the time of the whole dialog was over"
    PARTNER_REPORTED = "partner_reported", "somebody reported the partner"
    VIDEO_REPORTED = "video_reported", "somebody reported the video"
    STUDY_PAUSED = "study_paused", "the study was paused"
    STUDY_CLOSED = "study_closed", "the study was closed"
    NO_VIDEO_LEFT = "no_video_left", "all dialogs that were wanted are there"
    ALL_SEEN = "all_seen", "the worker has seen every video that is left"
    DEVICE_FAILED = "device_failed", "the check of the device was not passed"
    QUIZ_FAILED = "quiz_failed", "the quiz was not passed"
    NEVER_CAME = "never_came", "the worker did not come, or did not come back, to the waiting room"


class Fault(models.TextChoices):
    """Whose doing an end was."""

    NOBODY = "nobody"
    WORKER = "worker"
    PARTNER = "partner"
    US = "us"


class Participation(models.Model):
    """One attempt of one Worker at one Study, from confirmed consent to one Outcome.

    It carries all that pay depends on, written in the transaction that ends it.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="participations")
    version = models.ForeignKey(StudyVersion, on_delete=models.PROTECT)
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="participations")
    is_simulated = models.BooleanField(default=False)
    generation = models.PositiveIntegerField(default=1, help_text="Raised to make older tokens invalid.")
    consent_digest = models.CharField(max_length=64)
    kept = models.ForeignKey(
        KeptVersion, on_delete=models.PROTECT, null=True, related_name="+",
        help_text="What was said to be kept, as it could be read before consent.",
    )  # fmt: skip
    entry = SealedJSON(default=dict, blank=True, help_text="What the marketplace said on the way in.")
    network = models.CharField(
        max_length=32, blank=True, help_text="A keyed hash of the address they joined from; see collector.lib.networks."
    )
    arrived_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(help_text="Consent and instructions confirmed.")
    is_learning = models.BooleanField(
        default=False, help_text="Still at what comes before the task: device check, practice or quiz."
    )
    started_at = models.DateTimeField(null=True, blank=True, help_text="First paired.")
    ended_at = models.DateTimeField(null=True, blank=True)
    waited_seconds = models.PositiveIntegerField(default=0, help_text="In all: of every wait for a partner.")
    rounds_done = models.PositiveSmallIntegerField(
        default=0,
        help_text="Rounds with both texts, in all dialogs; in a summary study 1 for watching, 1 for writing; in a "
        "relevance study 1 for watching, 1 for each page.",
    )
    wrote_summary = models.BooleanField(default=False)
    outcome = models.CharField(max_length=20, choices=Outcome.choices, blank=True)
    fault = models.CharField(max_length=10, choices=Fault.choices, blank=True)
    why = models.CharField(max_length=20, choices=Why.choices, blank=True)
    reason = models.CharField(max_length=20, blank=True, help_text="What a worker who left gave as the reason.")
    completion_code = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["worker", "study"], condition=Q(ended_at__isnull=True), name="one_open_participation"
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, outcome="") | (Q(ended_at__isnull=False) & ~Q(outcome="")),
                name="an_ended_participation_has_an_outcome",
            ),
        ]
        indexes = [models.Index(fields=["study", "outcome"])]

    def __str__(self) -> str:
        return f"participation {self.pk}"


class SeenVideo(models.Model):
    """A worker has seen a video (or its frames) in a collection, and is not given it again."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE)
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE)
    video = models.ForeignKey(Video, on_delete=models.CASCADE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "worker", "video"], name="one_row_a_seen_video")]

    def __str__(self) -> str:
        return f"worker {self.worker_id}, video {self.video_id}"


class MetPartner(models.Model):
    """Two workers have met in a collection; the smaller id comes first."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE)
    first = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="+")
    second = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "first", "second"], name="one_row_a_met_pair"),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="the_smaller_id_comes_first"),
        ]

    def __str__(self) -> str:
        return f"workers {self.first_id} and {self.second_id}"
