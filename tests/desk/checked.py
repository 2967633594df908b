"""What a preflight found, by what each check is about."""

from collections.abc import Iterable

from collector.desk.preflight.checks import Check


def by_name(checks: Iterable[Check]) -> dict[str, Check]:
    """Return checks by their names."""
    return {check.about: check for check in checks}
