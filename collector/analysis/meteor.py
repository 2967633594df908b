"""How near is a text to others by METEOR 1.5? By its own program or not at all: no other formula goes by its name.

The program is a jar in the package pycocoevalcap, which is an extra, and needs Java. Where one of them is missing, the
reason is said in the place of the figure.
"""

import importlib.util
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from collector.analysis.captions import Tokens


class MeteorFailed(Exception):
    """The program was there and gave no scores; the message is a sentence."""


def missing() -> str:
    """Return why there is no METEOR here, as it stands in the place of a figure, or nothing."""
    if importlib.util.find_spec("pycocoevalcap") is None:
        return "not available (needs pycocoevalcap)"
    return "" if shutil.which("java") else "not available (needs Java)"


def meteor(sets: Iterable[tuple[Sequence[Tokens], Sequence[Sequence[Tokens]]]]) -> Iterator[float]:
    """Yield METEOR of each set of candidates and their references.

    It starts one program of up to 2 GB, which takes some seconds, then scores some hundred candidates a second. Raises
    MeteorFailed.
    """
    from pycocoevalcap.meteor.meteor import Meteor

    program = Meteor()
    for candidates, references in sets:
        others = {number: [" ".join(each) for each in refs] for number, refs in enumerate(references)}
        said = {number: [" ".join(each)] for number, each in enumerate(candidates)}
        try:
            whole, _ = program.compute_score(others, said)
        except (OSError, ValueError) as error:
            program.lock.release()  # it would wait for its own lock when it is thrown away
            with suppress(OSError):
                program.meteor_p.stdin.close()  # what it was still to be told has no reader
            raise MeteorFailed(
                "The METEOR program ended before it gave scores. Does `java -Xmx2G -version` work here?"
            ) from error
        yield float(whole)
