"""Every operation that we call, whatever goes wrong with it: no double, no second payment, nothing stuck in silence.

Each is met by each fault while the worker process does its task twice; then the marketplace is well again, and the task
does what was left. All over real HTTP, against the running local marketplace.
"""

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.retries.standard import ExponentialBackoff
from django.contrib.auth.models import User

from chat import presence
from collector.lib import clock
from hits import compensating, entering, lifecycle, mailing, marking, people, reviewing
from hits.marketplace import mturk, mturk_client
from hits.marketplace.base import Marketplace
from hits.models import (
    Asked,
    Assignment,
    AssignmentState,
    Compensation,
    Mark,
    Message,
    Reconciliation,
    Recruitment,
    RecruitmentState,
)
from tests.hits.faulty import REASON, SHORT, World, counted
from tests.hits.recruiting import VISITORS
from tests.localmarket.market import AMBER, BASIL, CORAL, DALE, LocalMarket

pytestmark = pytest.mark.django_db
KINDS = ("error", "lost", "throttled", "slow")
ADAPTER = Path(mturk.__file__).parent


@dataclass(frozen=True)
class Case:
    """A method of the contract by what the platform does with it, and the operation that goes wrong meanwhile.

    ``before`` prepares, ``again`` is what a person does once they have read what went wrong, ``goal`` is what must be
    true in the end. ``lost``: an operation whose answer is lost first, as what is called then mends just that.
    """

    method: str
    operation: str
    before: Callable[[World], object]
    goal: Callable[[World], bool]
    act: Callable[[World], None] = World.beat
    again: Callable[[World], object] = lambda world: None
    lost: str = ""
    is_logged: bool = False

    def __str__(self) -> str:
        return f"{self.method}-{self.operation}"


# Launching


def _drafted(world: World) -> None:
    world.exclude()
    world.ask(Asked.LAUNCH)


def _nameless(world: World) -> None:
    """As if the refusal of a used token did not name the HIT."""
    world.stack.enter_context(pytest.MonkeyPatch.context()).setattr(mturk, "_HIT_ID", re.compile("(?!)"))
    _drafted(world)


def _ask_again(world: World) -> None:
    recruitment = Recruitment.objects.get()
    if recruitment.state == RecruitmentState.DRAFT and not recruitment.asked:
        assert recruitment.why, "why it was not launched stands on the page"
        world.ask(Asked.LAUNCH)


def _is_launched(world: World) -> bool:
    is_offering = Recruitment.objects.get().state == RecruitmentState.PILOT
    return is_offering and lifecycle.open_hits(world.recruitment).count() == 2 and not world.offered(CORAL)


def launching_case(method: str, operation: str, **more: Any) -> Case:
    return Case(method, operation, more.pop("before", _drafted), _is_launched, again=_ask_again, **more)


# Offering


def _expiring(world: World) -> None:
    world.launch()
    world.ask(Asked.EXPIRE)


def _is_expired(world: World) -> bool:
    return Recruitment.objects.get().state == RecruitmentState.PAUSED and not world.offered(BASIL)


def _renewing(world: World) -> None:
    world.launch()
    world.later(hours=19)


def _is_renewed(world: World) -> bool:
    hits = lifecycle.open_hits(world.recruitment)
    ends = [world.speaks.look(hit.external_id).expires_at for hit in hits]
    return len(ends) == 2 and all(end is not None and end - clock.now() > lifecycle.RENEW_BEFORE for end in ends)


# Submissions


def _is_taken_over(world: World) -> bool:
    return Assignment.objects.filter(state=AssignmentState.SUBMITTED).count() == 2


def _is_paid(world: World) -> bool:
    return world.is_paid("5.60")


def _rejecting(world: World) -> None:
    world.work()
    lifecycle.sync(world.recruitment, world.speaks)
    reviewing.reject(Assignment.objects.earliest("pk").pk, world.who, REASON, confirmed=True)


def _states(world: World) -> list[str]:
    return sorted(
        said.state for visitor in world.visitors for said in world.speaks.submissions(visitor.hit_id)
    )  # fmt: skip


def _is_rejected(world: World) -> bool:
    return _states(world) == ["rejected", "submitted"] == sorted(Assignment.objects.values_list("state", flat=True))


def _taking_back(world: World) -> None:
    _rejecting(world)
    reviewing.carry_out(world.recruitment, world.speaks)
    reviewing.undo_rejection(Assignment.objects.earliest("pk").pk, world.who)


