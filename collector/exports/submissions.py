"""What did somebody predict, against what? Reads predictions, keys and relevances; refuses with entry and reason."""

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from collector.exports.scoring import ranks_of
from collector.relevance.models import OPTIONS

NAMED = 5
"""How many missing rounds are named."""

Read = TypeVar("Read")
Place = tuple[str, int]
"""A video and a round from 1."""


class Refused(Exception):
    """The file cannot be used; the message says which entry of it and why."""


@dataclass(frozen=True)
class Asked:
    """A round to be ranked: its question, and which option was the answer given."""

    question: str
    gt_index: int


def read_against(path: Path) -> dict[Place, Asked]:
    """Return the rounds of a VisDial-style file with its answers, or of the key of a test file."""
    content = _load(path)
    asked = _places(path, content, _asked) if isinstance(content, list) else _of_whole_file(path, content, _asked_in)
    if not asked:
        raise Refused(f"{path} holds no round to be ranked.")
    return asked


def read_options(path: Path) -> dict[Place, list[str]]:
    """Return the texts of the answers that each round of a VisDial-style file offers, where it offers some."""

    def options(said: Mapping[str, Any], data: Mapping[str, Any]) -> list[str]:
        return [data["answers"][answer] for answer in said.get("answer_options", ())]

    offered = _of_whole_file(path, _load(path), options)
    return {place: texts for place, texts in offered.items() if texts}


def _asked_in(said: Mapping[str, Any], data: Mapping[str, Any]) -> Asked:
    return _asked({**said, "question": data["questions"][said["question"]]})


def _of_whole_file(
    path: Path, content: Any, read: Callable[[Mapping[str, Any], Mapping[str, Any]], Read]
) -> dict[Place, Read]:
    """Return what ``read`` makes of each round and the file's data, by its place."""
    try:
        data = content["data"]
        return {
            (str(scene["image_id"]), number): read(said, data)
            for scene in data["dialogs"]
            for number, said in enumerate(scene["dialog"], start=1)
        }
    except KeyError as error:
        raise Refused(f"{path} is not a VisDial-style file: there is no {error.args[0]!r}.") from error
    except (TypeError, IndexError) as error:
        raise Refused(f"{path} is not a VisDial-style file: {error}.") from error
    except ValueError as error:
        raise Refused(f"{path}: {error}. Of a test file, give --against the key.") from error


def read_predictions(path: Path, asked: Collection[Place]) -> dict[Place, list[int]]:
    """Return the ranks by option of every round in ``asked``; all must be there and no other.

    An entry is ``{"image_id", "round_id", "ranks"}``, or has ``scores`` instead, the higher the better.
    """
    ranks = _places(path, _load(path), _prediction)
    if unknown := [place for place in ranks if place not in asked]:
        videos = {video for video, _ in asked}
        raise Refused(f"{path}: {_why_unknown(unknown[0], videos, [r for v, r in asked if v == unknown[0][0]])}")
    if missing := [place for place in asked if place not in ranks]:
        named = ", ".join(f"image_id {video!r} round_id {number}" for video, number in missing[:NAMED])
        more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        raise Refused(f"{path}: {len(missing)} of {len(asked)} rounds are missing: {named}{more}.")
    return ranks


def read_relevances(path: Path, asked: Collection[Place]) -> dict[Place, list[float]]:
    """Return dense annotations, each round's relevances by option: ``gt_relevance``, or ``relevance``."""
    relevances = _places(path, _load(path), _relevance)
    if unknown := next((place for place in relevances if place not in asked), None):
        raise Refused(f"{path}: image_id {unknown[0]!r} round_id {unknown[1]} is not among the rounds to be ranked.")
    return relevances


def _why_unknown(place: Place, videos: Collection[str], rounds: Iterable[int]) -> str:
    video, number = place
    if video not in videos:
        return f"there is no image_id {video!r} to be ranked."
    there = ", ".join(str(each) for each in sorted(rounds))
    return f"image_id {video!r} has no round_id {number} to be ranked; it has {there}."


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path} is not JSON: {error}.") from error


def _places(path: Path, content: Any, read: Callable[[Mapping[str, Any]], Read]) -> dict[Place, Read]:
    """Return what ``read`` makes of each entry, by its place. ValueError of ``read`` becomes the reason."""
    if not isinstance(content, list):
        raise Refused(f"{path} must be a list of entries.")
    found: dict[Place, Read] = {}
    for number, entry in enumerate(content, start=1):
        try:
            place = _place(entry)
            if place in found:
                raise ValueError("the same image_id and round_id stand in an earlier entry")
            found[place] = read(entry)
        except ValueError as error:
            raise Refused(f"{path}, entry {number}{_name(entry)}: {error}.") from error
    return found


def _place(entry: Any) -> Place:
    if not isinstance(entry, dict):
        raise ValueError("an object with image_id, round_id and what belongs to them is expected")
    video, number = _of(entry, "image_id"), _of(entry, "round_id")
    if not isinstance(video, str) and not _is_whole(video):
        raise ValueError("image_id must be a string or a whole number")
    if not _is_whole(number):
        raise ValueError("round_id must be a whole number from 1")
    return str(video), number


def _asked(entry: Mapping[str, Any]) -> Asked:
    question, gt_index = _of(entry, "question"), _of(entry, "gt_index")
    if not isinstance(question, str) or not _is_whole(gt_index) or not 0 <= gt_index < OPTIONS:
        raise ValueError("question must be a string and gt_index a whole number from 0 to 99")
    return Asked(question, gt_index)


def _prediction(entry: Mapping[str, Any]) -> list[int]:
    if "ranks" not in entry and "scores" in entry:
        return ranks_of(_numbers(entry, "scores"))
    ranks = _list(entry, "ranks")
    if not all(_is_whole(rank) and 1 <= rank <= OPTIONS for rank in ranks):
        wrong = next(rank for rank in ranks if not (_is_whole(rank) and 1 <= rank <= OPTIONS))
        raise ValueError(f"ranks are whole numbers from 1 to {OPTIONS}, unlike {wrong!r}")
    seen: set[int] = set()
    for rank in ranks:
        if rank in seen:
            raise ValueError(f"rank {rank} stands twice; each of 1 to {OPTIONS} stands once")
        seen.add(rank)
    return ranks


def _relevance(entry: Mapping[str, Any]) -> list[float]:
    relevances = _numbers(entry, "gt_relevance" if "gt_relevance" in entry else "relevance")
    if not all(0 <= relevance <= 1 for relevance in relevances):
        raise ValueError("relevances are numbers from 0 to 1")
    return relevances


def _numbers(entry: Mapping[str, Any], name: str) -> list[float]:
    numbers = _list(entry, name)
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise ValueError(f"{name} are numbers, unlike {number!r}")
    return numbers


def _list(entry: Mapping[str, Any], name: str) -> list[Any]:
    values = _of(entry, name)
    if not isinstance(values, list):
        raise ValueError(f"{name} must be a list")
    if len(values) != OPTIONS:
        raise ValueError(f"{name} has {len(values)} values; {OPTIONS} are expected, one for each option")
    return values


def _of(entry: Mapping[str, Any], name: str) -> Any:
    if name not in entry:
        raise ValueError(f"{name} is missing")
    return entry[name]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _name(entry: Any) -> str:
    if isinstance(entry, dict) and "image_id" in entry and "round_id" in entry:
        return f" (image_id {entry['image_id']!r}, round_id {entry['round_id']!r})"
    return ""
