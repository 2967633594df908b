"""How long may things take? A study's minutes as the seconds of ``chat.protocol.Times``."""

from typing import Any

import msgspec

from chat.protocol import Times


def of(content: dict[str, Any], duration: float) -> dict[str, Any]:
    """Return the times of a dialog about a video of ``duration`` seconds, as they are stored with it."""
    return dict(
        msgspec.to_builtins(
            Times(
                grace=content["grace_seconds"],
                grace_rounds=content["grace_rounds"],
                long_grace=max(content["grace_seconds"], content["long_grace_seconds"]),
                turn=60 * content["turn_minutes"],
                nudge=60 * content["nudge_minutes"],
                typing=60 * content["typing_minutes"],
                watch=60 + 2 * duration,
                summary=60 * content["summary_minutes"],
                dialog=60 * content["dialog_minutes"],
                warning=60 * content["dialog_warning_minutes"],
            )
        )
    )


def grace(times: Times, stored: int) -> float:
    """Return for how many seconds a lost partner is waited for after ``stored`` utterances."""
    return times.grace if stored < 2 * times.grace_rounds else times.long_grace


def turn(times: Times, stored: int, rounds: int, *, watched: bool) -> float | None:
    """Return how many seconds the next move may take once ``stored`` utterances are there; None when none is left.

    The clock of the first answer starts when the video has played: until then the time to watch comes on top.
    """
    if stored > 2 * rounds:
        return None
    if stored == 2 * rounds:
        return times.summary
    return times.turn + (times.watch if stored % 2 and not watched else 0)
