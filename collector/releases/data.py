"""Which files hold the data of a release? Of each chosen format one a split, or the folder that the format is."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from chat.models import Utterance
from collector.exports import relevances, summaries, visdial, writing
from collector.exports.avsd import Tally
from collector.exports.candidates import Report
from collector.exports.cutting import WHOLE
from collector.exports.formats import FORMATS, Order
from collector.exports.pseudonyms import pair_key, worker_key
from collector.exports.submissions import read_options
from collector.releases import holding
from collector.releases.models import Release
from collector.relevance.agreement import Judged
from collector.studies.models import Study

ENDS = {"dstc7": "json", "dstc10": "json", "raw": "json", "jsonl": "jsonl", "parquet": "parquet"}
"""How the names of the formats' files end; those that are not here are folders."""
DEFAULT_FORMATS = ("dstc7", "raw", "jsonl", "huggingface")
_SAID = ("question", "answer")


def place(form: str, split: str) -> str:
    """Return where in a bundle a format's file for a split stands."""
    return f"data/{form}/{form}_{split}.{ENDS[form]}"


def write_split(folder: Path, release: Release, form: str, split: str) -> None:
    """Write one split in a format that is a file."""
    out = folder / place(form, split)
    out.parent.mkdir(parents=True, exist_ok=True)
    FORMATS[form].write(Order(out, WHOLE, visdial.Wish(), []), holding.transcripts_of(release, split), Tally())


def write_folder(folder: Path, release: Release, form: str, wish: visdial.Wish, licence: str) -> Report | None:
    """Write all splits in a format that is a folder; return the report on candidate answers, if it has any."""
    out = folder / "data" / form
    out.parent.mkdir(exist_ok=True)
    return FORMATS[form].write(Order(out, WHOLE, wish, [licence]), holding.transcripts_of(release), Tally())


def write_summaries(folder: Path, release: Release, split: str) -> None:
    """Write the summaries of watchers about the videos of one split."""
    out = folder / "data" / "summaries"
    out.mkdir(parents=True, exist_ok=True)
    for form, pieces in summaries.FORMATS.items():
        writing.write(out / f"summaries_{split}.{form}", pieces(holding.summaries_of(release, split)))


def write_relevances(folder: Path, release: Release, study: Study) -> bool:
    """Write what was found correct in a relevance study.

    Return whether the options are those, in that order, of the bundle's VisDial-style files.
    """
    out = folder / "data" / "relevances"
    out.mkdir(parents=True, exist_ok=True)
    judged = holding.judged_in(release, study)
    writing.write(out / f"relevances_{study.slug}.json", relevances.as_json(judged))
    return bool(judged) and _are_offered(judged, sorted((folder / "data" / "visdial").glob("*.json")))


def _are_offered(judged: list[Judged], files: list[Path]) -> bool:
    asked = {relevances.place_of(each): each.item.options for each in judged}
    offered = {place: texts for file in files for place, texts in read_options(file).items() if place in asked}
    return offered == asked


def write_evidence(folder: Path, release: Release) -> None:
    """Write how texts were written: counts and times, a line a text."""
    (folder / "evidence").mkdir()
    kinds: dict[str, Callable[[Release], Iterator[str]]] = {"dialogs": _of_dialogs, "summaries": _of_summaries}
    for name, lines in kinds.items():
        writing.write(folder / "evidence" / f"{name}.jsonl", lines(release))


def _of_dialogs(release: Release) -> Iterator[str]:
    rows = Utterance.objects.filter(dialog__releases=release).exclude(evidence={}).select_related("dialog__study")
    for each in rows.select_related("dialog__video").order_by("dialog", "position").iterator():
        number, which = divmod(each.position, 2)
        is_summary = each.position == 2 * each.dialog.rounds
        line = {
            "image_id": each.dialog.video.image_id,
            "dialog": pair_key(each.dialog.study.collection_id, each.dialog_id),
            "round": None if is_summary else number + 1,
            "text": "summary" if is_summary else _SAID[which],
        }
        yield json.dumps(line | each.evidence) + "\n"


def _of_summaries(release: Release) -> Iterator[str]:
    rows = holding.summary_rows(release).exclude(evidence={})
    for each in rows.select_related("viewing__video", "viewing__participation__study").order_by("pk").iterator():
        part = each.viewing.participation
        worker = worker_key(part.study.collection_id, part.worker_id)
        yield json.dumps({"image_id": each.viewing.video.image_id, "worker": worker} | each.evidence) + "\n"
