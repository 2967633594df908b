"""The statistics as a researcher calls them."""

import csv
import importlib.util
import re
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from collector.analysis import charts
from collector.analysis.probes import read_lists
from collector.analysis.tally import Tally
from tests import factories, machine
from tests.analysis import made_up
from tests.analysis.test_measures import asking

pytestmark = pytest.mark.django_db
NO_IMAGES = "No PNG, SVG and PDF files: not here."


@pytest.fixture(autouse=True)
def _no_browser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "real_images" in request.fixturenames:
        return

    def refuse(*args: Any) -> None:
        raise charts.NoImages(NO_IMAGES)

    monkeypatch.setattr(charts, "write_images", refuse)


@pytest.fixture
def real_images() -> None:
    """Let pictures be made."""


def statistics(*options: str | Path) -> str:
    said = StringIO()
    call_command("dialog_statistics", *map(str, options), stdout=said)
    return said.getvalue()


def figure(said: str, name: str) -> list[str]:
    """Return the cells of a figure's line."""
    (line,) = [line for line in said.splitlines() if line.startswith(f"{name}  ")]
    return re.split(r" {2,}", line)[1:]


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_study_counts_its_complete_dialogs_and_their_workers() -> None:
    study = factories.study(slug="pilot")
    ann, ben, eve = (factories.worker() for _ in range(3))
    factories.finished_dialog(study=study, questioner=ann, answerer=ben)
    factories.finished_dialog(
        study=study, questioner=eve, answerer=ann, started_at=factories.START + timedelta(hours=1)
    )
    factories.finished_dialog(study=study, summary=None)
    factories.finished_dialog(study=study, is_simulated=True)
    factories.finished_dialog()
    said = statistics("--study", "pilot")
    assert figure(said, "dialogs") == ["2"]
    assert figure(said, "videos") == ["2"]
    assert figure(said, "pairs") == ["4"]
    assert figure(said, "workers") == ["3"]
    assert figure(said, "dialogs a worker, mean") == ["1.33"]
    assert figure(said, "dialogs a worker, most") == ["2"]
    assert figure(said, "summary length, mean") == ["9.00 words (9.00 to 9.00)"]
    assert "AVSD 1,553" in said
    for worker in (ann, ben, eve):
        assert worker.external_id not in said
    assert figure(statistics("--study", "pilot", "--simulated", "--without-summary"), "dialogs") == ["4"]
    assert figure(statistics(), "dialogs") == ["3"]


def test_a_file_gives_the_figures_counted_by_hand_with_their_definitions(tmp_path: Path) -> None:
    said = statistics("--json", made_up.write(tmp_path, "raw"))
    assert figure(said, "question length, mean")[0].startswith("4.67 words")
    assert figure(said, "dialogs: audio, stem")[0].startswith("66.7 %")
    assert figure(said, "questions: co-reference, exact")[0].startswith("66.7 %")
    assert "a word has the Porter stem of one of {audio, hear, music, noise, sound, talk}" in said
    assert "Published: AVSD 55.2 %." in said


def test_several_files_are_one_collection_and_several_options_stand_side_by_side(tmp_path: Path) -> None:
    one, two = made_up.write(tmp_path, "dstc7"), made_up.write(tmp_path, "visdial")
    assert figure(statistics("--json", one, two), "dialogs") == ["6"]
    study = factories.study(slug="pilot")
    factories.finished_dialog(study=study)
    said = statistics("--study", "pilot", "--json", one)
    assert re.split(r" {2,}", said.splitlines()[0].strip()) == ["pilot", "dstc7.json", "difference"]
    assert figure(said, "dialogs") == ["1", "3", "-2"]
    assert figure(said, "workers") == ["2", "-", "-"]
    assert figure(said, "answers that open with yes")[0].startswith("50.0 % (")
    assert figure(said, "answers that open with yes")[2].startswith("30.0 % (")


def test_tables_and_a_page_are_written(tmp_path: Path) -> None:
    out = tmp_path / "new" / "statistics"
    said = statistics("--json", made_up.write(tmp_path, "dstc7"), "--out", out)
    assert NO_IMAGES in said
    assert {path.name for path in out.iterdir()} == {
        "figures.csv", "by_round.csv", "lengths.csv", "openings.csv", "vocabulary.csv", "statistics.html",
    }  # fmt: skip
    figures = {line["figure"]: line for line in read_csv(out / "figures.csv")}
    assert {name: float(line["dstc7.json"]) for name, line in figures.items() if name in made_up.FIGURES} == (
        pytest.approx(made_up.FIGURES)
    )
    assert all(line["definition"] for line in figures.values())
    assert [line["word"] for line in read_csv(out / "vocabulary.csv")[:2]] == ["he", "is"]
    assert read_csv(out / "openings.csv")[0] == {
        "collection": "dstc7.json", "of": "questions", "first words": "is", "texts": "2", "%": str(100 / 3),
    }  # fmt: skip


