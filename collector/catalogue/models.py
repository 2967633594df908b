"""What videos do we have? A Video, the Script it was acted from, and three Frames of it.

The script stands in its own table so that no query for what a Questioner sees can bring it along.
"""

from django.core.validators import RegexValidator
from django.db import models


class Split(models.TextChoices):
    """The part of a dataset a video belongs to."""

    TRAIN = "train"
    VAL = "val"
    TEST = "test"


class Video(models.Model):
    """One video file with what is known about it.

    ``length`` is the seconds a source file claims, ``duration`` the seconds measured. The stored file name is random
    and says nothing about the video. ``scene`` is the description a rendered sample was made from, else null.
    """

    image_id = models.CharField(
        "id",
        max_length=64,
        unique=True,
        validators=[RegexValidator(r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", "Letters, digits, '_', '-' and '.' only.")],
        help_text="The dataset's name for the video; exports call it image_id.",
    )
    split = models.CharField(max_length=5, choices=Split.choices, blank=True, db_index=True)
    file = models.FileField(upload_to="videos", max_length=200)
    checksum = models.CharField(max_length=64, help_text="SHA-256 of the file, hexadecimal.")
    original_checksum = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the file it was converted from; empty where it is as it came."
    )
    transcoding = models.JSONField(default=dict, blank=True, help_text="How it was converted.")
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    length = models.FloatField(null=True, blank=True, help_text="Seconds, as the source says.")
    duration = models.FloatField(help_text="Seconds, as measured.")
    width = models.PositiveIntegerField(help_text="Pixels, as shown (after rotation).")
    height = models.PositiveIntegerField(help_text="Pixels, as shown (after rotation).")
    rotation = models.SmallIntegerField(default=0, help_text="Degrees clockwise that a player turns the picture.")
    has_sound = models.BooleanField(help_text="It has an audio track that is not silent.")
    is_silent = models.BooleanField(default=False, help_text="It has an audio track, and the track is silent.")
    video_codec = models.CharField(max_length=32)
    audio_codec = models.CharField(max_length=32, blank=True)
    is_playable = models.BooleanField(help_text="Browsers can play it as it is.")
    playable_note = models.CharField(max_length=300, blank=True, help_text="Why not, and what to do.")
    licence = models.CharField(max_length=100, blank=True)
    is_publishable = models.BooleanField(default=False, help_text="The video itself may be passed on.")
    is_held = models.BooleanField(
        "held", default=False, help_text="Reported by two workers or more; given to nobody until released."
    )
    metadata = models.JSONField(default=dict, blank=True, help_text="What else the source said, as it said it.")
    scene = models.JSONField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["image_id"]

    def __str__(self) -> str:
        return self.image_id


class Script(models.Model):
    """The text a video was acted from; only Answerers see it."""

    video = models.OneToOneField(Video, on_delete=models.CASCADE, related_name="script")
    text = models.TextField()

    def __str__(self) -> str:
        return self.text[:80]


class Frame(models.Model):
    """A still of a video: slot 1 is the beginning, 2 the middle, 3 the end. JPEG, at most 960 pixels wide."""

    video = models.ForeignKey(Video, on_delete=models.CASCADE, related_name="frames")
    slot = models.PositiveSmallIntegerField()
    file = models.FileField(upload_to="frames", max_length=200)
    seconds = models.FloatField(help_text="Where in the video, from its start.")
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()

    class Meta:
        ordering = ["video", "slot"]
        constraints = [
            models.UniqueConstraint(fields=["video", "slot"], name="one_frame_a_slot"),
            models.CheckConstraint(condition=models.Q(slot__gte=1, slot__lte=3), name="frame_slot_is_1_to_3"),
        ]

    def __str__(self) -> str:
        return f"{self.video_id}, frame {self.slot}"
