"""Is everything that workers read translated? `make words` brings the files in line where this fails."""

import re
from pathlib import Path

import pytest
from django.utils.translation import gettext, override

from collector.lib import catalogues, languages
from hits import settlement
from tests import words


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("domain", words.DOMAINS)
def test_every_text_of_workers_has_a_translation_with_the_same_placeholders(language: str, domain: str) -> None:
    lines = words.lacking(language, domain)
    assert not lines, "Run make words and translate what it names:\n" + "\n".join(lines)


def test_the_texts_are_found_in_templates_python_and_modules() -> None:
    served, own = words.collected("django"), words.collected("djangojs")
    assert served.get("Leave for good?")
    assert served.get("A question ends with a question mark.")
    assert served.get("Not answered yet.")
    assert own.get("You are paid for this dialog either way."), "inside a template string, too"


def test_what_is_missing_or_wrong_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = words.collected("djangojs")
    found.add("A new sentence about {what}.", locations=[("static/js/new.js", 0)])
    known = words.read(words.path_of("es", "djangojs"))
    known.get("{time} left").string = "Quedan {tiempo}"
    known.get("Try now").string = ""
    known.get("Try again").flags.add("fuzzy")
    known.add("Of a page that is gone", "De una página que ya no está")
    monkeypatch.setattr(words, "collected", lambda domain: found)
    monkeypatch.setattr(words, "read", lambda path: known)
    said = "\n".join(words.lacking("es", "djangojs"))
    assert "static/js/new.js: 'A new sentence about {what}.' is not in the file" in said
    assert "'{time} left' is translated with other placeholders" in said
    assert "'Try now' has no translation." in said
    assert "'Try again' is marked as fuzzy" in said
    assert "'Of a page that is gone' stands nowhere in the code." in said
    assert len(said.splitlines()) == 5


def test_a_file_is_compiled_anew_when_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "source" / "es" / "LC_MESSAGES", tmp_path / "compiled"
    source.mkdir(parents=True)
    monkeypatch.setattr(catalogues, "FOLDER", source.parent.parent)
    (source / "django.po").write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8"\n\nmsgid "a"\nmsgstr "b"\n'
    )
    catalogues.compile_stale(target, ["en", "es", catalogues.PSEUDO])
    compiled = target / "es" / "LC_MESSAGES" / "django.mo"
    assert b"b" in compiled.read_bytes()
    assert "á".encode() in (target / "ar_XB" / "LC_MESSAGES" / "django.mo").read_bytes()
    (source / "django.po").write_text((source / "django.po").read_text().replace('msgstr "b"', 'msgstr "another word"'))
    catalogues.compile_stale(target, ["es"])
    assert b"another word" in compiled.read_bytes()
    assert [path.name for path in compiled.parent.iterdir()] == ["django.mo"]


def test_the_language_for_tests_changes_every_letter_and_nothing_else() -> None:
    said = catalogues.accent('Keep <a href="%(url)s">the link</a> for {time} &amp; more.')
    kept = r'[^A-Za-z]+ <a href="%\(url\)s">[^A-Za-z]+</a> [^A-Za-z]+ \{time\} &amp; [^A-Za-z]+'
    assert re.fullmatch(kept, said)


TAGS = [("en", "en"), ("es", "es"), ("es-MX", "es"), ("ES-mx", "es"), ("ja", "en")]


@pytest.mark.parametrize(("tag", "language"), TAGS)
def test_a_study_s_pages_are_in_its_language_where_there_is_a_translation(tag: str, language: str) -> None:
    assert languages.of(tag) == language


def test_numbers_and_amounts_are_written_as_the_language_does() -> None:
    with override("es"):
        assert languages.dollars(1234) == "1.234,00\xa0US$"
        assert languages.many(1, "minute") == "1 minuto"
        assert languages.many(2, "minute") == "2 minutos"
        assert languages.listed(["a", "b", "c"]) == "a, b y c"
    assert languages.dollars(1234) == "$1,234.00"


def test_what_the_ledger_says_in_english_a_worker_reads_in_their_language() -> None:
    with override("es"):
        assert settlement.in_words("for 3 of 10 rounds") == "por 3 de 10 rondas"
        assert settlement.in_words("because Ada said so") == "because Ada said so"
        assert gettext("due") == "pendiente"
    assert settlement.in_words("for 3 of 10 rounds") == "for 3 of 10 rounds"
