"""Why do people wait who are not paired? For the researcher; pairing itself asks the same conditions."""

from dataclasses import dataclass

from django.utils.functional import cached_property

from chat import presence, waiting_room
from chat.models import Seat, SeatState
from collector.studies import videos
from collector.studies.models import Study, Why

MOST = 100
"""How many seats are read: those that wait longest."""
COMPARED = 5
"""With how many others each is compared."""


@dataclass(frozen=True)
class Waiting:
    """A seat in the waiting room, whether its page is there, and why it has not been paired, a sentence each."""

    seat: Seat
    is_here: bool
    reasons: list[str]


class Room:
    """A study's waiting room at one moment: a handful of queries, however many wait."""

    def __init__(self, study: Study) -> None:
        self.study = study
        waiting = Seat.objects.filter(study=study, state=SeatState.WAITING)
        self._seats = list(waiting.order_by("entered_at", "pk")[:MOST])
        self._living = presence.living()

    def waiting(self) -> list[Waiting]:
        """Return who waits, the longest first."""
        return [Waiting(seat, self.is_here(seat), self.why_alone(seat)) for seat in self._seats]

    def is_here(self, seat: Seat) -> bool:
        """Tell whether the seat's page is there."""
        return presence.is_here(seat, self._living)

    def why_alone(self, seat: Seat) -> list[str]:
        """Say why a waiting seat has not been paired with those who wait longest."""
        if why := self._no_hope(seat):
            return [f"{why.label[0].upper()}{why.label[1:]}."]
        if not self.is_here(seat):
            return ["They are not connected."]
        others = [other for other in self._seats if other.pk != seat.pk][:COMPARED]
        said: dict[str, list[str]] = {}
        for other in others:
            said.setdefault(self.why_not(seat, other) or "They will be paired.", []).append(str(other.pk))
        return [
            f"With {'seats' if len(seats) > 1 else 'seat'} {', '.join(seats)}: {why}" for why, seats in said.items()
        ] or ["Nobody else waits."]

    def why_not(self, first: Seat, second: Seat) -> str:
        """Say in a sentence why two waiting seats have not been paired; empty when they can be."""
        if reason := waiting_room.obstacle(first, second, self._met):
            return reason
        if not self.study.runs_for(simulated=first.is_simulated):
            return f"The study is {self.study.get_state_display().lower()}."
        if not (self.is_here(first) and self.is_here(second)):
            return "One of them is not connected."
        is_any_left = self._left[first.is_simulated].is_any(first.worker_id, second.worker_id)
        return "" if is_any_left else "No video is left that neither has seen."

    def _no_hope(self, seat: Seat) -> Why | None:
        left = self._left[seat.is_simulated]
        if why := waiting_room.stopped(self.study, simulated=seat.is_simulated):
            return why
        if not left.is_any():
            return Why.NO_VIDEO_LEFT
        return None if left.is_any(seat.worker_id) else Why.ALL_SEEN

    @cached_property
    def _met(self) -> set[tuple[int, int]]:
        return videos.met_pairs(self.study, [seat.worker_id for seat in self._seats])

    @cached_property
    def _left(self) -> dict[bool, videos.Left]:
        workers = [seat.worker_id for seat in self._seats]
        return {simulated: videos.Left(self.study, workers, simulated=simulated) for simulated in (False, True)}
