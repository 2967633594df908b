"""Pair who waits in a study, then tell them: the asynchronous side of the waiting room."""

from chat import publishing, waiting_room
from chat.threads import in_database


async def pair(study_id: int) -> None:
    """Pair who can be paired in a study, and tell them."""
    publishing.paired(await in_database(_pair_and_list, study_id))


def _pair_and_list(study_id: int) -> list[tuple[int, str]]:
    made = waiting_room.pair_waiting(study_id)
    return [(seat.pk, seat.process) for dialog in made for seat in dialog.seats.all()]