def test_the_page_loads_nothing_and_escapes_what_it_shows(tmp_path: Path) -> None:
    path = made_up.write(tmp_path, "dstc7").rename(tmp_path / "<img src=x onerror=a()>.json")
    statistics("--json", path, "--out", tmp_path)
    page = (tmp_path / "statistics.html").read_text()
    assert "<img" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=", page)
    assert page.count("Plotly.newPlot(") >= 5
    assert "a word is one of {audio, hear, music, noise, sound, talk}" in page


def test_charts_show_what_the_tables_say() -> None:
    tally = Tally("made up", read_lists())
    tally.add(asking("Is there music?", "Is it red?"))
    drawn = charts.charts([tally])
    assert list(drawn) == [
        "lengths", "lengths_by_round", "asked_by_round", "first_words_of_questions", "first_words_of_answers",
    ]  # fmt: skip
    (sunburst,) = drawn["first_words_of_questions"].data
    assert dict(zip(sunburst.ids, sunburst.values, strict=True))["is there"] == 1
    assert dict(zip(sunburst.ids, sunburst.parents, strict=True))["is there music"] == "is there"
    audio = next(line for line in drawn["asked_by_round"].data if line.name == "made up: audio, exact")
    assert (list(audio.x), list(audio.y)) == ([1, 2], [100, 0])
    assert any("VisDial" in line.name for line in drawn["lengths"].data)
    assert not any("VisDial" in line.name for line in charts.charts([tally, tally])["lengths"].data)


@pytest.mark.usefixtures("real_images")
def test_pictures_are_made_where_kaleido_and_a_browser_are(tmp_path: Path) -> None:
    pytest.importorskip("kaleido")
    if not machine.chromium():
        pytest.skip("there is no Chromium")
    tally = Tally("made up", read_lists())
    tally.add(asking("Is there music?"))
    charts.write_images(tmp_path, {"lengths": charts.charts([tally])["lengths"]}, ("svg", "png"))
    assert "published mean" in (tmp_path / "lengths.svg").read_text()
    assert (tmp_path / "lengths.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("real_images")
def test_without_kaleido_a_sentence_stands_for_the_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "kaleido" else found(name))
    said = statistics("--json", made_up.write(tmp_path, "dstc7"), "--out", tmp_path)
    assert "the package kaleido is not installed" in said
    assert (tmp_path / "statistics.html").exists()


@pytest.mark.usefixtures("real_images")
def test_without_a_browser_a_sentence_stands_for_the_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("kaleido")

    def closed(**options: Any) -> None:
        raise RuntimeError("The browser closed at once.", "A long explanation.")

    monkeypatch.setattr("plotly.io.write_images", closed)
    said = statistics("--json", made_up.write(tmp_path, "dstc7"), "--out", tmp_path)
    assert "No PNG, SVG and PDF files: is there a Chromium or Chrome? The browser closed at once." in said
    assert (tmp_path / "figures.csv").exists()


def test_what_cannot_be_done_is_refused_with_a_sentence(tmp_path: Path) -> None:
    factories.study(slug="pilot")
    factories.finished_dialog(study=factories.study(slug="tried"), is_simulated=True)
    good = made_up.write(tmp_path, "dstc7")
    empty = made_up.write(tmp_path, "empty", {"dialogs": []})
    words = tmp_path / "words.toml"
    words.write_text("audio = 1")
    for options, sentence in (
        (("--study", "pilt"), r"There is no study 'pilt'. The studies are: pilot, tried\."),
        (("--study", "tried"), r"nothing to count\. 1 dialog of simulated workers: --simulated takes them\."),
        (("--study", "pilot"), "There is no complete dialog in pilot, so there is nothing to count"),
        (("--json", empty), "There is no complete dialog in empty.json"),
        (("--json", tmp_path / "none.json"), "cannot be read: No such file"),
        (("--json", good, "--words", words), "Expected `array`, got `int`"),
        (("--json", good, "--out", good), "cannot be made: File exists"),
    ):
        with pytest.raises(CommandError, match=sentence):
            statistics(*options)


def test_a_page_of_another_run_is_kept_when_this_one_fails(tmp_path: Path) -> None:
    page = tmp_path / "statistics.html"
    page.write_text("old")
    with pytest.raises(CommandError):
        statistics("--json", made_up.write(tmp_path, "bad", {"dialogs": [{}]}), "--out", tmp_path)
    assert page.read_text() == "old"
