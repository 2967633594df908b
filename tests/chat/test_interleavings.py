"""Workers on bad networks, in any interleaving: frames lost, doubled, late; pages gone; sweeps and restarts.

Each worker is modelled as its page behaves: an outbox with keys, resending until acknowledged, a snapshot held. What
was acknowledged must be in the database exactly once and in order, both pages must end with the same dialog, and
nobody may be stuck.
"""

from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import count

import pytest
from hypothesis import HealthCheck, assume, event, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TransactionTestCase
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from chat import dialogs, presence, rules, snapshot, waiting_room
from chat.models import Dialog, Seat, SeatState, Utterance
from chat.protocol import Snapshot
from chat.rules import Action, Refusal
from chat.writing import Job, Receipt, store
from collector.studies.models import Participation
from tests import factories
from tests.chat import scene

_SAYS = {
    "ask": "What happens at number {}?",
    "answer": "Somebody comes in at number {}.",
    "summarise": "Much happens in number {}, and so it goes on and on.",
}
_FATES = ["taken", "taken", "lost", "doubled"]
_numbers = count(1)


@dataclass
class Client:
    """One worker's page. ``seat`` is the newest seat it knows of."""

    participation: Participation
    seat: int = 0
    is_connected: bool = False
    seen: Snapshot | None = None
    outbox: list[Job] = field(default_factory=list)
    acknowledged: list[tuple[int, str]] = field(default_factory=list)
    to_server: list[Job] = field(default_factory=list)
    to_page: list[Receipt | Refusal | Snapshot] = field(default_factory=list)

    def connect(self) -> None:
        """Say hello on a new socket and send again what is not acknowledged."""
        self.participation.refresh_from_db()
        if self.participation.ended_at is not None and not self.seat:
            return  # who came too late for their place is sent to the last page
        self.seat = scene.arrive(self.participation).pk
        self.is_connected = True
        self.to_page = [snapshot.of(self.seat)]
        self.to_server = list(self.outbox)

    def disconnect(self) -> None:
        """Lose the socket, and what was under way to the page with it; a frame may still reach the server."""
        scene.vanish(Seat.objects.get(pk=self.seat))
        self.is_connected = False
        self.to_page = []

    def write(self) -> None:
        """Write what the page takes to be its move."""
        assert self.seen is not None
        action: Action = self.seen.move  # type: ignore[assignment]
        number = next(_numbers)
        text = _SAYS[action].format(number)
        dialog = Dialog.objects.get(seats=self.seat)
        job = Job(dialog.pk, self.seat, self.seen.role or "questioner", action, f"key-{number:08}", text)
        self.outbox.append(job)
        self.to_server.append(job)

    def hear(self, said: Receipt | Refusal | Snapshot) -> None:
        """Take what the server sent."""
        if isinstance(said, Receipt):
            self._settle({said.key})
        elif isinstance(said, Snapshot):
            is_newer = self.seen is None or (said.seat, said.version) >= (self.seen.seat, self.seen.version)
            if is_newer or said.phase == "ended":
                if self.seen is not None and self.seen.seat == said.seat and self.seen.role == said.role:
                    held = [line.text for line in self.seen.lines]
                    assert [line.text for line in said.lines][: len(held)] == held, "a line that was shown is gone"
                self.seen = said
                self._settle({line.key for line in said.lines})

    def _settle(self, keys: set[str]) -> None:
        """Forget texts that are stored, as an acknowledgement or a snapshot shows."""
        self.acknowledged += [(job.dialog_id, job.text) for job in self.outbox if job.key in keys]
        self.outbox = [job for job in self.outbox if job.key not in keys]

    @property
    def may_write(self) -> bool:
        """Tell whether the page lets its worker write: its move, and nothing unacknowledged."""
        return self.seen is not None and self.seen.move in rules.KIND_OF and not self.outbox


