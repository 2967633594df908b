"""What in a text must not leave? A person decides about parts of texts; the texts themselves are never changed."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from collector.studies.leaving import Undoable


class Redaction(Undoable):
    """A decision about a part of a text: to replace it wherever the text leaves, or to leave it as it is.

    Subclasses name the text. What is left stays decided, so that nobody is asked about it again.
    """

    start = models.PositiveIntegerField(help_text="Code points before it.")
    end = models.PositiveIntegerField(help_text="Code points up to its end.")
    kind = models.CharField(max_length=20, help_text="What it is, or looks like.")
    is_left = models.BooleanField("left as it is", default=False)
    replacement = models.CharField(max_length=40, help_text="What leaves in its place.")
    who = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.kind}, {'left' if self.is_left else 'redacted'}"


def a_part_has_a_length(name: str) -> models.CheckConstraint:
    """Return the constraint of that name for a subclass."""
    return models.CheckConstraint(condition=Q(start__lt=F("end")), name=name)


Part = tuple[int, int, str]
"""Start, end and replacement."""


def parts_by_text(redactions: "models.QuerySet[Any]", text: str) -> dict[int, list[Part]]:
    """Return what is to be replaced in each text that ``redactions`` are about; ``text`` names their field."""
    found: defaultdict[int, list[Part]] = defaultdict(list)
    standing = redactions.filter(undone_at=None, is_left=False).order_by()
    for pk, start, end, replacement in standing.values_list(text, "start", "end", "replacement"):
        found[pk].append((start, end, replacement))
    return dict(found)


def redacted(text: str, parts: Iterable[Part]) -> str:
    """Return the text as it may leave: each part replaced, those that overlap as one."""
    pieces: list[str] = []
    at = 0
    for start, end, replacement in sorted(parts):
        if start >= at:
            pieces += [text[at:start], replacement]
        at = max(at, end)
    return "".join(pieces) + text[at:]
