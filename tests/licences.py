"""Under which licences is what the product runs with? ``python -m tests.licences`` lists it, and fails on a new one.

Every library of requirements/run.txt with all that it brings along, as its own metadata says.
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REQUIREMENTS = Path(__file__).resolve().parent.parent / "requirements" / "run.txt"
ALLOWED = {
    "MIT", "MIT-0", "MIT License", "MIT-CMU", "BSD", "New BSD", "BSD License", "BSD-2-Clause", "BSD-3-Clause", "0BSD",
    "ISC",
    "Apache-2.0", "Apache Software License", "Apache License 2.0", "PSF-2.0", "Python Software Foundation License",
    "Zlib", "CC0-1.0", "Unlicense",
}  # fmt: skip
"""What asks for a notice at most, by the names that libraries use."""
ONCE = {
    "certifi": "Mozilla Public License 2.0 (MPL 2.0)",  # a list of certificates, unchanged
    "psycopg2-binary": "GNU Library or Lesser General Public License (LGPL)",  # a library of its own, unchanged
}
"""Licences that ask for more, of the one library for which we keep to it."""


def libraries() -> dict[str, Distribution]:
    """Return what is installed of the requirements and of theirs, by name."""
    found: dict[str, Distribution] = {}
    wanted = [line for line in REQUIREMENTS.read_text().splitlines() if line[:1].isalpha()]
    while wanted:
        asked = Requirement(wanted.pop())
        name = canonicalize_name(asked.name)
        extras = {"", *asked.extras}
        if name in found or not (asked.marker is None or any(asked.marker.evaluate({"extra": e}) for e in extras)):
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue  # an extra that is not installed
        wanted += found[name].requires or []
    return found


def licence(library: Distribution) -> str:
    """Return what a library says of its licence: its expression, else what the index files it under, else its words."""
    said = library.metadata
    filed = [each.rpartition(" :: ")[2] for each in said.get_all("Classifier") or [] if each.startswith("License ::")]
    return said.get("License-Expression") or " OR ".join(filed) or (said.get("License") or "").split("\n")[0]


def is_allowed(name: str, licence: str) -> bool:
    """Tell whether all parts of a licence are, or one where the library leaves the choice."""
    if ONCE.get(name) == licence:
        return True
    choices = [re.split(r" AND ", choice) for choice in re.split(r" OR ", licence.strip("()"))]
    return any(all(part.strip("() ") in ALLOWED for part in parts) for parts in choices)


def refused() -> Iterator[str]:
    """Yield a sentence for each library whose licence stands in no list."""
    for name, library in sorted(libraries().items()):
        if not is_allowed(name, licence(library)):
            yield f"{name}: its licence is {licence(library)!r}. Read it; allow it in tests/licences.py, or do without."


def main() -> int:
    """List all, and what is refused."""
    for name, library in sorted(libraries().items()):
        print(f"{name:28} {library.version:12} {licence(library)}")
    sentences = list(refused())
    print("\n".join(sentences) or "All are allowed.")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