class BadNetworks(RuleBasedStateMachine):
    """Three workers in a study of short dialogs; each step is something that can happen."""

    @initialize(rounds=st.integers(1, 4), arrived=st.sampled_from([2, 2, 3]), turns=st.integers(0, 4))
    def begin(self, rounds: int, arrived: int, turns: int) -> None:
        self.stack = ExitStack()
        self.time = self.stack.enter_context(scene.time())
        self.study = scene.study(videos=6, rounds=rounds)
        self.clients = [Client(factories.participation(self.study)) for _ in range(3)]
        for who in range(arrived):
            self.connects(who)
        self.all_goes_well_for_a_while(turns)

    def teardown(self) -> None:
        if not hasattr(self, "clients"):
            return
        try:
            self._calm_down()
            self._agree()
            self._nobody_is_stuck()
        finally:
            self.stack.close()

    # What can happen

    @rule(who=st.integers(0, 2))
    def connects(self, who: int) -> None:
        self.clients[who].connect()
        waiting_room.pair_waiting(self.study.pk)

    @rule(who=st.integers(0, 2))
    def loses_the_connection(self, who: int) -> None:
        assume(self.clients[who].is_connected)
        self.clients[who].disconnect()

    @rule(who=st.integers(0, 2))
    def asks_what_is_new(self, who: int) -> None:
        client = self.clients[who]
        assume(client.is_connected)
        client.to_page.append(snapshot.of(client.seat))

    @rule(who=st.integers(0, 2))
    def watches(self, who: int) -> None:
        client = self.clients[who]
        assume(client.is_connected and client.seen is not None and client.seen.move == "watch")
        self._tolerant(lambda: dialogs.watched(client.seat, [(0, 8)]))
        client.to_page.append(snapshot.of(client.seat))

    @rule(who=st.integers(0, 2))
    def writes(self, who: int) -> None:
        assume(self.clients[who].may_write)
        self.clients[who].write()

    @rule(turns=st.integers(1, 4))
    def all_goes_well_for_a_while(self, turns: int) -> None:
        for client in self.clients:
            if client.is_connected and client.seat:
                client.hear(snapshot.of(client.seat))
                if client.seen is not None and client.seen.move == "watch":
                    dialogs.watched(client.seat, [(0, 8)])
        for _ in range(turns):
            for client in self.clients:
                if client.is_connected and client.seat:
                    client.hear(snapshot.of(client.seat))
                    if client.may_write:
                        client.write()
                        self._deliver(client, client.to_server.pop())

    @rule(who=st.integers(0, 2))
    def sends_again(self, who: int) -> None:
        client = self.clients[who]
        assume(client.is_connected and client.outbox)
        client.to_server += client.outbox

    @precondition(lambda self: hasattr(self, "clients") and any(c.to_server for c in self.clients))
    @rule(who=st.integers(0, 2), which=st.integers(0, 5), becomes=st.sampled_from(_FATES))
    def a_frame_is(self, who: int, which: int, becomes: str) -> None:
        client = self.clients[who]
        assume(which < len(client.to_server))
        job = client.to_server.pop(which)
        for _ in range({"taken": 1, "lost": 0, "doubled": 2}[becomes]):
            self._deliver(client, job)

    @precondition(lambda self: hasattr(self, "clients") and any(c.to_page for c in self.clients))
    @rule(who=st.integers(0, 2), which=st.integers(0, 5), is_lost=st.booleans())
    def an_answer_arrives_or_not(self, who: int, which: int, is_lost: bool) -> None:
        client = self.clients[who]
        assume(which < len(client.to_page))
        said = client.to_page.pop(which)
        if not is_lost:
            client.hear(said)

    @rule(seconds=st.sampled_from([2, 5, 30, 70, 200, 310]))
    def time_passes(self, seconds: int) -> None:
        self.time.passes(seconds)
        waiting_room.pair_waiting(self.study.pk)

    @rule(seconds=st.sampled_from([15, 130, 4000]))
    def all_processes_are_restarted(self, seconds: int) -> None:
        for client in self.clients:
            if client.is_connected:
                client.disconnect()
        presence.drop_lease()
        self.time.passes(1)  # what had run out before is not laid to our downtime
        before = set(Dialog.objects.filter(ended_at=None).values_list("pk", flat=True))
        self.time.without_us(seconds)
        still = set(Dialog.objects.filter(ended_at=None).values_list("pk", flat=True))
        assert before == still, "our downtime ended a dialog"

    @rule(who=st.integers(0, 2), what=st.sampled_from(["leave", "wait", "wait", "end", "alone", "waited"]))
    def decides(self, who: int, what: str) -> None:
        client = self.clients[who]
        assume(client.is_connected and client.seat)
        seat = client.seat
        deed = {
            "leave": lambda: dialogs.leave(seat),
            "wait": lambda: dialogs.choose(seat, wait=True),
            "end": lambda: dialogs.choose(seat, wait=False),
            "alone": lambda: dialogs.end_alone(seat),
            "waited": lambda: dialogs.end_waiting(seat),
        }[what]
        self._tolerant(deed)
        if Seat.objects.get(pk=seat).state == SeatState.CLOSED:
            client.connect()

    # What must hold

    @invariant()
    def what_was_acknowledged_is_stored_once_and_in_order(self) -> None:
        for client in getattr(self, "clients", []):
            for dialog in {dialog for dialog, _ in client.acknowledged}:
                own = [text for where, text in client.acknowledged if where == dialog]
                stored = list(Utterance.objects.filter(dialog=dialog).values_list("text", flat=True))
                assert [text for text in stored if text in own] == own

    @invariant()
    def nobody_has_two_open_seats_and_no_dialog_two_texts_at_a_place(self) -> None:
        for client in getattr(self, "clients", []):
            assert client.participation.seats.exclude(state=SeatState.CLOSED).count() <= 1
        for dialog in Dialog.objects.filter(study=self.study.pk) if hasattr(self, "study") else []:
            positions = list(dialog.utterances.values_list("position", flat=True))
            assert positions == list(range(len(positions)))

    # The end of each example: the networks heal, and everything must come out right

    def _deliver(self, client: Client, job: Job) -> None:
        (result,) = store([job])
        assert isinstance(result, Receipt | Refusal), result
        if isinstance(result, Refusal) and result.code in (rules.Code.OVER, rules.Code.NOT_YOUR_TURN):
            client.outbox = [each for each in client.outbox if each.key != job.key]
        if client.is_connected:
            client.to_page.append(result)

    @staticmethod
    def _tolerant(deed: object) -> None:
        with suppress(Refusal):
            deed()  # type: ignore[operator]

    def _calm_down(self) -> None:
        for client in self.clients:
            client.to_server, client.to_page = [], []
            client.connect()
            if not client.seat:
                continue
            for job in list(client.to_server):
                self._deliver(client, job)
            for said in client.to_page:
                client.hear(said)
            client.hear(snapshot.of(client.seat))
            assert not client.outbox, "a text was neither stored nor refused"

    def _agree(self) -> None:
        for found in Dialog.objects.filter(study=self.study.pk):
            event(f"a dialog ended as {found.ended_why or 'running'} with {found.utterances.count()} texts")
        for client in self.clients:
            if not client.seat:
                continue
            client.hear(snapshot.of(client.seat))
            dialog = Dialog.objects.filter(seats=client.seat).first()
            if dialog is None or client.seen is None:
                continue
            stored = list(dialog.utterances.values_list("text", flat=True))
            shown = [line.text for line in client.seen.lines]
            assert shown == (stored if client.seen.role == "questioner" else stored[: 2 * dialog.rounds])

    def _nobody_is_stuck(self) -> None:
        for _ in range(4):
            self.time.passes(3700)
            waiting_room.pair_waiting(self.study.pk)
            for seat in Seat.objects.filter(study=self.study, state=SeatState.WAITING):
                self._tolerant(lambda seat=seat: dialogs.end_waiting(seat.pk))
        assert not Seat.objects.filter(study=self.study).exclude(state=SeatState.CLOSED).exists()
        assert not Dialog.objects.filter(study=self.study, ended_at=None).exists()
        assert not Participation.objects.filter(study=self.study, ended_at=None).exists()


def run(*, examples: int) -> None:
    """Try so many interleavings."""
    tried = settings(
        max_examples=examples, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(BadNetworks, settings=tried)


@pytest.mark.timeout(1800)
class TestBadNetworks(TransactionTestCase):
    """Runs the machine; each example has a study of its own."""

    def test_in_any_interleaving_nothing_acknowledged_is_lost_and_nobody_is_stuck(self) -> None:
        run(examples=10)

    @pytest.mark.long_drill
    def test_nor_in_many_more(self) -> None:
        run(examples=40)
