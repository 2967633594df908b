"""The log: who did what, when, to what, from which page. Lines are written once and never changed."""

from typing import Any, NoReturn

from django.conf import settings
from django.db import models

from collector.accounts.roles import Deed


class Kept(TypeError):
    """Somebody tried to change or delete what is kept for ever."""

    def __init__(self) -> None:
        super().__init__("The log is only added to.")


class LogQuerySet(models.QuerySet["LogLine"]):
    """Reads and adds, nothing else."""

    def update(self, **changes: Any) -> NoReturn:
        """Refuse."""
        raise Kept

    def delete(self) -> NoReturn:
        """Refuse."""
        raise Kept


class LogLine(models.Model):
    """One deed of one person. It says what it was about in words and numbers, so that nothing it names must stay."""

    at = models.DateTimeField()
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    """Nobody: a command, or somebody who did not sign in."""
    role = models.CharField(max_length=10, blank=True, help_text="What they were then.")
    deed = models.CharField(max_length=24)
    what = models.CharField(max_length=200, help_text="What it was done to; a worker by number.")
    study = models.PositiveBigIntegerField(null=True, help_text="The study's number, where it was about one.")
    page = models.CharField(max_length=200, help_text="The path of the page it was done on, or the command.")
    said = models.CharField(max_length=500, blank=True, help_text="What more there is to say, such as the reason.")

    objects = LogQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=[name, "id"]) for name in ("who", "deed", "study")]

    def __str__(self) -> str:
        return f"{self.deed}: {self.what}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add it; refuse to change it."""
        if not self._state.adding:
            raise Kept
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse."""
        raise Kept

    @property
    def label(self) -> str:
        """The deed in words; as it was written where the word is no longer in use."""
        return Deed(self.deed).label if self.deed in Deed.values else self.deed
