"""Two workers of a study, without sockets: they arrive, are paired, write, vanish; time passes when told to."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from itertools import count

from chat import deadlines, dialogs, presence, waiting_room
from chat.models import Dialog, ProcessLease, Role, Seat, Sweep
from chat.rules import Action
from chat.writing import Job, Receipt, store
from collector.lib import clock
from collector.studies.admission import token_of
from collector.studies.models import Participation, Study, StudyVideo
from tests import factories

TEXT = {
    "ask": "What happens first?",
    "answer": "Somebody comes into the room slowly.",
    "summarise": "Somebody comes into the room and then sits down.",
}
_keys = count(1)


class Time:
    """Lets time pass; the product sweeps meanwhile, unless it is down."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def passes(self, seconds: float) -> deadlines.Swept:
        """Let time pass while processes live and sweep, and sweep once more."""
        self._stack.enter_context(clock.travel(timedelta(seconds=seconds)))
        ProcessLease.objects.update(renewed_at=clock.now())
        Seat.objects.filter(polled_at__isnull=False).update(polled_at=clock.now())
        Sweep.objects.update(swept_at=clock.now() - deadlines.PERIOD)
        return deadlines.sweep()

    def without_us(self, seconds: float) -> deadlines.Swept:
        """Let time pass while no process runs; then one starts and sweeps."""
        self._stack.enter_context(clock.travel(timedelta(seconds=seconds)))
        presence.renew_lease()
        return deadlines.sweep()


@contextmanager
def time() -> Iterator[Time]:
    """Give a Time that passes by its jumps alone, which are taken back at the end."""
    with ExitStack() as stack:
        stack.enter_context(clock.stopped())
        presence.renew_lease()
        deadlines.sweep()
        yield Time(stack)


def study(videos: int = 2, **fields: object) -> Study:
    """Make an open study of some videos."""
    made = factories.study(**fields)
    for _ in range(videos):
        StudyVideo.objects.create(study=made, video=factories.video(), wanted=made.dialogs_per_video)
    return made


def arrive(participation: Participation) -> Seat:
    """Open a participation's page."""
    arrival = dialogs.arrive(token_of(participation), presence.new_connection())
    return Seat.objects.get(pk=arrival.seat_id)


def newcomer(study: Study) -> Seat:
    """Bring one worker more into the waiting room."""
    return arrive(factories.participation(study))


def vanish(seat: Seat) -> None:
    """Lose a seat's socket."""
    dialogs_seat = Seat.objects.get(pk=seat.pk)
    presence.drop(seat.pk, dialogs_seat.connection)


class Pair:
    """A dialog with its two seats."""

    def __init__(self, study: Study) -> None:
        first, second = newcomer(study), newcomer(study)
        (self.dialog,) = waiting_room.pair_waiting(study.pk)
        seats = Seat.objects.filter(pk__in=[first.pk, second.pk])
        self.questioner, self.answerer = seats.get(role=Role.QUESTIONER), seats.get(role=Role.ANSWERER)

    def say(self, action: Action) -> None:
        """Store one text."""
        role = "answerer" if action == "answer" else "questioner"
        (result,) = store([Job(self.dialog.pk, 0, role, action, f"key-{next(_keys):06}", TEXT[action])])
        assert isinstance(result, Receipt), result

    def watch(self) -> None:
        """Let the Answerer watch the video."""
        dialogs.watched(self.answerer.pk, [(0, 8)])

    def rounds(self, number: int) -> None:
        """Let both write whole rounds."""
        if Seat.objects.get(pk=self.answerer.pk).watched_at is None:
            self.watch()
        for _ in range(number):
            self.say("ask")
            self.say("answer")

    def reload(self) -> Dialog:
        """Return the dialog as it is stored, with fresh seats."""
        self.dialog.refresh_from_db()
        self.questioner.refresh_from_db()
        self.answerer.refresh_from_db()
        return self.dialog


def end_of(seat: Seat) -> tuple[str, str, str]:
    """Return outcome, fault and why of a seat's participation."""
    found = Participation.objects.get(pk=seat.participation_id)
    return found.outcome, found.fault, found.why
