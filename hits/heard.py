"""Which events has a marketplace told us of? Each is heard once, and hastens asking; none is believed.

Documents are shaped as those in Amazon's queues. They come twice, late, in any order or never, and whoever knows the
address can make one up: so nothing is read from them but their id, and what is true the marketplace is asked for.
"""

from datetime import timedelta

import msgspec
from django.db import models

from collector.lib import clock

KEPT = 10_000
"""How many ids are remembered; a marketplace repeats itself within minutes."""
PRUNE_EVERY = 500
GATHER = timedelta(seconds=2)
"""For so long events are gathered before the marketplace is asked: one question for all of them."""


class BadEvent(ValueError):
    """What is no event document."""


class Document(msgspec.Struct, rename="pascal"):
    """What is read of an event document; all else is passed over."""

    event_doc_id: str
    events: list[dict[str, object]]


class Heard(models.Model):
    """An event document that has come in. ``asked``: it made us ask; others came soon after one that did."""

    document_id = models.CharField(max_length=100, unique=True)
    at = models.DateTimeField(db_index=True)
    asked = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.document_id


def take(body: bytes) -> bool:
    """Take a document in; return whether the marketplace is to be asked because of it. Raises BadEvent."""
    try:
        document = msgspec.json.decode(body, type=Document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadEvent(str(error)) from None
    if not 1 <= len(document.event_doc_id) <= 100 or "\0" in document.event_doc_id:
        raise BadEvent("EventDocId has 1 to 100 characters.")
    now = clock.now()
    row, is_new = Heard.objects.get_or_create(document_id=document.event_doc_id, defaults={"at": now})
    if not is_new:
        return False
    if row.pk % PRUNE_EVERY == 0:
        _forget()
    if Heard.objects.filter(asked=True, at__gt=now - GATHER, at__lte=now).exists():
        return False
    Heard.objects.filter(pk=row.pk).update(asked=True)
    return True


def _forget() -> None:
    """Forget all but the newest."""
    oldest_kept = Heard.objects.order_by("-pk").values_list("pk", flat=True)[KEPT - 1 : KEPT].first()
    if oldest_kept is not None:
        Heard.objects.filter(pk__lt=oldest_kept).delete()
