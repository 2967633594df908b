"""What does somebody read first who has got a bundle? What is where, how to cite it, and what to keep in mind."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collector.exports.archives import FORMATS as IMPORTABLE
from collector.exports.formats import FORMATS
from collector.lib.text import many
from collector.releases.citation import Publication, bibtex
from collector.releases.datasheet import holds
from collector.releases.prose import document, table
from collector.releases.proving import SUMS

DIALOGS = (
    "Of two strangers one, the Questioner, saw {frames} of a video and asked; the other, the Answerer, saw the "
    "video with its sound and answered. After the last round the Questioner wrote what happens in the video."
)
_ABOUT = {
    "data/summaries": "what watchers of the videos wrote, as JSON and CSV",
    "data/relevances": "which answers people found correct, as the Visual Dialog Challenge has it",
    "media/videos": "the videos that may be passed on",
    "media/frames": "frames of them, beginning, middle and end; Questioners saw all three, or the middle alone",
    "evidence": "how each text was written: counts and seconds, never unsent text",
    "DATASHEET.md": "what was asked of whom, for what pay, and what became of it",
    "datasheet.json": "the same facts for programs",
    "left_out.csv": "scripts, frames and videos that are not here, and why",
    "LICENSE.txt": "the licence",
    "CITATION.cff": "how to cite this, for programs",
    "CITATION.bib": "the same for BibTeX",
}


def text(folder: Path, of: Publication, facts: dict[str, Any]) -> str:
    """Return README.md for what is in ``folder``."""
    return document(_blocks(folder, of, facts))


def _blocks(folder: Path, of: Publication, facts: dict[str, Any]) -> Iterator[str]:
    yield f"# {of.title}"
    yield f"Version {of.edition}. {holds(facts)}"
    if facts["dialogs"]:
        yield DIALOGS.format(frames=_frames(facts))
    yield table(("where", "what", "files"), [*_places(folder), (f"`{SUMS}`", "checksums of all files", "")])
    yield f"`sha256sum -c {SUMS}`, in this folder, tells whether all files are as they were released."
    if proved := [form for form in facts["formats"] if form in IMPORTABLE]:
        named = ", ".join(f"`{form}`" for form in proved)
        yield f"The files of {named} were imported and exported again before the release, and not one byte differed."
    yield (
        "Workers can withdraw. If you are told that a dialog or a summary of this release was withdrawn, take it out: "
        "their pseudonyms stand in the data."
    )
    yield "## Licence and citation"
    yield f"The texts and data: {of.licence}. See `LICENSE.txt`."
    yield f"```bibtex\n{bibtex(of)}```"


def _frames(facts: dict[str, Any]) -> str:
    """Return how many frames Questioners saw, as far as the studies say it."""
    contents = [each["content"] for study in facts["studies"] for each in study.get("versions", ())]
    shown = {each.get("frames_shown", 3) for each in contents}
    return {(1,): "one frame", (1, 3): "one or three frames"}.get(tuple(sorted(shown)), "three frames")


def _places(folder: Path) -> Iterator[tuple[str, str, str]]:
    formats = {f"data/{name}": form.about.removesuffix(" (default)") for name, form in FORMATS.items()}
    for place, about in (formats | _ABOUT).items():
        path = folder / place
        if path.is_dir():
            yield f"`{place}/`", about, many(sum(each.is_file() for each in path.rglob("*")), "file")
        elif path.exists():
            yield f"`{place}`", about, ""
