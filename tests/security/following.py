"""Follow the reader of lists of videos with changed bytes, by atheris where it is installed.

    python -m tests.security.following -max_total_time=60 FOLDER

What follows is libFuzzer's; the folder keeps what it has learned. Frames are decoded by compiled code, where it sees
no branches.
"""

import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["collector.catalogue.sources"]):
    from collector.catalogue import sources


def take(data: bytes) -> None:
    """Read bytes as a list of videos; anything but a Problem is a find."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        with suppress(sources.Problem):
            list(sources.read(Path(file.name)))


if __name__ == "__main__":
    atheris.Setup(sys.argv, take)
    atheris.Fuzz()
