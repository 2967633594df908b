"""The gallery's index page: thumbnails by page and state, each a link to its picture, and what was found."""

from collections.abc import Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from tests.gallery.camera import State

STYLE = """
:root { color-scheme: light dark; }
body { margin: 2rem auto; max-width: 90rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h3 { margin-bottom: .25rem; }
.pictures { display: flex; flex-wrap: wrap; gap: .75rem; margin: 0; padding: 0; list-style: none; }
.pictures a { display: grid; font-size: .875rem; }
.pictures img { height: 9rem; width: 14rem; object-fit: cover; object-position: top; border: 1px solid; }
.pictures .phone { width: 5rem; }
.found { color: #b0261e; }
@media (prefers-color-scheme: dark) { .found { color: #ff9c92; } }
"""


def write(states: Sequence[State], folder: Path) -> Path:
    """Write ``index.html`` beside the pictures; return its path."""
    found = sum(len(each.findings) for each in states)
    parts = [f"<h1>Gallery</h1><p>{len(states)} states, {_findings(found)}.</p>", _list_of(states)]
    for page, of_page in groupby(sorted(states, key=lambda each: each.page), key=lambda each: each.page):
        parts += [f"<h2>{escape(page)}</h2>", *(_state(each) for each in of_page)]
    path = folder / "index.html"
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title><style>{STYLE}</style>'
    path.write_text(f"{head}<main>{''.join(parts)}</main></html>\n")
    return path


def _findings(number: int) -> str:
    return "nothing was found" if not number else "one finding" if number == 1 else f"{number} findings"


def _list_of(states: Sequence[State]) -> str:
    rows = [
        f'<li><a href="#{_anchor(each)}">{escape(each.page)}: {escape(each.state)}</a>: {escape(finding)}</li>'
        for each in states
        for finding in each.findings
    ]
    return f'<h2>What was found</h2><ul class="found">{"".join(rows)}</ul>' if rows else ""


def _state(state: State) -> str:
    pictures = [
        f'<li><a href="{escape(file)}"><img class="{size}" src="{escape(file)}" loading="lazy" alt="">'
        f"{size}, {scheme}</a></li>"
        for (size, scheme), file in state.pictures.items()
    ]
    found = "".join(f'<p class="found">{escape(finding)}</p>' for finding in state.findings)
    heading = f'<h3 id="{_anchor(state)}">{escape(state.state)}</h3>'
    return f'{heading}{found}<ul class="pictures">{"".join(pictures)}</ul>'


def _anchor(state: State) -> str:
    return escape(f"{state.page}-{state.state}".replace(" ", "-"))
