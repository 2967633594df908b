"""When was what removed that had been kept long enough?"""

from django.db import models


class Removal(models.Model):
    """One run, and how many rows went by each rule."""

    at = models.DateTimeField()
    removed = models.JSONField(help_text="Rows by the key of the rule.")

    class Meta:
        get_latest_by = "at"

    def __str__(self) -> str:
        return f"removal at {self.at}"
