"""How does a program judge answers? By what the sample's scene truly shows, some more strictly than others.

Of any other video nothing is known, so there it marks some answers by chance.
"""

import re
from typing import Any

from chat import scene_talk
from collector.catalogue.scenes import Scene
from collector.summaries.simulation import Alone

_WORD = re.compile(r"\w+")


class Judge(Alone):
    """A program that finds correct what says nearly the same as the truth."""

    page = "judge"

    async def work(self, scene: Scene | None, opening: dict[str, Any]) -> None:
        """Mark page by page, then finish."""
        found = self._marks(scene, opening["question"], opening["options"])
        for done in range(opening["page"], len(found), 3 * opening["page"]):
            await self.post({"type": "marks", "marks": found[:done] + [None] * (len(found) - done)}, "seen")
            await self.think()
        await self.finish({"type": "finish", "marks": found})

    def _marks(self, scene: Scene | None, question: str, options: list[str]) -> list[bool]:
        if scene is None:
            return [self.rng.random() < 0.1 for _ in options]
        truth, least = _words(scene_talk.answer(scene, question)), self.rng.uniform(0.6, 1)
        return [_likeness(truth, _words(option)) >= least for option in options]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of words that two texts have in common, from 0 to 1."""
    return len(one & other) / max(1, len(one | other))
