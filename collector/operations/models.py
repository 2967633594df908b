"""Who was heard of last? A row for each kind of background process."""

from django.db import models


class Pulse(models.Model):
    """The last sign of life of one kind of process: one row, overwritten."""

    name = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at}"
