"""Who was heard of last, what was answered lately, and which alarms stand? A few rows, overwritten or soon deleted."""

from django.db import models


class Pulse(models.Model):
    """The last sign of life of one kind of process: one row, overwritten."""

    name = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at}"


class Minute(models.Model):
    """What all web processes answered within a minute. Days later it is deleted."""

    at = models.DateTimeField(primary_key=True)
    pages = models.PositiveIntegerField(default=0)
    errors = models.PositiveIntegerField(default=0, help_text="Of the pages, those answered with 5xx.")
    texts = models.PositiveIntegerField(default=0)
    busy = models.PositiveIntegerField(default=0, help_text="Texts put off because the process was busy.")

    def __str__(self) -> str:
        return f"{self.pages} pages at {self.at}"


class Raised(models.Model):
    """An alarm that stands, or did until shortly; deleted when its end was told."""

    key = models.CharField(max_length=80, primary_key=True)
    sentence = models.CharField(max_length=500, help_text="As it was when it was seen last.")
    since = models.DateTimeField()
    seen_at = models.DateTimeField()
    mailed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.sentence
