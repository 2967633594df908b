"""How was a text written, in words? Something to look at, which proves nothing: no program decides by it."""

from typing import Any

import msgspec

from chat.protocol import Evidence
from collector.lib.text import many


def in_words(stored: dict[str, Any]) -> list[str]:
    """Return what the page saw of a text's writing, a few words each; empty where the study keeps none."""
    if not stored:
        return []
    seen = msgspec.convert(stored, Evidence)
    return [
        f"first key after {_span(seen.to_first_key)}",
        f"sent after {_span(seen.to_send)}",
        _pasted(seen.pastes),
        f"page left {_times(seen.focus_losses)}" if seen.focus_losses else "page never left",
        many(seen.corrections, "correction") if seen.corrections else "no corrections",
    ]


def _pasted(lengths: list[int]) -> str:
    if not lengths:
        return "nothing pasted"
    *others, last = (str(length) for length in lengths)
    sizes = f"{', '.join(others)} and {last} characters" if others else many(lengths[0], "character")
    return f"pasted {_times(len(lengths))}: {sizes}"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _span(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
