"""How do dialogs become files in the style of VisDial v1.0? A file a split, with 100 answers to rank a round.

The files share two lists of distinct texts, questions and answers; everything else is a number into them. The lists are
in the order of bytes, which tells nothing of who said what. Texts are normalised. Of each video the first dialog given
is taken. A test file ends each dialog with a drawn round that has options but no answer; a key goes with it.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chat.transcripts import Transcript
from collector.exports import vectors
from collector.exports.avsd import Tally, by_video
from collector.exports.candidates import Item, Pool, Report, TooFewAnswers
from collector.exports.cutting import drawn_round
from collector.exports.normalising import as_normalised

VERSION = "1.0"
SPLIT = "split"
ALL = "all"


class CannotChoose(Exception):
    """There are not 100 answers to choose from; the message is a sentence for the researcher."""


class TooFewInSplit(CannotChoose):
    """There are too few of one split, and enough of all splits together."""


@dataclass(frozen=True)
class Wish:
    """What the researcher asked for."""

    test: str = ""
    """The split that is written as a test file, if any."""
    seed: int = 0
    pool: str = SPLIT
    """Where options come from: SPLIT, the same split, or ALL."""
    vectors: Path | None = None
    """A file of word vectors; None: made from the collection."""
    started: Callable[[int], Callable[[int], None]] = lambda rounds: lambda done: None
    """Called with the number of rounds; what it returns is called with how many more are done."""


@dataclass
class Scene:
    """A dialog as a file has it."""

    dialog_id: int
    image_id: str
    split: str
    caption: str
    rounds: list[tuple[int, int]]
    """Numbers of the question and the answer."""


@dataclass
class Collection:
    """The dialogs, and the distinct texts that their numbers stand for."""

    scenes: list[Scene] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    def by_split(self) -> dict[str, list[Scene]]:
        """Return the dialogs of each split."""
        splits: dict[str, list[Scene]] = {}
        for scene in self.scenes:
            splits.setdefault(scene.split, []).append(scene)
        return splits


Options = dict[tuple[str, int], NDArray[np.int32]]


@dataclass(frozen=True)
class Choice:
    """The 100 answers that each round offers, by video and round."""

    collection: Collection
    options: Options
    report: Report


def visdial(folder: Path, transcripts: Iterable[Transcript], tally: Tally, wish: Wish) -> Report:
    """Fill ``folder`` with ``visdial_<split>.json``, and the key of the test file.

    Raises CannotChoose, or CannotRead of ``vectors``.
    """
    choice = choose(transcripts, tally, wish)
    collection, options = choice.collection, choice.options
    splits = collection.by_split()
    for split, scenes in splits.items():
        head = {"pool": wish.pool, "seed": wish.seed, "vectors": choice.report.vectors}
        pieces = _file(collection, split, scenes, options, head, wish)
        _write(folder / f"visdial_{split}.json", pieces)
    if wish.test:
        _write(folder / f"visdial_{wish.test}_key.json", _key(collection, splits[wish.test], options, wish))
    return choice.report


def choose(transcripts: Iterable[Transcript], tally: Tally, wish: Wish) -> Choice:
    """Return the options of every round. Raises CannotChoose, or CannotRead of ``vectors``."""
    collection = _read(transcripts, tally)
    if not collection.scenes:
        raise CannotChoose("There is no dialog to choose answers from.")
    splits = collection.by_split()
    if wish.test and wish.test not in splits:
        raise CannotChoose(f"There is no dialog about a video of the split {wish.test!r} to make a test file of.")
    report = Report()
    options, report.vectors = _options(collection, splits, wish, report)
    return Choice(collection, options, report)


def _read(transcripts: Iterable[Transcript], tally: Tally) -> Collection:
    """Return the first dialogs with the texts as numbers in the order of bytes."""
    read = []
    for video, first, further in by_video(transcripts, tally):
        tally.dialogs += 1
        tally.further_dialogs += sum(1 for _ in further)
        text = as_normalised(first)
        rounds = [(text(question), text(answer)) for question, answer in first.rounds]
        read.append((first.dialog_id, video, first.split or "train", text(first.script), rounds))
    questions = sorted({question for *_, rounds in read for question, _ in rounds})
    answers = sorted({answer for *_, rounds in read for _, answer in rounds})
    of_question = {text: number for number, text in enumerate(questions)}
    of_answer = {text: number for number, text in enumerate(answers)}

    def numbers(rounds: list[tuple[str, str]]) -> list[tuple[int, int]]:
        return [(of_question[question], of_answer[answer]) for question, answer in rounds]

    scenes = [Scene(dialog, video, split, caption, numbers(rounds)) for dialog, video, split, caption, rounds in read]
    return Collection(scenes, questions, answers)


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a normalised text: its tokens that hold a letter or a digit."""
    return tuple(token for token in text.split() if any(c.isalnum() for c in token))


