"""Make a bundle to give away: ``manage.py release --study avsd --out avsd-1.0 --author "Family, Given"``."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, cast

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from collector.exports import vectors, visdial, writing
from collector.exports.archives import FORMATS as IMPORTABLE
from collector.exports.formats import FORMATS
from collector.lib import clock
from collector.releases import bundle, citation, data, datasheet
from collector.releases.bundle import Order, Step
from collector.releases.citation import Publication
from collector.releases.holding import CannotRelease
from collector.studies.models import Study

_REFUSALS = (CannotRelease, writing.CannotWrite, visdial.CannotChoose, vectors.CannotRead)


class Command(BaseCommand):
    """Release studies as one dataset."""

    help = (
        "Write a bundle: data, datasheet, licence, citation, checksums; proved to come back, and whole or not at all."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("--study", action="append", required=True, metavar="SLUG", help="give it again for others")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="a new folder")
        parser.add_argument(
            "--formats", default=",".join(data.DEFAULT_FORMATS), metavar="A,B",
            help=f"of dialogs, separated by commas: {', '.join(FORMATS)} (default: %(default)s)",
        )  # fmt: skip
        parser.add_argument("--simulated", action="store_true", help="also what simulated workers did")
        parser.add_argument(
            "--with-undecided", action="store_true", help="although something that looks personal is not decided about"
        )
        parser.add_argument("--with-evidence", action="store_true", help="also how each text was written")
        parser.add_argument("--without-media", action="store_true", help="leave out all videos and frames")
        parser.add_argument("--who", default="", metavar="USER", help="the account of the researcher who releases")
        _add_publication(parser.add_argument_group("licence and citation"))
        _add_candidates(parser.add_argument_group("the 100 answers of visdial"))

    def handle(self, *args: Any, **options: Any) -> None:
        """Release, or say why not."""
        with ExitStack() as stack:
            console = Console(file=cast(IO[str], self.stderr._out))
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
            try:
                order = self._order(options, progress)
                stack.enter_context(progress)
                release, facts = bundle.make(order, lambda steps: _shown(steps, progress))
            except _REFUSALS as error:
                raise CommandError(str(error)) from error
        self.stdout.write(f"Released to {order.out}. {datasheet.holds(facts)}")
        if proved := [form for form in release.formats if form in IMPORTABLE]:
            self.stdout.write(f"Imported and exported again, byte for byte the same: {', '.join(proved)}.")
        self.stdout.write(f"SHA-256 of SHA256SUMS: {release.sha256}")

    def _order(self, options: dict[str, Any], progress: Progress) -> Order:
        studies = [_study(slug) for slug in dict.fromkeys(options["study"])]
        promised = sorted({version.content["text_licence"] for study in studies for version in study.versions.all()})
        promised = promised or sorted({study.text_licence for study in studies})
        licence = citation.licence_of(options["license"] or _only(promised))
        if others := [each for each in promised if "-".join(each.split()).lower() != licence.lower()]:
            self.stderr.write(
                self.style.WARNING(f"Warning: the texts were collected under another licence: {', '.join(others)}.")
            )
        return Order(
            out=options["out"],
            studies=studies,
            formats=_formats(options["formats"]),
            publication=Publication(
                title=options["title"] or ", ".join(study.name for study in studies),
                edition=options["edition"],
                authors=tuple(options["author"] or _institutions(studies)),
                licence=licence,
                released=clock.now().date(),
                doi=options["doi"],
                url=options["url"],
            ),
            wish=visdial.Wish(
                seed=options["seed"], pool=options["pool"], vectors=options["vectors"], started=_rounds_on(progress)
            ),
            who=_user(options["who"]),
            simulated=options["simulated"],
            with_undecided=options["with_undecided"],
            with_evidence=options["with_evidence"],
            with_media=not options["without_media"],
        )


def _add_publication(parser: Any) -> None:
    parser.add_argument("--license", default="", metavar="SPDX", help="of the texts (default: what workers were told)")
    parser.add_argument("--title", default="", help="of the dataset (default: the studies' names)")
    parser.add_argument("--edition", default="1.0", metavar="VERSION", help="(default: %(default)s)")
    parser.add_argument(
        "--author", action="append", metavar="NAME",
        help='"Family, Given" or an institution; give it again for others (default: the studies\' institutions)',
    )  # fmt: skip
    parser.add_argument("--doi", default="")
    parser.add_argument("--url", default="")


def _add_candidates(parser: Any) -> None:
    parser.add_argument("--seed", type=int, default=0, help="for all that is drawn (default: 0)")
    parser.add_argument("--pool", choices=[visdial.SPLIT, visdial.ALL], default=visdial.SPLIT)
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="word vectors in GloVe's format")


def _shown(steps: Sequence[Step], progress: Progress) -> Iterator[Step]:
    task = progress.add_task("", total=len(steps))
    for step in steps:
        progress.update(task, description=step.title)
        yield step
        progress.advance(task)


def _rounds_on(progress: Progress) -> Callable[[int], Callable[[int], None]]:
    def started(rounds: int) -> Callable[[int], None]:
        task = progress.add_task("rounds with their 100 answers", total=rounds)
        return lambda done: progress.advance(task, done)

    return started


def _study(slug: str) -> Study:
    found = Study.objects.filter(slug=slug).first()
    if not found:
        known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no study {slug!r}. The studies are: {known}.")
    return found


def _formats(named: str) -> list[str]:
    formats = list(dict.fromkeys(name.strip() for name in named.split(",") if name.strip()))
    if unknown := [name for name in formats if name not in FORMATS]:
        raise CommandError(f"There is no format {', '.join(unknown)}. The formats are: {', '.join(FORMATS)}.")
    if not formats:
        raise CommandError(f"Name at least one format with --formats: {', '.join(FORMATS)}.")
    return formats


def _only(promised: list[str]) -> str:
    if len(promised) > 1:
        raise CannotRelease(f"Workers were told of several licences ({', '.join(promised)}): choose with --license.")
    return promised[0]


def _institutions(studies: Sequence[Study]) -> list[str]:
    found = list(dict.fromkeys(study.institution for study in studies if study.institution))
    if not found:
        raise CannotRelease('Somebody must be cited: name them with --author "Family, Given", or an institution.')
    return found


def _user(name: str) -> User | None:
    if not name:
        return None
    found = User.objects.filter(username=name).first()
    if not found:
        raise CommandError(f"There is no account {name!r}. Make it in the admin, or leave --who out.")
    return found
