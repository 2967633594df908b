"""Every limit of a study has the default that was announced, and stands in the words that workers read before."""

import pytest

from collector.studies import promises, versions

LIMITS = {
    "longest_wait_minutes": (6, 7),
    "no_partner_a_day": (3, 4),
    "grace_seconds": (60, 90),
    "grace_rounds": (3, 5),
    "long_grace_seconds": (180, 240),
    "turn_minutes": (5, 9),
    "nudge_minutes": (2, 3),
    "typing_minutes": (2, 4),
    "summary_minutes": (15, 20),
    "dialog_minutes": (60, 45),
    "dialog_warning_minutes": (50, 40),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_has_its_default_and_stands_in_words(name: str) -> None:
    default, other = LIMITS[name]
    assert versions.DEFAULTS[name] == default
    said, changed = (promises.in_words(versions.DEFAULTS | {name: number}) for number in (default, other))
    assert len(said) == 5
    assert sum(one != another for one, another in zip(said, changed, strict=True)) == 1


def test_who_is_left_alone_by_the_network_may_end_before_the_long_grace_is_over() -> None:
    pays = versions.DEFAULTS | {"reward": "2.40"}
    assert promises.in_words(pays)[-1].endswith("After 1 minute you may end and be paid in any case.")
    assert promises.in_words(versions.DEFAULTS)[-1].endswith("After 1 minute you may end in any case.")
