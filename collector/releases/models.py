"""What was released? The work that each bundle held, so that it can be said which of it has left the data since."""

from django.conf import settings
from django.db import models
from django.db.models import QuerySet

from chat.models import Dialog
from collector.studies.models import Study
from collector.summaries.models import Viewing


class Release(models.Model):
    """A bundle that was made, and what it holds. Its row comes first: what is written is what the row holds."""

    name = models.CharField(max_length=200, help_text="The title of the dataset.")
    edition = models.CharField(max_length=40)
    studies = models.ManyToManyField(Study, related_name="releases")
    formats = models.JSONField(default=list)
    made_at = models.DateTimeField()
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True)
    sha256 = models.CharField(
        "SHA-256 of SHA256SUMS", max_length=64, blank=True, help_text="Names the bundle; empty: it was never finished."
    )
    dialogs = models.ManyToManyField(Dialog, related_name="releases")
    viewings = models.ManyToManyField(
        Viewing, related_name="releases", help_text="Those whose summaries or marks it holds."
    )

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name}, {self.edition}"

    def dialogs_left(self) -> "QuerySet[Dialog]":
        """Return the dialogs of this release that have left the data since: withdrawn, or taken out."""
        return self.dialogs.exclude(pk__in=Dialog.objects.in_data())

    def viewings_left(self) -> "QuerySet[Viewing]":
        """Return the viewings of this release that have left the data since."""
        return self.viewings.exclude(pk__in=Viewing.objects.in_data())
