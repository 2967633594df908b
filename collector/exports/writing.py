"""How does a file come to be whole or not at all? Written beside its place, then renamed onto it.

Whatever goes wrong on the way - a full disk, a bug, Ctrl-C - leaves the old file as it was and no other behind.
"""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path


class CannotWrite(Exception):
    """The file cannot be written there; the message is a sentence for the researcher."""


def check(path: Path) -> None:
    """Raise CannotWrite when no file can come to be at ``path``: before the work, not after it."""
    if not path.parent.is_dir():
        raise CannotWrite(f"There is no folder {path.parent}. Make it, or give another --out.")
    if path.exists() and not path.is_file():
        raise CannotWrite(f"{path} is not a file. Give --out the name of a file.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise CannotWrite(f"Nothing may be written in the folder {path.parent}. Give another --out.")
    if path.exists() and not os.access(path, os.W_OK):
        raise CannotWrite(f"{path} may not be written. Give another --out, or make it writable.")


def write(path: Path, pieces: Iterable[str]) -> None:
    """Write ``pieces`` to ``path`` in UTF-8, as they come. Raises CannotWrite when the system refuses."""
    path = path.resolve()  # through a link, to the file it names
    check(path)
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        try:
            _fill(beside, pieces)
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise CannotWrite(f"{path} could not be written: {error.strerror or error}.") from error


def _fill(path: Path, pieces: Iterable[str]) -> None:
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.writelines(pieces)
        file.flush()
        os.fsync(
            file.fileno()
        )  # else a power cut after the rename could leave an empty file in the place of a good one
