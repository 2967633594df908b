"""Does a worker meet a HIT's requirements? The comparators and what each guards; imports nothing of Django.

A requirement is the document that came over the wire. A worker's value of a qualification is a number, a locale such
as ``("US", "CA")``, or None where it is not held. All comparators but DoesNotExist need it to be held, NotEqualTo and
NotIn too.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any

PERCENT_APPROVED = "000000000000000000L0"
NUMBER_APPROVED = "00000000000000000040"
LOCALE = "00000000000000000071"
ADULT = "00000000000000000060"
MASTERS = "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"
MASTERS_SANDBOX = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"

SYSTEM_TYPES = {
    PERCENT_APPROVED: "Worker_PercentAssignmentsApproved",
    NUMBER_APPROVED: "Worker_NumberHITsApproved",
    LOCALE: "Worker_Locale",
    ADULT: "Worker_Adult",
    MASTERS: "Masters",
    MASTERS_SANDBOX: "Masters (sandbox)",
}
"""The types that every worker's record answers, with their names."""

Locale = tuple[str, str]
Value = int | Locale | None
Requirement = Mapping[str, Any]

_ORDER: dict[str, Callable[[int, int], bool]] = {
    "LessThan": operator.lt,
    "LessThanOrEqualTo": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqualTo": operator.ge,
}
_SETS = ("In", "NotIn")
_EXISTENCE = ("Exists", "DoesNotExist")
MOST_REQUIREMENTS, MOST_INTEGERS, MOST_LOCALES = 10, 15, 30


class Step(IntEnum):
    """How far a worker wants to go with a HIT; what guards an earlier step guards the later ones."""

    DISCOVER = 0
    PREVIEW = 1
    ACCEPT = 2


_GUARDS = {"DiscoverPreviewAndAccept": Step.DISCOVER, "PreviewAndAccept": Step.PREVIEW, "Accept": Step.ACCEPT}


def guards(requirement: Requirement) -> Step:
    """Return the first step that the requirement guards."""
    if requirement.get("RequiredToPreview"):
        return Step.PREVIEW
    return _GUARDS[requirement.get("ActionsGuarded", "Accept")]


def meets(requirement: Requirement, value: Value) -> bool:
    """Say whether a worker with that value meets the requirement."""
    comparator: str = requirement["Comparator"]
    if comparator in _EXISTENCE:
        return (value is not None) == (comparator == "Exists")
    if value is None:
        return False
    if isinstance(value, tuple):
        return _is_among(value, requirement.get("LocaleValues", [])) == (comparator in ("EqualTo", "In"))
    wanted: list[int] = requirement.get("IntegerValues", [])
    if comparator in _ORDER:
        return _ORDER[comparator](value, wanted[0])
    return (value in wanted) == (comparator in ("EqualTo", "In"))


def _is_among(locale: Locale, wanted: Iterable[Mapping[str, str]]) -> bool:
    """Say whether a locale is one of the wanted; one without a subdivision means the whole country."""
    country, subdivision = locale
    return any(each["Country"] == country and each.get("Subdivision", subdivision) == subdivision for each in wanted)


def needs_masters(requirements: Iterable[Requirement]) -> bool:
    """Say whether only Masters may work, which costs more."""
    return any(
        each["QualificationTypeId"] in (MASTERS, MASTERS_SANDBOX) and each["Comparator"] == "Exists"
        for each in requirements
    )


def problem_with(requirements: list[dict[str, Any]]) -> str | None:
    """Return what is wrong with a list of requirements, beside types that do not exist."""
    if len(requirements) > MOST_REQUIREMENTS:
        return f"A HIT has at most {MOST_REQUIREMENTS} QualificationRequirements."
    return next(filter(None, map(_problem, requirements)), None)


def _problem(requirement: Requirement) -> str | None:
    comparator = requirement["Comparator"]
    integers, locales = requirement.get("IntegerValues", []), requirement.get("LocaleValues", [])
    is_locale = requirement["QualificationTypeId"] == LOCALE
    if "RequiredToPreview" in requirement and "ActionsGuarded" in requirement:
        return "RequiredToPreview and ActionsGuarded cannot be used together."
    if comparator in _EXISTENCE:
        return f"{comparator} takes no value." if integers or locales else None
    if is_locale != bool(locales) or (is_locale and integers):
        return "LocaleValues belong to the locale type and to no other, which needs IntegerValues."
    if is_locale and comparator in _ORDER:
        return f"{comparator} cannot compare locales."
    return _problem_with_number(comparator, len(locales or integers), MOST_LOCALES if is_locale else MOST_INTEGERS)


def _problem_with_number(comparator: str, given: int, most: int) -> str | None:
    most = most if comparator in _SETS else 1
    return None if 1 <= given <= most else f"{comparator} takes 1 to {most} values, not {given}."
