"""A bundle says under which licence it is given and how it is cited."""

import io
from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command

from collector.studies.models import Study
from tests.releases.conftest import AUTHOR, release

pytestmark = pytest.mark.django_db


def test_the_licence_is_the_one_that_workers_were_told_of(talks: Study, out: Path, tmp_path: Path) -> None:
    assert "Warning" not in release(out, "--study", "talks", "--formats", "raw")
    assert "    CC-BY-4.0\n" in (out / "LICENSE.txt").read_text()
    said = release(tmp_path / "other", "--study", "talks", "--formats", "raw", "--license", "cc0-1.0")
    assert "the texts were collected under another licence: CC BY 4.0." in said
    assert "license: CC0-1.0\n" in (tmp_path / "other/CITATION.cff").read_text()


def test_it_says_how_to_cite_it(talks: Study, out: Path) -> None:
    options = [
        "--title",
        'Talks & "sums": 100%',
        "--edition",
        "2.1",
        "--author",
        "Institute: of Talk",
        "--doi",
        "10.1/x",
    ]
    release(out, "--study", "talks", "--formats", "raw", *options, "--url", "https://example.org/talks")
    cited = yaml.safe_load((out / "CITATION.cff").read_text())
    assert cited["authors"] == [{"family-names": "Müller", "given-names": "Ada"}, {"name": "Institute: of Talk"}]
    assert (cited["title"], cited["version"], cited["type"]) == ('Talks & "sums": 100%', "2.1", "dataset")
    assert (cited["doi"], cited["url"], cited["license"]) == ("10.1/x", "https://example.org/talks", "CC-BY-4.0")
    bib = (out / "CITATION.bib").read_text()
    assert r'title = {{Talks \& "sums": 100\%}},' in bib
    assert "author = {Müller, Ada and {Institute: of Talk}}," in bib
    assert bib in (out / "README.md").read_text()


def test_without_an_author_the_institution_is_cited_or_one_is_asked_for(talks: Study, out: Path) -> None:
    def without_author() -> None:
        call_command(
            "release",
            "--study",
            "talks",
            "--formats",
            "raw",
            "--out",
            str(out),
            stdout=io.StringIO(),
            stderr=io.StringIO(),
        )

    Study.objects.filter(pk=talks.pk).update(institution="")
    with pytest.raises(CommandError, match=r"Somebody must be cited: name them with --author"):
        without_author()
    Study.objects.filter(pk=talks.pk).update(institution="University of Nowhere")
    without_author()
    assert "author = {{University of Nowhere}}," in (out / "CITATION.bib").read_text()
    assert AUTHOR.startswith("--author=")
