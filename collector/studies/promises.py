"""Which times is a worker promised? A version's minutes in words, as the invitation and the waiting page show them."""

from typing import Any


def in_words(content: dict[str, Any]) -> list[str]:
    """Return one sentence a promise, in the order in which a worker meets them."""
    return [
        f"Waiting: when nobody has come after {_minutes(content['longest_wait_minutes'])}, you may end and are paid "
        f"for waiting, {_times(content['no_partner_a_day'])} a day; or you wait on.",
        f"Writing: {_minutes(content['turn_minutes'])} for each question and each answer, and up to "
        f"{_minutes(content['typing_minutes'])} more while you type. For the first answer they count once the video "
        "has played.",
        f"Summary: {_minutes(content['summary_minutes'])}.",
        f"The whole dialog: {_minutes(content['dialog_minutes'])}. When they are over, the round in progress is the "
        "last, and both are paid in full.",
        f"Lost connection: your partner waits for you {_seconds(content['grace_seconds'])}, and "
        f"{_seconds(max(content['grace_seconds'], content['long_grace_seconds']))} after round "
        f"{content['grace_rounds']}. If your partner is lost, you choose: another partner, or end and be paid.",
    ]


def _minutes(number: int) -> str:
    return f"{number} minute{'' if number == 1 else 's'}"


def _seconds(number: int) -> str:
    return _minutes(number // 60) if number % 60 == 0 else f"{number} seconds"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"up to {number} times")
