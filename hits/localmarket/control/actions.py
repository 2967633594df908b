"""What can be done to the market? Each action is a typed request and a function; pages and JSON both use them."""

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec
from django.db import transaction
from msgspec import Meta, Struct

from hits.localmarket import books, clock, journal, seeding, service
from hits.localmarket.control.crowd import crowd_in
from hits.localmarket.models import (
    Assignment,
    Block,
    Delivery,
    Fault,
    Hit,
    HitType,
    Market,
    Message,
    Movement,
    Qualification,
    QualificationRequest,
    QualificationType,
    Token,
    Worker,
)
from hits.localmarket.sweeping import sweep

Percent = Annotated[int, Meta(ge=0, le=100)]
Seconds = Annotated[int, Meta(ge=0, le=86_400)]
Number = Annotated[int, Meta(ge=0, le=10_000_000)]


class ActionError(Exception):
    """An action cannot be done; the message says why."""


class Forward(Struct, forbid_unknown_fields=True):
    """Move the clock forward."""

    seconds: Annotated[float, Meta(gt=0, le=400 * 86_400)]


class Balance(Struct, forbid_unknown_fields=True):
    """Let that many dollars be available."""

    available: Annotated[str, Meta(pattern=r"^-?[0-9]{1,9}(\.[0-9]{1,2})?$")]


class NewFault(Struct, forbid_unknown_fields=True):
    """Let the next ``times`` calls of an operation go wrong."""

    kind: Literal["error", "lost", "throttled", "slow"]
    operation: str = "*"
    times: Annotated[int, Meta(ge=1, le=100_000)] = 1
    seconds: Annotated[float, Meta(ge=0, le=120)] = 0.0


class Settings(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Change how the market behaves; what is not given stays."""

    submission_lag: Seconds | None = None
    creation_lag: Seconds | None = None
    events_lost: Percent | None = None
    events_doubled: Percent | None = None
    events_reordered: Percent | None = None
    silent_after_expiry: bool | None = None
    strict_frame: bool | None = None
    reuse_assignment_ids: bool | None = None


class ChangedWorker(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Make a worker, or change what is given of one."""

    worker_id: Annotated[str, Meta(pattern=r"^A[A-Z0-9]{1,63}$")]
    name: Annotated[str, Meta(min_length=1, max_length=60)] | None = None
    country: Annotated[str, Meta(pattern=r"^[A-Z]{2}$")] | None = None
    subdivision: Annotated[str, Meta(pattern=r"^([A-Z]{2})?$")] | None = None
    approved_before: Number | None = None
    rejected_before: Number | None = None
    is_master: bool | None = None
    is_adult: bool | None = None


class Crowd(Struct, forbid_unknown_fields=True):
    """Let made workers do a HIT."""

    hit_id: str
    workers: Annotated[int, Meta(ge=1, le=5000)]
    answers: dict[str, str] = {}


class Nothing(Struct, forbid_unknown_fields=True):
    """Takes no values."""


def forward(request: Forward) -> str:
    """Move the clock and do what falls due on the way, each at its own time."""
    market = Market.get()
    market.clock_offset += request.seconds
    market.save()
    clock.set_offset(market.clock_offset)
    done = sweep()
    return f"The clock shows {clock.now():%Y-%m-%d %H:%M:%S} UTC. What fell due: {done}."


def set_balance(request: Balance) -> str:
    """Set what is available."""
    books.set_balance(int(Decimal(request.available) * 100), clock.now())
    return f"Available: ${request.available}."


def add_fault(request: NewFault) -> str:
    """Add a fault."""
    if request.operation != "*" and request.operation not in service.operation_names():
        raise ActionError(f"{request.operation} is no operation.")
    Fault.objects.create(
        operation=request.operation, kind=request.kind, remaining=request.times, seconds=request.seconds
    )
    return f"{request.operation}: {request.kind}, {request.times} times."


def clear_faults(request: Nothing) -> str:
    """Take back all faults that have not happened."""
    Fault.objects.all().delete()
    return "No faults are waiting."


def change_settings(request: Settings) -> str:
    """Change the market's settings."""
    Market.objects.update_or_create(pk=Market.get().pk, defaults=_given(request))
    return "Saved."


def change_worker(request: ChangedWorker) -> str:
    """Make or change a worker."""
    values = _given(request)
    worker_id = values.pop("worker_id")
    new = {"name": worker_id, "country": "US", **values}
    worker, made = Worker.objects.update_or_create(worker_id=worker_id, defaults=values, create_defaults=new)
    return f"{worker} was {'made' if made else 'changed'}."


def crowd(request: Crowd) -> str:
    """Let made workers do a HIT."""
    hit = Hit.objects.filter(hit_id=request.hit_id).select_related("type").first()
    if hit is None:
        raise ActionError(f"{request.hit_id} is no HIT.")
    return f"{crowd_in(hit, request.workers, request.answers or {'made': 'yes'})} of {request.workers} handed it in."


def reset(request: Nothing) -> str:
    """Begin anew: no work, no money moved, the first workers, the real time."""
    for model in (
        Delivery, Fault, Token, Message, Block, Movement, QualificationRequest, Qualification, QualificationType,
        Assignment, Hit, HitType, Worker, Market,
    ):  # fmt: skip
        model._default_manager.all().delete()
    journal.forget()
    seeding.seed()
    return "The market begins anew."


def _given(request: Struct) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(request).items() if value is not None}


ACTIONS: dict[str, tuple[type[Struct], Callable[[Any], str]]] = {
    "clock": (Forward, forward),
    "balance": (Balance, set_balance),
    "faults": (NewFault, add_fault),
    "clear-faults": (Nothing, clear_faults),
    "settings": (Settings, change_settings),
    "workers": (ChangedWorker, change_worker),
    "crowd": (Crowd, crowd),
    "reset": (Nothing, reset),
}


def act(name: str, values: Any, *, from_form: bool = False) -> str:
    """Do an action with untyped values and return a sentence about it, or raise ActionError."""
    kind, function = ACTIONS[name]
    try:
        request = msgspec.convert(values, kind, strict=not from_form)
    except msgspec.ValidationError as error:
        raise ActionError(str(error)) from None
    with transaction.atomic():
        return function(request)
