"""How do a collection's figures look? The charts of the paper's Figure 5 and those by round, drawn by plotly.

They are objects: ``page`` puts them into one file of HTML that needs no network, ``write_images`` makes pictures of
them for a paper, where kaleido and a browser are there.
"""

import importlib.util
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import cycle
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from plotly import graph_objects, io
from plotly.colors import qualitative

from collector.analysis.bootstrap import RESAMPLES
from collector.analysis.measures import Described, Measure
from collector.analysis.openings import openings
from collector.analysis.probes import PROBES
from collector.analysis.tables import answer_words, estimates, measures, question_words, written
from collector.analysis.tally import RoundTally, Side, Tally
from collector.lib.words import WordLists

IMAGES = ("png", "svg", "pdf")
_LEAST_SHARE = 0.4
"""Percent of the texts from which on a beginning has its own field in a sunburst."""
_LONGEST = 35
"""Words of the longest text in the chart of lengths; the table has all."""
_PUBLISHED = (
    ("AVSD questions: 7.9", 7.9),
    ("AVSD answers: 9.4", 9.4),
    ("VisDial questions: 5.1", 5.1),
    ("VisDial answers: 2.9", 2.9),
)
"""Mean words as published: AVSD paper, section 3.2."""
_LIGHT = "plotly_white"
_SHOWN = ("audio, exact", "temporal, exact", "co-reference, exact")


class NoImages(Exception):
    """No pictures can be made here; the message is a sentence that says what is missing."""


def charts(tallies: Sequence[Tally]) -> dict[str, graph_objects.Figure]:
    """Return the charts of one or more collections by the name of their file; none for what nobody said."""
    found = {"lengths": _lengths(tallies)}
    found |= {"lengths_by_round": _length_by_round(tallies), "asked_by_round": _asked_by_round(tallies)}
    for number, tally in enumerate(tallies, start=1):
        for name, side in (("questions", tally.questions), ("answers", tally.answers)):
            if side.lengths:
                mark = "" if len(tallies) == 1 else f"_{number}"
                found[f"first_words_of_{name}{mark}"] = _sunburst(f"First words of {name}", tally.name, side)
    return found


def page(drawn: Mapping[str, graph_objects.Figure], described: Sequence[Described], lists: WordLists) -> str:
    """Return a whole page of HTML with charts and figures; it loads nothing."""
    config = {"displaylogo": False, "responsive": True}
    parts = [
        io.to_html(chart, full_html=False, include_plotlyjs=not number, config=config)
        for number, chart in enumerate(drawn.values())
    ]
    names = [each.name for each in described] + (["difference"] if len(described) == 2 else [])
    lines = [(each, _cells(described, each)) for each in measures(described)]
    context = {
        "collections": [each.name for each in described], "names": names, "lines": lines, "charts": parts,
        "resamples": RESAMPLES, "lists": lists, "looks": _looks(),
    }  # fmt: skip
    return render_to_string("analysis/statistics.html", context)


def by_hour(title: str, begins: Sequence[datetime], lines: Mapping[str, Sequence[int]]) -> graph_objects.Figure:
    """Return a chart of numbers by the hour in which they were counted."""
    figure = _figure(title, "hour", "number")
    for name, numbers in lines.items():
        figure.add_bar(x=begins, y=list(numbers), name=name)
    return figure.update_layout(height=420)


def alone(chart: graph_objects.Figure) -> str:
    """Return a whole page of HTML with one chart and nothing else; it loads nothing."""
    drawn = io.to_html(chart, full_html=False, include_plotlyjs=True, config={"displaylogo": False, "responsive": True})
    return render_to_string("analysis/chart.html", {"chart": drawn, "looks": _looks()})


def _looks() -> dict[str, Any]:
    """Return what the page's charts look like where the reader prefers light, or dark; pictures are always light."""
    return {
        name: {
            "template": io.templates[template].to_plotly_json(), "paper_bgcolor": ground, "plot_bgcolor": ground,
        }
        for name, template, ground in (("light", _LIGHT, "#ffffff"), ("dark", "plotly_dark", "#14161a"))
    }  # fmt: skip


def _cells(described: Sequence[Described], measure: Measure) -> list[str]:
    return [written(each, measure) for each in estimates(described, measure)]