def _options(collection: Collection, splits: dict[str, list[Scene]], wish: Wish, report: Report) -> tuple[Options, str]:
    """Return the options by video and round, and where the word vectors come from."""
    words = [words_of(question) for question in collection.questions]
    found = _vectors(collection, words, wish)
    advance = wish.started(sum(len(scene.rounds) for scene in collection.scenes))
    pools = splits if wish.pool == SPLIT else {"": collection.scenes}
    options: Options = {}
    for split, scenes in pools.items():
        items = [
            Item(scene.image_id, number, words[question], answer)
            for scene in scenes
            for number, (question, answer) in enumerate(scene.rounds, start=1)
        ]
        try:
            chosen = Pool(items, found, wish.seed, advance, report).options()
        except TooFewAnswers as error:
            raise _too_few(split, error.args[0], len(collection.answers)) from error
        options |= {(item.video, item.round): row for item, row in zip(items, chosen, strict=True)}
    return options, found.origin


def _vectors(collection: Collection, words: Sequence[tuple[str, ...]], wish: Wish) -> vectors.WordVectors:
    if wish.vectors:
        return vectors.read(wish.vectors, {word for question in words for word in question})
    said = (number for scene in collection.scenes for number in scene.rounds)
    answers = [words_of(answer) for answer in collection.answers]
    return vectors.make([text for question, answer in said for text in (words[question], answers[answer])])


def _too_few(split: str, number: int, all_of_them: int) -> CannotChoose:
    where = f"The split {split!r} has" if split else "All splits together have"
    sentence = f"{where} {number} distinct answers; 100 are needed for the options of a round."
    if split and all_of_them >= 100:
        return TooFewInSplit(f"{sentence} With --pool all they come from all splits ({all_of_them}).")
    return CannotChoose(f"{sentence} Export more dialogs.")


def _file(
    collection: Collection, split: str, scenes: Sequence[Scene], options: Options, head: dict[str, Any], wish: Wish
) -> Iterator[str]:
    yield f'{{"version": "{VERSION}", "split": {json.dumps(split)}, "candidates": {json.dumps(head)}, "data": {{\n'
    yield f'"questions": {json.dumps(collection.questions)},\n"answers": {json.dumps(collection.answers)},\n'
    yield '"dialogs": ['
    for number, scene in enumerate(scenes):
        last = drawn_round(wish.seed, scene.image_id, len(scene.rounds)) if split == wish.test else None
        yield ("\n" if number == 0 else ",\n") + json.dumps(_dialog(scene, options, last))
    yield "\n]}}\n"


def _dialog(scene: Scene, options: Options, last: int | None) -> dict[str, Any]:
    """Return a dialog; with ``last``, the round to be answered, as a test file has it."""
    rounds: list[dict[str, Any]] = []
    for number, (question, answer) in enumerate(scene.rounds[:last], start=1):
        offered = options[scene.image_id, number].tolist()
        if last is None:
            whole = {"answer": answer, "answer_options": offered, "gt_index": offered.index(answer)}
        else:
            whole = {"answer_options": offered} if number == last else {"answer": answer}
        rounds.append({"question": question} | whole)
    return {"image_id": scene.image_id, "caption": scene.caption, "dialog": rounds}


def _key(collection: Collection, scenes: Sequence[Scene], options: Options, wish: Wish) -> Iterator[str]:
    """Yield what the test file of these scenes keeps back, a list of one round a dialog."""
    yield "["
    for place, scene in enumerate(scenes):
        number = drawn_round(wish.seed, scene.image_id, len(scene.rounds))
        question, answer = scene.rounds[number - 1]
        entry = {
            "image_id": scene.image_id,
            "round_id": number,
            "question": collection.questions[question],
            "answer": collection.answers[answer],
            "gt_index": options[scene.image_id, number].tolist().index(answer),
        }
        yield ("\n" if place == 0 else ",\n") + json.dumps(entry)
    yield "\n]\n"


def _write(path: Path, pieces: Iterable[str]) -> None:
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.writelines(pieces)
