"""Which texts do workers read, and how are they translated? `make words` brings the files of translations in line.

Texts are marked in templates, Python and JavaScript alike, and found by their marks. A translation is kept while its
English stays the same to the letter; what is new has none until somebody writes it.
"""

import re
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import write_po
from django.utils.translation.template import templatize

from collector.lib.catalogues import FOLDER, read

BASE_DIR = Path(__file__).resolve().parent.parent
LANGUAGES = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
DOMAINS = ("django", "djangojs")
"""What the server says, and what the page's modules say by themselves."""
KEYWORDS: dict[str, tuple[int | tuple[int, str], ...] | None] = {
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}
_OPTIONS = {"parse_template_string": True}
_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+\}|<[^>]*>")
_HEADER = """\
# Texts of workers' pages; `make words` brings this file in line with the code.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural}\\n"

"""


def path_of(language: str, domain: str) -> Path:
    """Return the file of a language's translations."""
    return FOLDER / language / "LC_MESSAGES" / f"{domain}.po"


def _sources(domain: str) -> Iterator[tuple[Path, str, str]]:
    """Yield the files in which texts may stand, how they are read, and what to read."""
    if domain == "djangojs":
        for path in sorted((BASE_DIR / "static" / "js").rglob("*.js")):
            yield path, "javascript", path.read_text()
        return
    for folder in ("chat", "collector", "hits"):
        for path in sorted((BASE_DIR / folder).rglob("*")):
            if path.suffix == ".html":
                # Django shows templates to extractors as a program; indented, it would not be one in Python.
                yield path, "python", re.sub(r"(?m)^[ \t]+", "", templatize(path.read_text()))
            elif path.suffix == ".py" and "migrations" not in path.parts:
                yield path, "python", path.read_text()


def collected(domain: str) -> Catalog:
    """Return the texts that are marked in the code, with the files in which they stand."""
    found = Catalog()
    for path, method, text in _sources(domain):
        name = str(path.relative_to(BASE_DIR))
        for _, ids, _, context in extract(method, BytesIO(text.encode()), keywords=KEYWORDS, options=_OPTIONS):
            known = found.get(ids[0] if isinstance(ids, tuple) else ids, context)
            if known is None or name not in [place for place, _ in known.locations]:
                found.add(ids, locations=[(name, 0)], context=context)
    return found


def updated(language: str, domain: str) -> str:
    """Return what a language's file should hold: all texts of the code, with the translations that there are."""
    path = path_of(language, domain)
    known = read(path) if path.exists() else Catalog(locale=language)
    made = Catalog(locale=language)
    for message in collected(domain):
        if message.id:
            before = known.get(message.id, message.context)
            is_same = before is not None and before.id == message.id
            made.add(message.id, before.string if is_same else "", message.locations, context=message.context)
    written = BytesIO()
    write_po(written, made, width=120, omit_header=True, sort_by_file=True, include_lineno=False)
    return _HEADER.format(language=language, plural=made.plural_forms) + written.getvalue().decode()


def lacking(language: str, domain: str) -> list[str]:
    """Return a line for each text of the code that has no good translation, and for each translation of no text."""
    known = read(path_of(language, domain))
    wanted = collected(domain)
    lines = []
    for message in wanted:
        if message.id and (wrong := _wrong(message, known.get(message.id, message.context))):
            where = ", ".join(sorted(place for place, _ in message.locations))
            lines.append(f"{where}: {_first(message)!r} {wrong}")
    for message in known:
        if message.id and wanted.get(message.id, message.context) is None:
            lines.append(f"{path_of(language, domain).name}: {_first(message)!r} stands nowhere in the code.")
    return lines


def _first(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _wrong(message: Message, found: Message | None) -> str:
    """Say what is wrong with a translation; empty when nothing is."""
    if found is None or found.id != message.id:
        return "is not in the file: run make words, then translate it."
    if found.fuzzy:
        return "is marked as fuzzy: look at it and take the mark away."
    english = (message.id,) if isinstance(message.id, str) else tuple(message.id)
    said = (found.string,) if isinstance(found.string, str) else tuple(found.string)
    if not all(said):
        return "has no translation."
    for form in said:
        kept = sorted(set(_PLACEHOLDER.findall(form)))
        if kept not in [sorted(set(_PLACEHOLDER.findall(each))) for each in english]:
            return f"is translated with other placeholders or tags: {form!r}."
    return ""


def main() -> int:
    """Bring every file in line; say what is to be translated."""
    open_texts = 0
    for language in LANGUAGES:
        for domain in DOMAINS:
            path = path_of(language, domain)
            path.write_text(updated(language, domain))
            lines = lacking(language, domain)
            open_texts += len(lines)
            print("\n".join([f"{path.relative_to(BASE_DIR)}: {len(lines)} to be translated", *lines]))
    return 1 if open_texts else 0


if __name__ == "__main__":
    sys.exit(main())
