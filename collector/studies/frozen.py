"""What of a study are workers shown and promised? The fields that are frozen into its versions."""

from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from collector.catalogue.models import Video
from collector.studies import defaults, quizzes


class Kind(models.TextChoices):
    """What the workers of a study do; ``kinds`` says what follows from it."""

    DIALOG = "dialog"
    SUMMARY = "summary"
    RELEVANCE = "relevance"


def _money(help_text: str, name: str | None = None, default: str = "0") -> "models.DecimalField[Decimal, Decimal]":
    """Return a field for an amount in US dollars."""
    return models.DecimalField(
        name, max_digits=6, decimal_places=2, default=Decimal(default), validators=[MinValueValidator(0)],
        help_text=help_text,
    )  # fmt: skip


def check_quiz(text: str) -> None:
    """Refuse a quiz that cannot be asked, in words."""
    try:
        quizzes.parse(text)
    except quizzes.BadQuiz as bad:
        raise ValidationError(str(bad)) from None


class FrozenFields(models.Model):
    """What workers were shown and promised. Edited after the first participation, it becomes a new version."""

    kind = models.CharField(
        max_length=10,
        choices=Kind.choices,
        default=Kind.DIALOG,
        help_text="Summary: one worker watches a video and writes down what happens. Relevance: one worker watches a "
        "video and marks which of 100 answers to a question are correct. It stays as it is made.",
    )
    rounds = models.PositiveSmallIntegerField(
        default=10, validators=[MinValueValidator(1), MaxValueValidator(50)], help_text="Questions with their answers."
    )
    language = models.CharField(max_length=20, default="en", help_text="A BCP 47 tag, such as en, es-MX, ja.")
    title = models.CharField(max_length=120, default=defaults.TITLE)
    instructions = models.TextField("instructions for everyone", default=defaults.INSTRUCTIONS, help_text="Markdown.")
    questioner_instructions = models.TextField(default=defaults.QUESTIONER, help_text="Markdown.")
    answerer_instructions = models.TextField(default=defaults.ANSWERER, help_text="Markdown.")
    summary_instructions = models.TextField(
        default=defaults.SUMMARY, help_text="Markdown. In a relevance study: when an answer counts as correct."
    )
    device_check = models.BooleanField(
        "check the device",
        default=False,
        help_text="Before the first task of a day: sound, video, size of the window, connection. A few seconds.",
    )
    practice = models.BooleanField(
        default=False,
        help_text="Before a worker's first dialog: three steps, then a round in each role with a program. In English.",
    )
    quiz = models.TextField(
        blank=True,
        validators=[check_quiz],
        help_text="Before the first task. A question on a line of its own; below it its options, each after -, the "
        "right one after *. Empty: none.",
    )
    quiz_least_right = models.PositiveSmallIntegerField(
        "right answers needed",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="To pass the quiz. Empty: all of them.",
    )
    quiz_tries = models.PositiveSmallIntegerField(
        "tries at the quiz", default=2, validators=[MinValueValidator(1), MaxValueValidator(10)]
    )
    answerer_sees_script = models.BooleanField(default=True)
    least_question_words = models.PositiveSmallIntegerField(default=2)
    least_answer_words = models.PositiveSmallIntegerField(default=5)
    least_summary_words = models.PositiveSmallIntegerField(default=8)
    longest_text = models.PositiveSmallIntegerField(
        default=500, validators=[MinValueValidator(20), MaxValueValidator(5000)], help_text="Code points."
    )
    longest_summary = models.PositiveSmallIntegerField(
        default=2000, validators=[MinValueValidator(20), MaxValueValidator(10000)], help_text="Code points."
    )
    longest_wait_minutes = models.PositiveSmallIntegerField(
        "longest wait (minutes)",
        default=6,
        validators=[MinValueValidator(1), MaxValueValidator(60)],
        help_text="Then a worker may end as no_partner, paid, or go on waiting.",
    )
    no_partner_a_day = models.PositiveSmallIntegerField(
        "no_partner ends a worker and day",
        default=3,
        help_text="Beyond it a worker comes in only while somebody waits.",
    )
    grace_seconds = models.PositiveSmallIntegerField(
        "grace for a lost partner (seconds)", default=60, validators=[MinValueValidator(10), MaxValueValidator(1800)]
    )
    grace_rounds = models.PositiveSmallIntegerField(
        "rounds with the short grace", default=3, help_text="After this round the long grace holds."
    )
    long_grace_seconds = models.PositiveSmallIntegerField(
        "long grace (seconds)",
        default=180,
        validators=[MinValueValidator(10), MaxValueValidator(1800)],
        help_text="The partner who stayed may end after the short one, paid.",
    )
    turn_minutes = models.PositiveSmallIntegerField(
        "minutes a turn", default=5, validators=[MinValueValidator(1), MaxValueValidator(60)]
    )
    nudge_minutes = models.PositiveSmallIntegerField(
        "nudge after (minutes)", default=2, help_text="The page asks the worker to write."
    )
    typing_minutes = models.PositiveSmallIntegerField(
        "more while typing (minutes)", default=2, help_text="By so much at most a turn is extended while it is typed."
    )
    summary_minutes = models.PositiveSmallIntegerField(
        "minutes for the summary", default=15, validators=[MinValueValidator(1), MaxValueValidator(120)]
    )
    dialog_minutes = models.PositiveSmallIntegerField(
        "minutes a dialog",
        default=60,
        validators=[MinValueValidator(2), MaxValueValidator(600)],
        help_text="Then the round in progress ends it: incomplete, both paid in full.",
    )
    dialog_warning_minutes = models.PositiveSmallIntegerField("warned at (minutes)", default=50)
    keeps_evidence = models.BooleanField(
        "keep how texts were written",
        default=True,
        help_text="Typing times, pastes and their lengths, focus losses, corrections: counts, never unsent text. "
        "Whether both workers of a dialog came from one network address.",
    )
    reward = _money("Paid for a complete dialog, and when the partner or we fail.")
    summary_bonus = _money("On top for the Questioner, whose summary is more to write.")
    waiting_pay = _money("For each minute of waiting after the first.", "waiting pay a minute")
    ending_pay = _money("When no partner came, or the study ended.", "pay for coming in vain")
    screening_pay = _money(
        "When the device check or the quiz is not passed. Only in a study that pays for something else, too.",
        "pay for being screened out",
        "0.10",
    )
    pay_note = models.CharField(
        "what else workers get",
        max_length=200,
        blank=True,
        help_text="For a dialog, where somebody else pays; a sentence such as: Your course counts it as one hour.",
    )
    minutes = models.PositiveSmallIntegerField("expected minutes", default=15)
    institution = models.CharField(max_length=200, blank=True)
    protocol_number = models.CharField("ethics protocol", max_length=100, blank=True)
    researcher = models.CharField("researcher and contact", max_length=200, blank=True)
    purpose = models.TextField(default=defaults.PURPOSE)
    risks = models.TextField(default=defaults.RISKS)
    text_licence = models.CharField(max_length=100, default="CC BY 4.0", help_text="The texts are published under it.")
    content_warning = models.TextField(blank=True)
    withdrawal_days = models.PositiveSmallIntegerField(
        "days to withdraw",
        default=14,
        validators=[MaxValueValidator(3650)],
        help_text="So long after the end workers can withdraw by themselves, on the last page; 0: only by writing to "
        "the researcher, who can record it at any time.",
    )

    class Meta:
        abstract = True

    def clean(self) -> None:
        """Refuse a quiz that nobody could pass, and a practice that could not take place."""
        self._check_pass_mark()
        if self.practice and self.kind == Kind.DIALOG:
            self._check_practice()

    def _check_pass_mark(self) -> None:
        try:
            asked = len(quizzes.parse(self.quiz))
        except quizzes.BadQuiz:
            return  # the field has said so
        if asked and self.quiz_least_right is not None and self.quiz_least_right > asked:
            wrong = (
                f"The quiz has {asked} questions, so {self.quiz_least_right} cannot be right. Ask for {asked} or fewer."
            )
            raise ValidationError({"quiz_least_right": wrong})

    def _check_practice(self) -> None:
        if self.language.split("-")[0].lower() != "en":
            raise ValidationError(
                {"practice": "The program that one practises with speaks English only. Switch it off."}
            )
        if not Video.objects.filter(scene__isnull=False).exists():
            raise ValidationError({"practice": "There is no sample scene to practise on. Run manage.py load_samples."})
