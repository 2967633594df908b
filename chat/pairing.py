"""Pair who waits in a study, then tell them: the asynchronous side of the waiting room."""

from chat import publishing, waiting_room
from chat.models import Seat
from chat.threads import Together


async def pair(study_id: int) -> None:
    """Pair who can be paired in a study, and tell them. Calls that come meanwhile are answered by one round more."""
    publishing.paired(await _rounds(study_id))


def _pair_and_list(study_ids: list[int]) -> list[list[tuple[int, str]]]:
    """Pair in each study once; the first call that named a study gets the seats to tell."""
    told: set[int] = set()
    seats: list[list[tuple[int, str]]] = []
    for study_id in study_ids:
        made = [] if study_id in told else waiting_room.pair_waiting(study_id)
        told.add(study_id)
        seats.append(list(Seat.objects.filter(dialog__in=made).values_list("pk", "process")) if made else [])
    return seats


_rounds: Together[int, list[tuple[int, str]]] = Together(_pair_and_list, most=5000)
