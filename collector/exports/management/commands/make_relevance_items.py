"""Have a round's answers judged: ``manage.py make_relevance_items --study relevance --of demo --rounds drawn``."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chat import transcripts
from collector.catalogue.models import Split
from collector.exports import dense, personal, relevances, vectors, visdial
from collector.exports.dense import DRAWN, Rounds
from collector.exports.selection import Selection
from collector.exports.submissions import Refused
from collector.lib.text import many
from collector.studies.models import Study


class Command(BaseCommand):
    """Say what it will cost, then make the items; what is there already stays as it is."""

    help = "Make the items of a relevance study from the answers that rounds of another study offer, and say the cost."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("--study", required=True, metavar="SLUG", help="the relevance study")
        parser.add_argument("--of", required=True, metavar="SLUG", help="the study whose dialogs are taken")
        parser.add_argument("--split", default="", choices=Split.values, help="judge only rounds of this split")
        parser.add_argument("--simulated", action="store_true", help="also dialogs of simulated workers")
        parser.add_argument(
            "--rounds", type=_rounds, default=(DRAWN,), metavar="ROUNDS",
            help="drawn: of each dialog the one drawn for a test file (default); all; or numbers, as 1,5,10",
        )  # fmt: skip
        parser.add_argument("--sample", type=int, metavar="NUMBER", help="of these rounds so many, drawn at random")
        parser.add_argument("--seed", type=int, default=0, help="as for export_avsd, for all that is drawn (default 0)")
        pools = [visdial.SPLIT, visdial.ALL]
        parser.add_argument("--pool", choices=pools, default=visdial.SPLIT, help="as for export_avsd")
        parser.add_argument("--vectors", type=Path, metavar="FILE", help="as for export_avsd")
        parser.add_argument("--dry-run", action="store_true", help="say what it would make and cost; make nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Choose, say, store."""
        try:
            study = relevances.study_of(options["study"])
        except Refused as error:
            raise CommandError(str(error)) from error
        source = Study.objects.filter(slug=options["of"]).first()
        if source is None:
            raise CommandError(f"There is no study {options['of']!r} to take dialogs of.")
        if not study.dialogs_per_video:
            raise CommandError(f"{study.name} does not say how many people judge an item. Say it in the admin.")
        if options["sample"] is not None and options["sample"] < 1:
            raise CommandError("--sample takes a number of rounds from 1.")
        selection = Selection(source.slug, simulated=options["simulated"])
        wish = visdial.Wish(seed=options["seed"], pool=options["pool"], vectors=options["vectors"])
        rounds = Rounds(options["rounds"], options["split"], options["sample"])
        try:
            made = dense.items(study, transcripts.read(selection.dialogs()), wish, rounds)
        except visdial.CannotChoose as error:
            raise CommandError(f"{error}{selection.hint()}") from error
        except vectors.CannotRead as error:
            raise CommandError(str(error)) from error
        self._say(study, len(made))
        self._warn(source, simulated=options["simulated"])
        if not made:
            self.stdout.write("Nothing to make: no such round is there, or each has its item already.")
        elif not options["dry_run"]:
            dense.store(study, made)
            self.stdout.write(f"Made. The study has {many(study.items.count(), 'item')} now.")

    def _warn(self, source: Study, *, simulated: bool) -> None:
        """Warn of what looks personal in texts that items would keep."""
        if number := sum(1 for _ in personal.undecided([source], simulated=simulated)):
            said = (
                f"Warning: {many(number, 'part')} of its texts may tell who wrote them, and nobody has decided about "
                f"that. Items keep the texts they are made with: decide first, see scan_texts --study {source.slug}."
            )
            self.stderr.write(self.style.WARNING(said))

    def _say(self, study: Study, number: int) -> None:
        cost = dense.cost_of(study, number)
        spent = cost.estimate
        people = f"{study.dialogs_per_video} people an item" if study.dialogs_per_video != 1 else "1 person an item"
        self.stdout.write(
            f"{many(number, 'new item')}, {people}: {many(cost.annotations, 'annotation')} of 100 answers, "
            f"{cost.judgements} judgements."
        )
        self.stdout.write(
            f"Expected cost: ${spent.total:.2f} (rewards {spent.rewards:.2f}, lost annotations {spent.lost:.2f}, "
            f"fees {spent.fees:.2f})"
        )


def _rounds(text: str) -> tuple[int, ...]:
    if text in ("drawn", "all"):
        return (DRAWN,) if text == "drawn" else ()
    numbers = text.split(",")
    if not all(number.isdecimal() and int(number) > 0 for number in numbers):
        raise ArgumentTypeError(f"{text!r} names no rounds: write drawn, all, or numbers from 1 as 1,5,10.")
    return tuple(int(number) for number in numbers)
