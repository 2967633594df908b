"""Which texts of a page have not come through translation? In the language for tests a plain letter gives them away."""

import re
from html.parser import HTMLParser

from collector.lib.catalogues import PSEUDO, accent
from collector.studies.frozen import FrozenFields
from collector.studies.models import Study

OWN = (
    "title", "instructions", "questioner_instructions", "answerer_instructions", "summary_instructions", "purpose",
    "risks", "pay_note", "institution", "researcher", "content_warning", "text_licence", "protocol_number",
)  # fmt: skip
"""Fields of a study whose texts are the researcher's."""
_ATTRIBUTES = ("aria-label", "alt", "title", "placeholder")
_SILENT = ("script", "style", "code")
_KNOWN = re.compile(r"US\$|UTC|\bHIT\b")
"""What is the same in every language, as keys of one letter are."""
_PLAIN = re.compile(r"[A-Za-z]{2,}|\b[a-z]\b")


def speak(study: Study) -> Study:
    """Make a study one of the language for tests, its researcher's own texts included."""
    study.language = PSEUDO
    study.name = accent(study.name)
    for name in OWN:
        field = FrozenFields._meta.get_field(name)
        setattr(study, name, accent(getattr(study, name) or str(field.verbose_name)))
    study.save()
    return study


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [value for name, value in attrs if name in _ATTRIBUTES and value]
        if tag in _SILENT:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not self.open and data.strip():
            self.texts.append(" ".join(data.split()))


def of_page(page: str) -> list[str]:
    """Return the texts of a page, names for screen readers included, that hold plain letters."""
    reader = _Reader()
    reader.feed(page)
    return of_texts(reader.texts)


def of_texts(texts: list[str]) -> list[str]:
    """Return those of some texts that hold plain letters."""
    return [text for text in texts if _PLAIN.search(_KNOWN.sub("", text))]