def write_images(folder: Path, drawn: dict[str, graph_objects.Figure], formats: Sequence[str] = IMAGES) -> None:
    """Write every chart into the folder in each of the formats. Raises NoImages."""
    if importlib.util.find_spec("kaleido") is None:
        raise NoImages("No PNG, SVG and PDF files: the package kaleido is not installed (pip install kaleido).")
    for name in ("kaleido", "choreographer"):
        logging.getLogger(name).setLevel(logging.ERROR)  # they tell of every tab
    files = [folder / f"{name}.{form}" for name in drawn for form in formats]
    try:
        io.write_images(fig=[chart for chart in drawn.values() for _ in formats], file=files, width=900, height=640)
    except (RuntimeError, OSError) as error:  # no browser, or one that ended or gave no answer in time
        reason = str(error.args[0]) if error.args else type(error).__name__
        raise NoImages(f"No PNG, SVG and PDF files: is there a Chromium or Chrome? {reason}") from error


def _lengths(tallies: Sequence[Tally]) -> graph_objects.Figure:
    figure = _figure("Lengths", "words (tokens between white space)", "% of texts")
    colours = cycle(qualitative.Plotly)
    for tally in tallies:
        for name, side in (("questions", tally.questions), ("answers", tally.answers)):
            if total := side.lengths.total():
                shares = [100 * side.lengths[length] / total for length in range(_LONGEST + 1)]
                line = {"color": next(colours)}
                figure.add_scatter(x=list(range(_LONGEST + 1)), y=shares, name=f"{tally.name}: {name}", line=line)
    if len(tallies) == 1:
        top = max(max(trace.y) for trace in figure.data)
        for name, words in _PUBLISHED:
            line = {"color": next(colours), "dash": "dot"}
            figure.add_scatter(x=[words] * 2, y=[0, top], mode="lines", name=f"published mean, {name}", line=line)
    return figure


def _length_by_round(tallies: Sequence[Tally]) -> graph_objects.Figure:
    lines = {"questions": question_words, "answers": answer_words}
    return _by_round(_figure("Lengths by round", "round", "mean words"), tallies, lines)


def _asked_by_round(tallies: Sequence[Tally]) -> graph_objects.Figure:
    def of(place: int) -> Callable[[RoundTally], float]:
        return lambda each: 100 * each.probes[place] / each.questions

    lines = {probe.key: of(place) for place, probe in enumerate(PROBES) if probe.key in _SHOWN}
    return _by_round(_figure("What is asked, by round", "round", "% of questions"), tallies, lines)


def _by_round(
    figure: graph_objects.Figure, tallies: Sequence[Tally], lines: Mapping[str, Callable[[RoundTally], float]]
) -> graph_objects.Figure:
    for tally in tallies:
        rounds = list(range(1, len(tally.rounds) + 1))
        for name, value in lines.items():
            figure.add_scatter(x=rounds, y=[value(each) for each in tally.rounds], name=f"{tally.name}: {name}")
    return figure


def _sunburst(title: str, whose: str, side: Side) -> graph_objects.Figure:
    found = openings(side, _LEAST_SHARE)
    figure = _figure(title)
    figure.update_layout(title_subtitle_text=whose, margin={"l": 10, "r": 10, "t": 80, "b": 10})
    figure.add_sunburst(
        ids=[" ".join(each.words) for each in found],
        labels=[each.words[-1] for each in found],
        parents=[" ".join(each.words[:-1]) for each in found],
        values=[each.texts for each in found],
        text=[f"{each.share:.1f} %" for each in found],
        hovertemplate="%{id}<br>%{value} texts, %{text}<extra></extra>",
        textinfo="label",
        branchvalues="total",
        leaf_opacity=1,  # else words stand on a colour they were not chosen for
    )
    return figure


def _figure(title: str, across: str = "", up: str = "") -> Any:
    figure = graph_objects.Figure()
    figure.update_layout(template=_LIGHT, title=title, legend={"orientation": "h", "y": -0.2}, height=560)
    figure.update_layout(margin={"l": 60, "r": 20})
    figure.update_xaxes(title=across)
    figure.update_yaxes(title=up, rangemode="tozero")
    return figure