def _is_taken_back(world: World) -> bool:
    return _states(world) == ["approved", "submitted"]


# People


def _including(world: World) -> None:
    world.exclude()
    world.launch()
    world.include()


def _is_included(world: World) -> bool:
    return world.offered(CORAL) and not Mark.objects.exists()


def _blocking(world: World) -> None:
    world.launch()
    people.block(entering.worker_of("local", AMBER), REASON, world.who, confirmed=True)


def _unblocking(world: World) -> None:
    _blocking(world)
    people.carry_out_blocks("local", world.speaks)
    people.unblock(entering.worker_of("local", AMBER), world.who)


def _writing(world: World) -> None:
    world.launch()
    world.speaks.approve(world.market.robot(AMBER).do(lifecycle.open_hits(world.recruitment)[0].external_id))
    worker = entering.worker_of("local", AMBER)
    mailing.write(worker, "About your work", "Thank you.", world.who, world.recruitment_key(), confirmed=True)


def _is_written(world: World) -> bool:
    """A message that was perhaps sent is not sent again: it came at most once, and says so."""
    mails, message = world.market.robot(AMBER).get("me")["messages"], Message.objects.get()
    return message.state == ("sent" if not message.trouble else "unknown") and len(mails) == 1


# Compensation


def _compensating(world: World) -> None:
    world.launch()
    world.compensate()


def _is_offered(world: World) -> bool:
    made = Compensation.objects.get()
    seen = [each for each in world.market.robot(DALE).get("hits") if "A payment for you" in each["title"]]
    return made.state == "offered" and len(seen) == 1


def _submitted(world: World) -> None:
    _compensating(world)
    compensating.carry_out(world.recruitment, world.speaks)
    world.market.robot(DALE).do(Compensation.objects.get().hit_id)


def _is_compensated(world: World) -> bool:
    made = Compensation.objects.get()
    return made.state == "done" and world.is_paid("1.70") and not list(world.speaks.marked(made.mark_id))


def _two_beats(world: World) -> None:
    """Pay, and see that it is paid."""
    world.beat()
    world.beat()


def _withdrawing(world: World) -> None:
    _compensating(world)
    compensating.carry_out(world.recruitment, world.speaks)
    compensating.take_back(Compensation.objects.get().pk, world.who)


def _is_withdrawn(world: World) -> bool:
    seen = [each for each in world.market.robot(DALE).get("hits") if "A payment for you" in each["title"]]
    return Compensation.objects.get().state == "withdrawn" and not seen


def compensation_case(operation: str) -> Case:
    return Case("compensation", operation, _compensating, _is_offered)


# Comparing the books


def _compared(world: World) -> None:
    world.decide()
    world.exclude()
    world.beat()
    marking.carry_out(world.recruitment, world.speaks)
    world.speaks.include(world.recruitment.mark_id, CORAL)  # somebody clicked there


def _is_compared(world: World) -> bool:
    found = Reconciliation.objects.first()
    return found is not None and found.difference == 0 and not world.offered(CORAL)


def comparing_case(method: str, operation: str) -> Case:
    return Case(method, operation, _compared, _is_compared, act=World.night)


