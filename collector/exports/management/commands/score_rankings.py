"""Score what somebody predicted: ``manage.py score_rankings predictions.json --against visdial_test_key.json``."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.exports import writing
from collector.exports.scoring import RECALLS, Retrieval, ndcg, retrieval
from collector.exports.selection import NoStudy, study_named
from collector.exports.submissions import Asked, Place, Refused, read_against, read_predictions, read_relevances
from collector.lib.text import many
from collector.lib.words import AUDIO, PAPER, TEMPORAL, BadWords, holds, word_lists, words_of

Ranked = Mapping[Place, list[int]]


class Command(BaseCommand):
    """Print the measures, over all rounds and over parts of them."""

    help = "Score rankings of the 100 options in the Visual Dialog Challenge's format: MRR, recall, mean rank, NDCG."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("predictions", type=Path, metavar="PREDICTIONS")
        parser.add_argument(
            "--against",
            required=True,
            type=Path,
            metavar="FILE",
            help="a VisDial-style file, or the key of a test file",
        )
        parser.add_argument("--dense", type=Path, metavar="FILE", help="relevances of the options, for NDCG")
        parser.add_argument("--study", metavar="SLUG", help="take this study's word lists (default: the paper's)")
        parser.add_argument("--audio-words", type=_words, metavar="WORDS", help=_help("audio", AUDIO))
        parser.add_argument("--temporal-words", type=_words, metavar="WORDS", help=_help("temporal", TEMPORAL))
        parser.add_argument("--out", type=Path, metavar="FILE", help="write the figures as JSON, too")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read everything, then score."""
        try:
            if options["out"]:
                writing.check(options["out"])
            asked = read_against(options["against"])
            ranks = read_predictions(options["predictions"], asked)
            relevances = read_relevances(options["dense"], asked) if options["dense"] else {}
            slug = options["study"]
            lists = word_lists(study_named(slug).word_lists, f"Study {slug}: ") if slug else PAPER
        except (Refused, writing.CannotWrite, NoStudy, BadWords) as error:
            raise CommandError(str(error)) from error
        audio = options["audio_words"] or frozenset(lists.audio)
        temporal = options["temporal_words"] or frozenset(lists.temporal)
        found = _scored(asked, ranks, audio, temporal)
        self._table(found)
        for kind, words in (("an audio", audio), ("a temporal", temporal)):
            self.stdout.write(f"What has one of these words is {kind} question: {', '.join(sorted(words))}.")
        figures: dict[str, Any] = {name: asdict(scores) if scores else None for name, scores in found.items()}
        if options["dense"]:
            figures["ndcg"] = self._say_ndcg(ranks, relevances)
        if options["out"]:
            writing.write(options["out"], [json.dumps(figures, indent=2) + "\n"])

    def _table(self, found: Mapping[str, Retrieval | None]) -> None:
        recalls = "".join(f"{f'R@{most}':>8}" for most in RECALLS)
        self.stdout.write(f"{'':20}{'rounds':>8}{'MRR':>8}{recalls}{'Mean':>8}")
        for name, scores in found.items():
            if scores is None:
                self.stdout.write(f"{name:20}{0:>8}")
                continue
            shares = "".join(f"{100 * share:8.2f}" for share in (scores.mrr, *scores.recall.values()))
            self.stdout.write(f"{name:20}{scores.rounds:>8}{shares}{scores.mean:8.2f}")
        self.stdout.write("MRR and recall are times 100. Mean is the mean rank of the answer given; 1 is best.")

    def _say_ndcg(self, ranks: Ranked, relevances: Mapping[Place, list[float]]) -> dict[str, float | int | None]:
        every = [ndcg(ranks[place], relevance) for place, relevance in relevances.items()]
        gains = [gain for gain in every if gain is not None]
        without = len(every) - len(gains)
        mean = fmean(gains) if gains else None
        value = "none" if mean is None else f"{100 * mean:.2f}"
        self.stdout.write(f"NDCG (x 100) over {many(len(gains), 'annotated round')}: {value}")
        if without:
            self.stdout.write(f"Left out of it: {many(without, 'annotated round')} without any relevant option.")
        return {"rounds": len(gains), "without_relevant_option": without, "ndcg": mean}


def _scored(
    asked: Mapping[Place, Asked], ranks: Ranked, audio: frozenset[str], temporal: frozenset[str]
) -> dict[str, Retrieval | None]:
    """Return the measures over all rounds, over audio and temporal questions, and by round."""
    groups: dict[str, list[int]] = {"all rounds": [], "audio questions": [], "temporal questions": []}
    for _, number in sorted(asked, key=lambda place: place[1]):
        groups.setdefault(f"round {number}", [])
    for place, round_ in asked.items():
        rank = ranks[place][round_.gt_index]
        groups["all rounds"].append(rank)
        groups[f"round {place[1]}"].append(rank)
        if holds(round_.question, audio):
            groups["audio questions"].append(rank)
        if holds(round_.question, temporal):
            groups["temporal questions"].append(rank)
    return {name: retrieval(given) for name, given in groups.items()}


def _words(text: str) -> frozenset[str]:
    words = frozenset(part.strip().lower() for part in text.split(","))
    for word in words:
        if words_of(word) != [word]:
            raise ArgumentTypeError(
                f"{word!r} is not a word: give words of letters and digits with commas between them"
            )
    return words


def _help(kind: str, words: frozenset[str]) -> str:
    return f"what makes a question one of {kind}: one of these words, whole (default: {','.join(sorted(words))})"
