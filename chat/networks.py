"""Did both workers of a dialog come from one network address? One person with two accounts does, a lab does, too.

For whoever reviews, and for nothing else: no program pairs, pays, refuses or rejects by it.
"""

from collections.abc import Iterable

from django.db.models import Count

from chat.models import Seat

NOTE = "Both came from one network address. People of one household, office or lab do, too."


def shared(dialogs: Iterable[int]) -> set[int]:
    """Return those of some dialogs both of whose workers joined from one address, as far as that was kept."""
    known = Seat.objects.filter(dialog__in=dialogs).exclude(participation__network="")
    same = known.values("dialog", "participation__network").annotate(seats=Count("pk")).filter(seats__gt=1).order_by()
    return {dialog for dialog in same.values_list("dialog", flat=True) if dialog is not None}
