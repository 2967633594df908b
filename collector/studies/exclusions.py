"""Who is not to take part any more? Kept from a study or a collection by a person with a reason; undone as easily.

It is asked at admission, for workers of every marketplace; what a marketplace has to be told follows from it.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models, transaction
from django.db.models import Q, QuerySet

from collector.lib import clock


class CannotExclude(Exception):
    """Why somebody was not excluded, in a sentence."""


class Exclusion(models.Model):
    """A worker who is not to take part in a study, or in all of a collection; undone, it stays as history."""

    worker = models.ForeignKey("studies.Worker", on_delete=models.PROTECT, related_name="exclusions")
    study = models.ForeignKey("studies.Study", on_delete=models.CASCADE, null=True, blank=True)
    collection = models.ForeignKey("studies.Collection", on_delete=models.CASCADE, null=True, blank=True)
    reason = models.CharField(max_length=300, help_text="The worker does not read it.")
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(study__isnull=True, collection__isnull=False)
                | Q(study__isnull=False, collection__isnull=True),
                name="an_exclusion_is_from_one_thing",
            ),
            models.UniqueConstraint(
                fields=["worker", "study"], condition=Q(ended_at__isnull=True), name="one_exclusion_a_study"
            ),
            models.UniqueConstraint(
                fields=["worker", "collection"], condition=Q(ended_at__isnull=True), name="one_exclusion_a_collection"
            ),
        ]

    def __str__(self) -> str:
        return f"worker {self.worker_id}, not in {self.study or self.collection}"


def standing(study_id: int, collection_id: int) -> QuerySet[Exclusion]:
    """Return the exclusions that keep workers from a study now."""
    return Exclusion.objects.filter(Q(study=study_id) | Q(collection=collection_id), ended_at=None)


def exclude(worker_id: int, reason: str, who: User, *, study: int | None = None, collection: int | None = None) -> None:
    """Keep a worker from a study or a collection; who is inside may finish. Raises CannotExclude without a reason."""
    if not reason.strip():
        raise CannotExclude("Say why, for those who come after you.")
    if (study is None) == (collection is None):
        raise CannotExclude("Choose a study or a collection.")
    target: dict[str, Any] = {"study_id": study} if study is not None else {"collection_id": collection}
    with transaction.atomic():
        Exclusion.objects.get_or_create(
            worker_id=worker_id, ended_at=None, **target,
            defaults={"reason": reason.strip()[:300], "who": who, "at": clock.now()},
        )  # fmt: skip


def include(pk: int, who: User) -> bool:
    """End an exclusion; False when it had ended."""
    return bool(Exclusion.objects.filter(pk=pk, ended_at=None).update(ended_at=clock.now(), ended_by=who))
