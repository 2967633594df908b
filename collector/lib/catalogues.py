"""How do the translations of workers' pages come from text files to where Django reads them?

A process that starts compiles what has changed into ``var/locale``: nothing compiled is kept in the repository, and
nothing but Python is needed for it.
"""

import os
import re
import secrets
from collections.abc import Iterable
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

FOLDER = Path(__file__).resolve().parent.parent / "locale"
PSEUDO = "ar-xb"
"""A language for tests: English with an accent on every letter, from right to left. What has no accent there was not
marked for translation."""
FORMAT = "format of a date"
"""Context of texts that are no words, but say how Django writes a date."""
_PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ACCENTED = "ÁƁÇĐÉƑĜĤÍĴĶĻṀŃÓÞǪŔŠŢÚṼŴẊÝŽáƀçđéƒĝĥíĵķļṁńóþǫŕšţúṽŵẋýž"
_ACCENTS = str.maketrans(_PLAIN, _ACCENTED)
_KEPT = re.compile(r"(%\(\w+\)[sd]|%%|\{\w+\}|<[^>]*>|&\w+;)")


def compile_stale(target: Path, languages: Iterable[str]) -> None:
    """Compile the text files of the languages into ``target``, where they are not as old as what was made of them."""
    for language in languages:
        source = "es" if language == PSEUDO else language  # every file holds all texts in English
        for path in sorted((FOLDER / source / "LC_MESSAGES").glob("*.po")):
            base, _, territory = language.partition("-")
            folder = f"{base}_{territory.upper()}" if territory else base
            _compile(path, target / folder / "LC_MESSAGES" / f"{path.stem}.mo", is_pseudo=language == PSEUDO)


def _compile(path: Path, compiled: Path, *, is_pseudo: bool) -> None:
    written = path.stat().st_mtime_ns
    if compiled.exists() and compiled.stat().st_mtime_ns == written:
        return
    catalog = read(path)
    compiled.parent.mkdir(parents=True, exist_ok=True)
    made = compiled.with_name(f"{secrets.token_hex(8)}.mo")
    with made.open("wb") as file:
        write_mo(file, accented(catalog) if is_pseudo else catalog)
    os.utime(made, ns=(written, written))
    made.replace(compiled)  # whole or not at all: other processes start at the same time


def read(path: Path) -> Catalog:
    """Return the texts of a file with their translations."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parent.parent.name)


def accented(catalog: Catalog) -> Catalog:
    """Return the same texts in the language for tests."""
    made = Catalog(locale="en")
    for message in catalog:
        if message.id:
            is_format = message.context == FORMAT
            forms = message.id if isinstance(message.id, tuple | list) else (message.id,)
            said = tuple(form if is_format else accent(form) for form in forms)
            made.add(message.id, said if len(said) > 1 else said[0], context=message.context)
    return made


def accent(text: str) -> str:
    """Return a text in the language for tests; placeholders, tags and entities stay as they are."""
    parts = _KEPT.split(text)
    return "".join(part if number % 2 else part.translate(_ACCENTS) for number, part in enumerate(parts))
