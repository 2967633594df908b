"""How does a file, or a folder, come to be whole or not at all? Written beside its place, then renamed onto it.

Whatever goes wrong on the way - a full disk, a bug, Ctrl-C - leaves what was there as it was and no other behind.
"""

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


class CannotWrite(Exception):
    """The file cannot be written there; the message is a sentence for the researcher."""


def check(path: Path) -> None:
    """Raise CannotWrite when no file can come to be at ``path``: before the work, not after it."""
    _check_parent(path)
    if path.exists() and not path.is_file():
        raise CannotWrite(f"{path} is not a file. Give --out the name of a file.")
    if path.exists() and not os.access(path, os.W_OK):
        raise CannotWrite(f"{path} may not be written. Give another --out, or make it writable.")


def check_folder(path: Path) -> None:
    """Raise CannotWrite when no folder can come to be at ``path``: only an empty one is replaced."""
    _check_parent(path)
    if path.exists() and not path.is_dir():
        raise CannotWrite(f"{path} is a file. This format is a folder: give --out the name of a new one.")
    if path.exists() and any(path.iterdir()):
        raise CannotWrite(f"The folder {path} is not empty. Give --out the name of a new one.")


def _check_parent(path: Path) -> None:
    if not path.parent.is_dir():
        raise CannotWrite(f"There is no folder {path.parent}. Make it, or give another --out.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise CannotWrite(f"Nothing may be written in the folder {path.parent}. Give another --out.")


def write(path: Path, pieces: Iterable[str]) -> None:
    """Write ``pieces`` to ``path`` in UTF-8, as they come. Raises CannotWrite when the system refuses."""
    with replacing(path) as beside, beside.open("x", encoding="utf-8", newline="\n") as file:
        file.writelines(pieces)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the name of a file to make, which then takes the place of ``path``.

    Raises CannotWrite when the system refuses.
    """
    path = path.resolve()  # through a link, to the file it names
    check(path)
    with _renamed(path) as beside:
        yield beside
        _sync(beside)


@contextmanager
def making(path: Path) -> Iterator[Path]:
    """Yield a new folder to fill, which then takes the place of ``path``. Raises CannotWrite as ``replacing`` does."""
    path = path.resolve()
    check_folder(path)
    with _renamed(path) as beside:
        beside.mkdir()
        yield beside
        for file in beside.rglob("*"):
            if file.is_file():
                _sync(file)


@contextmanager
def _renamed(path: Path) -> Iterator[Path]:
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        try:
            yield beside
            os.replace(beside, path)
        finally:
            if beside.is_dir():
                shutil.rmtree(beside)
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise CannotWrite(f"{path} could not be written: {error.strerror or error}.") from error


def _sync(path: Path) -> None:
    # Else a power cut after the rename could leave an empty file in the place of a good one.
    with path.open("rb") as file:
        os.fsync(file.fileno())
