"""Does a worker's device fit? What its page reports of one try, and what is to be done about what it lacks."""

import secrets
from dataclasses import dataclass
from enum import StrEnum

from collector.lib.marking import gettext_noop

LEAST_WIDTH, LEAST_HEIGHT = 320, 400
"""CSS pixels below which frames, dialog and composer cannot be seen together."""
GROUPS = 2
"""Of beeps in a clip."""
MOST_TRIES = 6
"""Numbers can be guessed, though not often in so few tries."""


def draw_beeps() -> str:
    """Return how many beeps the next clip plays, a digit a group, one to five each."""
    return "".join(str(1 + secrets.randbelow(5)) for _ in range(GROUPS))


class Lack(StrEnum):
    """What a device lacks."""

    VIDEO = "video"
    SOUND = "sound"
    SCREEN = "screen"


ADVICE = {
    Lack.VIDEO: gettext_noop(
        "The clip did not play to its end. Press play and let it finish; if nothing moves, use a current Firefox, "
        "Chrome, Edge or Safari, and allow this page to play media."
    ),
    Lack.SOUND: gettext_noop(
        "These are not the numbers of beeps that were played. Switch the sound on, turn it up, try headphones, and see "
        "that this tab is not muted. The next clip has other numbers."
    ),
    Lack.SCREEN: gettext_noop(
        "The window is too small: it takes {width} by {height} pixels. Make it larger, zoom out, or turn the phone "
        "upright."
    ),
}


@dataclass(frozen=True)
class Report:
    """What a page says of one try. All of it comes from a worker's browser; only what was heard proves something."""

    heard: str
    has_played: bool
    width: int
    height: int
    has_socket: bool

    def lacks(self, beeps: str) -> list[Lack]:
        """Return what is lacking when the clip played ``beeps``."""
        digits = "".join(each for each in self.heard if each.isdigit())
        found = {
            Lack.VIDEO: not self.has_played,
            Lack.SOUND: digits != beeps,
            Lack.SCREEN: self.width < LEAST_WIDTH or self.height < LEAST_HEIGHT,
        }
        return [lack for lack, is_so in found.items() if is_so]
