"""How is a release cited, and under which licence? CITATION.cff, BibTeX, and a statement."""

import json
import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from collector.releases.holding import CannotRelease

_ESCAPED = {each: rf"\{each}" for each in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


@dataclass(frozen=True)
class Publication:
    """What a release is published as. An author is "Family, Given", or the name of an institution."""

    title: str
    edition: str
    authors: tuple[str, ...]
    licence: str
    """An identifier of SPDX, such as CC-BY-4.0."""
    released: date
    doi: str = ""
    url: str = ""


def licence_of(name: str) -> str:
    """Return the SPDX identifier that is meant by a licence's name. Raises CannotRelease when there is none."""
    try:
        found = str(canonicalize_license_expression("-".join(name.split())))
    except InvalidLicenseExpression:
        found = ""
    if not found or " " in found or found.startswith("LicenseRef-"):
        raise CannotRelease(
            f"{name!r} is not the identifier of a licence. Give --license one of https://spdx.org/licenses/, such as "
            f"CC-BY-4.0 or CC0-1.0."
        )
    return found


def statement(of: Publication) -> str:
    """Return LICENSE.txt."""
    return f"""\
The texts and data of "{of.title}" (version {of.edition}) are given under the licence with the SPDX identifier

    {of.licence}

whose full text stands at https://spdx.org/licenses/{of.licence}.html.

Videos, frames and scripts, where any are here, keep the licences of their sources.
"""


def cff(of: Publication) -> str:
    """Return CITATION.cff, of Citation File Format 1.2.0. Each value is quoted as JSON, which YAML reads."""
    lines = ["cff-version: 1.2.0", 'message: "If you use this dataset, please cite it."', "type: dataset"]
    lines += [f"title: {_quoted(of.title)}", f"version: {_quoted(of.edition)}", f"date-released: {of.released}"]
    lines += [f"license: {of.licence}", "authors:"]
    for author in of.authors:
        family, comma, given = (part.strip() for part in author.partition(","))
        if comma:
            lines += [f"  - family-names: {_quoted(family)}", f"    given-names: {_quoted(given)}"]
        else:
            lines.append(f"  - name: {_quoted(family)}")
    lines += [f"{name}: {_quoted(value)}" for name, value in (("doi", of.doi), ("url", of.url)) if value]
    return "\n".join(lines) + "\n"


def bibtex(of: Publication) -> str:
    """Return CITATION.bib. An institution stands in braces of its own, so that it is not taken for a person."""
    named = [_escaped(each) if "," in each else f"{{{_escaped(each)}}}" for each in of.authors]
    fields = {
        "author": " and ".join(named),
        "title": f"{{{_escaped(of.title)}}}",
        "year": str(of.released.year),
        "version": _escaped(of.edition),
        "note": f"Dataset, licence {of.licence}",
        "doi": of.doi,
        "url": of.url,
    }
    lines = [f"  {name} = {{{value}}},\n" for name, value in fields.items() if value]
    return f"@misc{{{_key(of)},\n{''.join(lines)}}}\n"


def _key(of: Publication) -> str:
    words = (of.authors[0].partition(",")[0].split() or ["dataset"])[-1], str(of.released.year), *of.title.split()[:1]
    plain = unicodedata.normalize("NFKD", "".join(words))
    return re.sub(r"[^A-Za-z0-9]", "", plain).lower() or "dataset"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _escaped(text: str) -> str:
    return "".join(_ESCAPED.get(each, each) for each in text)
