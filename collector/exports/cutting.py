"""Where does a dialog of a test file end, and what of its last round is kept back? The same for the same seed."""

from dataclasses import dataclass

from collector.exports.draws import draws

UNDISCLOSED = "__UNDISCLOSED__"
"""What the DSTC7 test files write for the answer that is to be found."""
DRAWN = 0

Rounds = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Cut:
    """How test files are cut: ``after`` so many rounds (DRAWN: one drawn for each dialog; None: nowhere)."""

    after: int | None = None
    undisclosed_last: bool = False
    seed: int = 0

    def __call__(self, video: str, rounds: Rounds) -> Rounds:
        """Return what is left of ``rounds``."""
        if self.after is not None and rounds:
            rounds = rounds[: self.after or drawn_round(self.seed, video, len(rounds))]
        if self.undisclosed_last and rounds:
            rounds = (*rounds[:-1], (rounds[-1][0], UNDISCLOSED))
        return rounds


WHOLE = Cut()


def drawn_round(seed: int, video: str, rounds: int) -> int:
    """Return a round from 1 to ``rounds``, each as likely, always the same for a seed and a video."""
    return draws(seed, "round", video).randint(1, rounds)
