"""What of a study are workers shown and promised? The fields that are frozen into its versions."""

from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from collector.catalogue.models import Video
from collector.lib import languages
from collector.studies import defaults, quizzes


class Kind(models.TextChoices):
    """What the workers of a study do; ``kinds`` says what follows from it."""

    DIALOG = "dialog"
    SUMMARY = "summary"
    RELEVANCE = "relevance"


def _money(name: str | None = None, default: str = "0") -> "models.DecimalField[Decimal, Decimal]":
    """Return a field for an amount in US dollars."""
    return models.DecimalField(
        name, max_digits=6, decimal_places=2, default=Decimal(default), validators=[MinValueValidator(0)]
    )


def check_quiz(text: str) -> None:
    """Refuse a quiz that cannot be asked, in words."""
    try:
        quizzes.parse(text)
    except quizzes.BadQuiz as bad:
        raise ValidationError(str(bad)) from None


class FrozenFields(models.Model):
    """What workers were shown and promised. Edited after the first participation, it becomes a new version.

    What each field does is said in ``forms``.
    """

    kind = models.CharField(
        max_length=10,
        choices=Kind.choices,
        default=Kind.DIALOG,
    )
    rounds = models.PositiveSmallIntegerField(default=10, validators=[MinValueValidator(1), MaxValueValidator(50)])
    language = models.CharField(max_length=20, default="en")
    title = models.CharField(max_length=120, default=defaults.TITLE)
    instructions = models.TextField("instructions for everyone", default=defaults.INSTRUCTIONS)
    questioner_instructions = models.TextField(default=defaults.QUESTIONER)
    answerer_instructions = models.TextField(default=defaults.ANSWERER)
    summary_instructions = models.TextField(default=defaults.SUMMARY)
    device_check = models.BooleanField(
        "check the device",
        default=False,
    )
    practice = models.BooleanField(
        default=False,
    )
    quiz = models.TextField(
        blank=True,
        validators=[check_quiz],
    )
    quiz_least_right = models.PositiveSmallIntegerField(
        "right answers needed",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
    )
    quiz_tries = models.PositiveSmallIntegerField(
        "tries at the quiz", default=2, validators=[MinValueValidator(1), MaxValueValidator(10)]
    )
    answerer_sees_script = models.BooleanField(default=True)
    frames_shown = models.PositiveSmallIntegerField(
        "frames the Questioner sees",
        choices=[(3, "three: beginning, middle and end"), (1, "one, from the middle")],
        default=3,
    )
    least_question_words = models.PositiveSmallIntegerField(default=2)
    least_answer_words = models.PositiveSmallIntegerField(default=5)
    least_summary_words = models.PositiveSmallIntegerField(default=8)
    longest_text = models.PositiveSmallIntegerField(
        default=500, validators=[MinValueValidator(20), MaxValueValidator(5000)]
    )
    longest_summary = models.PositiveSmallIntegerField(
        default=2000, validators=[MinValueValidator(20), MaxValueValidator(10000)]
    )
    longest_wait_minutes = models.PositiveSmallIntegerField(
        "longest wait (minutes)",
        default=6,
        validators=[MinValueValidator(1), MaxValueValidator(60)],
    )
    no_partner_a_day = models.PositiveSmallIntegerField(
        "no_partner ends a worker and day",
        default=3,
    )
    grace_seconds = models.PositiveSmallIntegerField(
        "grace for a lost partner (seconds)", default=60, validators=[MinValueValidator(10), MaxValueValidator(1800)]
    )
    grace_rounds = models.PositiveSmallIntegerField("rounds with the short grace", default=3)
    long_grace_seconds = models.PositiveSmallIntegerField(
        "long grace (seconds)",
        default=180,
        validators=[MinValueValidator(10), MaxValueValidator(1800)],
    )
    turn_minutes = models.PositiveSmallIntegerField(
        "minutes a turn", default=5, validators=[MinValueValidator(1), MaxValueValidator(60)]
    )
    nudge_minutes = models.PositiveSmallIntegerField("nudge after (minutes)", default=2)
    typing_minutes = models.PositiveSmallIntegerField("more while typing (minutes)", default=2)
    summary_minutes = models.PositiveSmallIntegerField(
        "minutes for the summary", default=15, validators=[MinValueValidator(1), MaxValueValidator(120)]
    )
    dialog_minutes = models.PositiveSmallIntegerField(
        "minutes a dialog",
        default=60,
        validators=[MinValueValidator(2), MaxValueValidator(600)],
    )
    dialog_warning_minutes = models.PositiveSmallIntegerField("warned at (minutes)", default=50)
    keeps_evidence = models.BooleanField(
        "keep how texts were written",
        default=True,
    )
    reward = _money()
    summary_bonus = _money()
    waiting_pay = _money("waiting pay a minute")
    ending_pay = _money("pay for coming in vain")
    screening_pay = _money("pay for being screened out", "0.10")
    pay_note = models.CharField(
        "what else workers get",
        max_length=200,
        blank=True,
    )
    minutes = models.PositiveSmallIntegerField("expected minutes", default=15)
    institution = models.CharField(max_length=200, blank=True)
    protocol_number = models.CharField("ethics protocol", max_length=100, blank=True)
    researcher = models.CharField("researcher and contact", max_length=200, blank=True)
    purpose = models.TextField(default=defaults.PURPOSE)
    risks = models.TextField(default=defaults.RISKS)
    text_licence = models.CharField(max_length=100, default="CC BY 4.0")
    content_warning = models.TextField(blank=True)
    withdrawal_days = models.PositiveSmallIntegerField(
        "days to withdraw",
        default=14,
        validators=[MaxValueValidator(3650)],
    )

    class Meta:
        abstract = True

    def clean(self) -> None:
        """Refuse a task without time, a quiz that nobody could pass, and a practice that could not take place."""
        if self.minutes == 0:
            raise ValidationError({"minutes": "A task takes more than no time: give 1 or more."})
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
        if languages.of(self.language).split("-")[0] != self.language.split("-")[0].lower():
            raise ValidationError(
                {"practice": f"The program that one practises with does not speak {self.language!r}. Switch it off."}
            )
        if not Video.objects.filter(scene__isnull=False).exists():
            raise ValidationError({"practice": "There is no sample scene to practise on. Run manage.py load_samples."})
