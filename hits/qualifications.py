"""Who may work? Requirements as a researcher thinks of them, in words, and as Mechanical Turk takes them.

Facts: a worker with fewer than 100 approved assignments counts as 100 % approved, so a percentage means something only
together with a number. All comparators but Exists and DoesNotExist need the qualification to be held. A locale is the
address a worker gave. "North America" is no value of the API: presets name countries, 30 at most.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

PERCENT_APPROVED = "000000000000000000L0"
NUMBER_APPROVED = "00000000000000000040"
LOCALE = "00000000000000000071"
ADULT = "00000000000000000060"
MASTERS = {
    "live": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH",
    "sandbox": "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6",
    "local": "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6",
}
MOST_COUNTRIES = 30
MOST_REQUIREMENTS = 10
COUNTRY_PRESETS = {
    "US, CA": ("US", "CA"),
    "US, CA, MX": ("US", "CA", "MX"),
}
"""What "located in North America" (AVSD, section 3.1) may mean; the paper names no countries. The first is default."""
_COUNTRY = re.compile(r"[A-Z]{2}")
_TYPE_ID = re.compile(r"[A-Z0-9]{1,64}")

Comparator = Literal["GreaterThanOrEqualTo", "In", "EqualTo", "Exists", "DoesNotExist"]


class BadQualification(ValueError):
    """A requirement that no marketplace would take; the message says which and why."""


@dataclass(frozen=True)
class Wanted:
    """What is asked of workers. ``excluded`` and ``required`` are ids of own qualification types."""

    percent_approved: int | None = 95
    number_approved: int | None = 500
    countries: tuple[str, ...] = COUNTRY_PRESETS["US, CA"]
    masters: bool = False
    adult: bool = False
    required: tuple[str, ...] = field(default=())
    excluded: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        """Refuse what cannot be asked. Raises BadQualification."""
        if self.percent_approved is not None and not 0 <= self.percent_approved <= 100:
            raise BadQualification(f"Percent approved: {self.percent_approved} is not between 0 and 100.")
        if self.number_approved is not None and self.number_approved < 0:
            raise BadQualification(f"Number approved: {self.number_approved} is below 0.")
        for country in self.countries:
            if not _COUNTRY.fullmatch(country):
                raise BadQualification(f"Countries: {country!r} is no country code of two capital letters, such as US.")
        if len(self.countries) > MOST_COUNTRIES:
            raise BadQualification(f"Countries: {len(self.countries)} are more than the {MOST_COUNTRIES} that fit.")
        for type_id in (*self.required, *self.excluded):
            if not _TYPE_ID.fullmatch(type_id):
                raise BadQualification(f"Qualification type: {type_id!r} is no id (capital letters and digits).")
        if (number := len(self._all("live"))) > MOST_REQUIREMENTS:
            raise BadQualification(f"{number} requirements are more than the {MOST_REQUIREMENTS} that fit.")

    def _all(self, environment: str) -> list[dict[str, Any]]:
        asked: list[dict[str, Any]] = []
        if self.percent_approved is not None:
            asked.append(_at_least(PERCENT_APPROVED, self.percent_approved))
        if self.number_approved is not None:
            asked.append(_at_least(NUMBER_APPROVED, self.number_approved))
        if self.countries:
            locales = [{"Country": country} for country in self.countries]
            asked.append({"QualificationTypeId": LOCALE, "Comparator": "In", "LocaleValues": locales})
        if self.masters:
            asked.append(_plain(MASTERS[environment], "Exists"))
        if self.adult:
            asked.append({"QualificationTypeId": ADULT, "Comparator": "EqualTo", "IntegerValues": [1]})
        asked += [_plain(type_id, "Exists") for type_id in self.required]
        asked += [_plain(type_id, "DoesNotExist") for type_id in self.excluded]
        return asked


def _plain(type_id: str, comparator: Comparator) -> dict[str, Any]:
    return {"QualificationTypeId": type_id, "Comparator": comparator}


def _at_least(type_id: str, value: int) -> dict[str, Any]:
    return {"QualificationTypeId": type_id, "Comparator": "GreaterThanOrEqualTo", "IntegerValues": [value]}


def requirements(wanted: Wanted, environment: str) -> list[dict[str, Any]]:
    """Return the QualificationRequirements of a HIT type; who does not fulfil them does not see the offer at all."""
    return [each | {"ActionsGuarded": "DiscoverPreviewAndAccept"} for each in wanted._all(environment)]


def in_words(wanted: Wanted, known: Mapping[str, str] | None = None) -> list[str]:
    """Return one sentence a requirement, with what to know about it. ``known`` holds sentences for own types' ids."""
    known = known or {}
    said = []
    if wanted.percent_approved is not None:
        said.append(f"At least {wanted.percent_approved} % of their work was approved.")
        if (wanted.number_approved or 0) < 100:
            said.append("Careful: below 100 approved assignments everybody counts as 100 % approved.")
    if wanted.number_approved is not None:
        said.append(f"At least {wanted.number_approved} of their assignments were approved.")
    if wanted.countries:
        said.append(f"They gave an address in {_or(wanted.countries)}; where they really are is not checked.")
    if wanted.masters:
        said.append("They have the Masters qualification, for which the marketplace asks 5 % more.")
    if wanted.adult:
        said.append("They have agreed to see adult content.")
    said += [known.get(each, f"They hold the qualification {each}.") for each in wanted.required]
    said += [known.get(each, f"They do not hold the qualification {each}.") for each in wanted.excluded]
    return said or ["Everybody may work."]


def _or(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def differences(wanted: list[dict[str, Any]], found: list[dict[str, Any]]) -> list[str]:
    """Say how what a marketplace stored differs from what was asked; empty when it does not. Order means nothing."""
    asked, stored = _by_type(wanted), _by_type(found)
    said = [f"{type_id} was asked for and is not there" for type_id in sorted(asked.keys() - stored.keys())]
    said += [f"{type_id} is there and was not asked for" for type_id in sorted(stored.keys() - asked.keys())]
    for type_id in sorted(asked.keys() & stored.keys()):
        if asked[type_id] != stored[type_id]:
            said.append(f"{type_id} is {stored[type_id]}, and {asked[type_id]} was asked for")
    return said


def _by_type(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["QualificationTypeId"]: {name: _sorted(row[name]) for name in sorted(row) if row[name]} for row in rows}


def _sorted(value: Any) -> Any:
    return sorted(value, key=str) if isinstance(value, list) else value