CASES = [
    launching_case("balance", "GetAccountBalance"),
    launching_case("make_mark", "CreateQualificationType"),
    launching_case("make_mark", "ListQualificationTypes", lost="CreateQualificationType"),
    launching_case("exclude", "AssociateQualificationWithWorker"),
    launching_case("offer", "CreateHITType"),
    launching_case("tell", "UpdateNotificationSettings", is_logged=True),
    launching_case("publish", "CreateHITWithHITType"),
    launching_case("publish", "ListHITs", lost="CreateHITWithHITType", before=_nameless),
    launching_case("look", "GetHIT"),
    Case("expire", "UpdateExpirationForHIT", _expiring, _is_expired),
    Case("renew", "UpdateExpirationForHIT", _renewing, _is_renewed),
    Case("submissions", "ListAssignmentsForHIT", World.work, _is_taken_over),
    Case("approve", "ApproveAssignment", World.decide, _is_paid),
    Case("approve", "GetAssignment", World.decide, _is_paid, lost="ApproveAssignment"),
    Case("approve, taking back", "ApproveAssignment", _taking_back, _is_taken_back),
    Case("reject", "RejectAssignment", _rejecting, _is_rejected),
    Case("pay", "SendBonus", World.decide, _is_paid),
    Case("find", "ListBonusPayments", World.decide, _is_paid, lost="SendBonus"),
    Case("include", "DisassociateQualificationFromWorker", _including, _is_included),
    Case("block", "CreateWorkerBlock", _blocking, lambda world: not world.offered(AMBER)),
    Case("unblock", "DeleteWorkerBlock", _unblocking, lambda world: world.offered(AMBER)),
    Case("notify", "NotifyWorkers", _writing, _is_written),
    *map(
        compensation_case,
        ["CreateQualificationType", "AssociateQualificationWithWorker", "CreateHITType", "CreateHITWithHITType"],
    ),
    Case("compensation, seen", "ListAssignmentsForHIT", _submitted, _is_compensated, act=_two_beats),
    Case("compensation, paid", "ApproveAssignment", _submitted, _is_compensated, act=_two_beats),
    Case("compensation, closed", "DisassociateQualificationFromWorker", _submitted, _is_compensated),
    Case("compensation, taken back", "UpdateExpirationForHIT", _withdrawing, _is_withdrawn),
    comparing_case("marked", "ListWorkersWithQualificationType"),
    comparing_case("bonuses", "ListBonusPayments"),
    comparing_case("hits", "ListHITs"),
    comparing_case("submissions", "ListAssignmentsForHIT"),
]


@pytest.fixture
def world(market: LocalMarket, admin_user: User, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    VISITORS.clear()
    presence.renew_lease()
    monkeypatch.setattr(mturk_client, "ATTEMPTS", 2)
    monkeypatch.setattr(ExponentialBackoff, "delay_amount", lambda self, context: 0)  # no test waits for chance
    with ExitStack() as stack:
        made = World(market, admin_user, settings, stack)
        counted(made, monkeypatch)
        yield made
        market.control("clear-faults")
        made.drained()


def fail(world: World, case: Case, kind: str) -> int:
    """Let every call of the operation fail while the task is done twice; return how many calls the fault met."""
    if case.lost:
        world.market.control("faults", operation=case.lost, kind="lost")
    slow = {"seconds": 2 * SHORT} if kind == "slow" else {}
    world.market.control("faults", operation=case.operation, kind=kind, times=99, **slow)
    usual, world.settings.MARKETPLACE_TIMEOUT = world.settings.MARKETPLACE_TIMEOUT, SHORT if slow else 20.0
    for _ in range(2):
        case.act(world)
    world.settings.MARKETPLACE_TIMEOUT = usual
    left = [each["remaining"] for each in world.market.look("state")["faults"] if each["kind"] == kind]
    return 99 - max(left, default=0)


@pytest.mark.long_drill
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_fault_makes_a_double_pays_twice_or_leaves_anything_stuck_in_silence(
    world: World, case: Case, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    case.before(world)
    caplog.clear()
    assert fail(world, case, kind) > 0, "the operation was called"
    is_told = bool(caplog.text) if case.is_logged or case.act is World.night else bool(world.troubles())
    assert is_told or case.goal(world), "what hinders it is said"
    assert world.stuck() == []
    world.market.control("clear-faults")
    world.drained()
    for _ in range(3):
        case.again(world)
        case.act(world)
    assert case.goal(world)
    assert world.doubles() == []
    assert world.stuck() == []
    recruitment = Recruitment.objects.get()
    assert (recruitment.trouble, recruitment.asked) == ("", ""), "what is over is not said any more"


def test_every_operation_that_the_adapter_calls_and_every_method_of_the_contract_is_met_by_faults() -> None:
    """Operations are read from the adapter's source: whoever calls one more has to add it here."""
    known: dict[str, str] = boto3.client("mturk", region_name="us-east-1").meta.method_to_api_mapping
    nodes = [node for path in ADAPTER.glob("mturk*.py") for node in ast.walk(ast.parse(path.read_text()))]
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}  # client.create_hit(...)
    names |= {str(node.value) for node in nodes if isinstance(node, ast.Constant)}  # get_paginator("list_hits")
    called = {known[name] for name in names & known.keys()}
    assert called - {case.operation for case in CASES} == {"GetQualificationType"}, "a preflight alone asks, and tells"
    methods = {name for name in dir(Marketplace) if not name.startswith("_") and callable(getattr(Marketplace, name))}
    assert methods - {case.method for case in CASES} == {"ahead", "mark_name"}, "the first asks nothing"
