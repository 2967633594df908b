"""Does a document fit the service's model? Checks what goes in and what comes out; imports nothing of Django.

The model is botocore's. Its own validator leaves out maximum, pattern and enumeration, and it never sees answers.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any

import botocore.session
from botocore.model import ServiceModel, Shape

from hits.localmarket.refusals import Refusal

TARGET = "MTurkRequesterServiceV20170117"


@cache
def model() -> ServiceModel:
    """Return the service's model, or say that this botocore no longer has it."""
    session = botocore.session.get_session()
    if "mturk" not in session.get_available_services():
        raise RuntimeError("This version of botocore has no mturk model. Install the one in requirements/run.txt.")
    return session.get_service_model("mturk")


@cache
def operation_names() -> tuple[str, ...]:
    """Return the names of all operations."""
    return tuple(model().operation_names)


def read_input(operation: str, document: Any) -> dict[str, Any]:
    """Return a request's members with times as datetimes; refuse what the model does not allow."""
    shape = model().operation_model(operation).input_shape
    if not isinstance(document, dict):
        raise Refusal("serialization", reason="The body is not a JSON object.")
    value = _convert(shape, document, "", _time_in)
    _refuse_unless_valid(shape, value)
    return dict(value)


def write_output(operation: str, value: dict[str, Any]) -> dict[str, Any]:
    """Return an answer's document with times as epoch seconds; an answer outside the model is a bug of ours."""
    shape = model().operation_model(operation).output_shape
    if problems := list(_problems(shape, value, "")):
        raise Refusal("broken") from ValueError("; ".join(problems))
    return dict(_convert(shape, value, "", _time_out))


def check(shape_name: str, value: Any) -> list[str]:
    """Return what is wrong with a value of one shape, for forms and tests."""
    shape = model().shape_for(shape_name)
    return list(_problems(shape, value, shape_name))


def _time_in(value: Any, path: str) -> datetime:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refusal("serialization", reason=f"{path}: a time is a number of seconds since 1970.")
    try:
        return datetime.fromtimestamp(value, UTC)
    except (OverflowError, ValueError, OSError):
        raise Refusal("serialization", reason=f"{path}: {value} is no time.") from None


def _time_out(value: Any, path: str) -> float:
    return float(round(value.timestamp(), 3))


def _convert(shape: Shape, value: Any, path: str, time: Callable[[Any, str], Any]) -> Any:
    """Return the value with its times converted; members the model does not know are kept for the check."""
    if value is None:
        return None
    if shape.type_name == "structure" and isinstance(value, dict):
        known = shape.members
        return {
            name: _convert(known[name], each, f"{path}.{name}" if path else name, time) if name in known else each
            for name, each in value.items()
            if each is not None
        }
    if shape.type_name == "list" and isinstance(value, list):
        return [_convert(shape.member, each, path, time) for each in value]
    return time(value, path) if shape.type_name == "timestamp" else value


def _refuse_unless_valid(shape: Shape, value: Any) -> None:
    problems = list(_problems(shape, value, ""))
    if not problems:
        return
    for problem in problems:
        if problem.startswith("!"):
            raise Refusal("serialization", reason=problem[1:])
    noun = "error" if len(problems) == 1 else "errors"
    raise Refusal("validation", reason=f"{len(problems)} validation {noun} detected: {'; '.join(problems)}")


_PYTHON: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "long": (int,), "boolean": (bool,),
    "timestamp": (datetime,), "list": (list,), "structure": (dict,),
}  # fmt: skip


def _problems(shape: Shape, value: Any, path: str) -> Iterator[str]:
    """Yield a sentence for each breach; one about the type begins with an exclamation mark."""
    if not _is_of_type(shape, value):
        yield f"!Value at '{_lower(path)}' is not of the type {shape.type_name}"
    elif shape.type_name == "structure":
        yield from _structure_problems(shape, value, path)
    elif shape.type_name == "list":
        for index, each in enumerate(value, start=1):
            yield from _problems(shape.member, each, f"{path}.{index}.member")
    else:
        for constraint in _broken(shape, value):
            yield f"Value '{value}' at '{_lower(path)}' failed to satisfy constraint: {constraint}"


def _is_of_type(shape: Shape, value: object) -> bool:
    wanted = _PYTHON[shape.type_name]
    return isinstance(value, wanted) and (bool in wanted or not isinstance(value, bool))


def _structure_problems(shape: Shape, value: dict[str, Any], path: str) -> Iterator[str]:
    prefix = f"{path}." if path else ""
    for name in shape.required_members:
        if name not in value:
            place = _lower(prefix + name)
            yield f"Value null at '{place}' failed to satisfy constraint: Member must not be null"
    for name, each in value.items():
        if name in shape.members:
            yield from _problems(shape.members[name], each, prefix + name)
        else:
            yield f"Value at '{_lower(prefix + name)}' failed to satisfy constraint: Member is not known"


def _broken(shape: Shape, value: Any) -> Iterator[str]:
    """Yield the constraints that a plain value breaks."""
    rules = shape.metadata
    size, noun = (len(value), "have length") if isinstance(value, str) else (value, "have value")
    if "min" in rules and size < rules["min"]:
        yield f"Member must {noun} greater than or equal to {rules['min']}"
    if "max" in rules and size > rules["max"]:
        yield f"Member must {noun} less than or equal to {rules['max']}"
    if "pattern" in rules and not re.fullmatch(rules["pattern"], value):
        yield f"Member must satisfy regular expression pattern: {rules['pattern']}"
    if shape.type_name == "string" and shape.enum and value not in shape.enum:
        yield f"Member must satisfy enum value set: [{', '.join(shape.enum)}]"


def _lower(path: str) -> str:
    """Return a path as the service writes it: ``bonusAmount`` for BonusAmount."""
    return ".".join(part[:1].lower() + part[1:] for part in path.split("."))
