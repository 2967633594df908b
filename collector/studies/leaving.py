"""How does something leave the data, and what becomes of its video? By whom, when and why; undone, it stays as history.

A dialog, or a viewing with its summary, leaves when a person takes it out or a worker of it withdraws. Nothing is
deleted, and nobody's pay depends on it. ``in_data`` is the one answer to what has not left.
"""

from abc import abstractmethod
from typing import Any, Self, TypeVar

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models, transaction
from django.dispatch import Signal

from collector.lib import clock
from collector.studies import videos

withdrawal_changed = Signal()
"""Sent with ``participation_id`` when a worker has withdrawn, or has not after all: inside that transaction."""


class CannotLeave(Exception):
    """Why nothing was taken out, in a sentence."""


class Undoable(models.Model):
    """What was done and when; undone, it stays as history. Subclasses say by whom."""

    at = models.DateTimeField()
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class TakenOut(Undoable):
    """That a person took something out of the data. Subclasses name what, with the related name ``taken_out``."""

    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=300, help_text="No worker reads it.")

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.reason


class Work(models.Model):
    """What workers made about a video; it may leave the data."""

    is_counted = models.BooleanField(
        default=True, editable=False, help_text="One of those that StudyVideo counts as started."
    )

    class Meta:
        abstract = True

    @abstractmethod
    def counted_in(self) -> tuple[int, int]:
        """Return the ids of the study and the video for which it is counted."""


_Made = TypeVar("_Made", bound=Work)


class WorkQuerySet(models.QuerySet[_Made]):
    """Some of the work, and how it leaves the data and comes back."""

    @abstractmethod
    def in_data(self) -> Self:
        """Return what nobody has taken out and of which no worker has withdrawn: what exports and figures may hold."""

    @abstractmethod
    def of_use(self) -> Self:
        """Return what people made and what is, or may become, one of those wanted about its video."""

    def take_out(self, reason: str, who: User) -> int:
        """Take these out of the data and give their videos back; return how many were in. Raises CannotLeave."""
        if not reason.strip():
            raise CannotLeave("Say why it is taken out, for those who come after you.")
        with transaction.atomic():
            rows = [row for row in self._locked() if not _takings(row).filter(undone_at=None).exists()]
            for row in rows:
                _takings(row).create(reason=reason.strip()[:300], who=who, at=clock.now())
            self._recount(rows)
        return len(rows)

    def put_back(self, who: User) -> int:
        """Undo that these were taken out, and count their videos; return how many had been."""
        number = 0
        with transaction.atomic():
            rows = self._locked()
            for row in rows:
                number += _takings(row).filter(undone_at=None).update(undone_at=clock.now(), undone_by=who)
            self._recount(rows)
        return number

    def recount(self) -> None:
        """Bring the numbers of their videos in line with what has become of these. Locks them."""
        with transaction.atomic():
            self._recount(self._locked())

    def _locked(self) -> "list[_Made]":
        return list(self._all().filter(pk__in=self.values("pk")).select_for_update(of=("self",)).order_by("pk"))

    def _recount(self, rows: "list[_Made]") -> None:
        ids = [row.pk for row in rows]
        counting = set(self._all().filter(pk__in=ids).in_data().of_use().values_list("pk", flat=True))
        for row in rows:
            should = row.pk in counting
            if should != row.is_counted:
                change = videos.count_again if should else videos.give_back
                change(*row.counted_in())
                self._all().filter(pk=row.pk).update(is_counted=should)

    def _all(self) -> Self:
        return type(self)(self.model)


def _takings(row: Work) -> Any:
    """Return the manager of how often, and why, something was taken out."""
    return row.taken_out  # type: ignore[attr-defined]
