"""How is a bundle made? Step by step in a folder beside its place, which gets its name when all is there and proved.

The release's row comes first and goes again when anything fails. A process that is killed leaves a row without a
checksum and a folder whose name begins with a dot, never half a bundle.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse

from collector.exports import personal, visdial, writing
from collector.exports.archives import FORMATS as IMPORTABLE
from collector.exports.formats import FORMATS
from collector.lib import clock
from collector.lib.text import many
from collector.releases import citation, data, datasheet, facts, holding, media, proving, readme
from collector.releases.citation import Publication
from collector.releases.holding import CannotRelease
from collector.releases.models import Release
from collector.studies.models import Study


@dataclass(frozen=True)
class Order:
    """What the researcher asked for."""

    out: Path
    studies: Sequence[Study]
    formats: Sequence[str]
    publication: Publication
    wish: visdial.Wish
    who: User | None = None
    simulated: bool = False
    with_undecided: bool = False
    with_evidence: bool = False
    with_media: bool = True


@dataclass(frozen=True)
class Step:
    """A part of the work, in words."""

    title: str
    do: Callable[[], object]


Following = Callable[[Sequence[Step]], Iterable[Step]]


def make(order: Order, following: Following) -> tuple[Release, dict[str, Any]]:
    """Make a bundle; return its row and its facts. Raises CannotRelease, or what the formats raise.

    Where it raises, nothing is left behind. ``following`` gives the steps back one by one, and may show them.
    """
    writing.check_folder(order.out)
    undecided = _undecided(order)
    release = Release.objects.create(
        name=order.publication.title, edition=order.publication.edition, formats=list(order.formats),
        made_at=clock.now(), who=order.who,
    )  # fmt: skip
    try:
        holding.hold(release, order.studies, simulated=order.simulated)
        if not release.dialogs.exists():
            release.formats = []
            release.save(update_fields=["formats"])
        with writing.making(order.out) as folder:
            making = _Bundle(order, release, folder, undecided)
            for step in following(list(making.steps())):
                step.do()
            Release.objects.filter(pk=release.pk).update(sha256=making.sha256)
    except BaseException:
        release.delete()
        raise
    release.refresh_from_db()
    return release, making.facts


def _undecided(order: Order) -> int:
    """Return how much that looks personal nobody has decided about. Raises CannotRelease unless that is allowed."""
    number = sum(1 for _ in personal.undecided(order.studies, simulated=order.simulated))
    if number and not order.with_undecided:
        pages = " and ".join(reverse("personal", args=[study.pk]) for study in order.studies)
        raise CannotRelease(
            f"{many(number, 'part')} of texts may tell who wrote them, and no person has decided about that. Decide at "
            f"{pages} (scan_texts lists them), or release all the same with --with-undecided."
        )
    return number


class _Bundle:
    """A bundle in the making."""

    def __init__(self, order: Order, release: Release, folder: Path, undecided: int) -> None:
        self._order = order
        self._release = release
        self._folder = folder
        self._left_out = media.left_out(release, with_media=order.with_media)
        self.facts = facts.of_release(release, self._left_out, simulated=order.simulated, undecided=undecided)
        self.sha256 = ""

    def steps(self) -> Iterator[Step]:
        """Yield what is to be done, in its order."""
        folder, release, order = self._folder, self._release, self._order
        for form in release.formats:
            yield from self._steps_of(form)
        for each in self.facts["splits"] if self.facts["summaries"] else ():
            if each["summaries"]:
                yield Step(f"summaries, {each['split']}", partial(data.write_summaries, folder, release, each["split"]))
        for number, study in enumerate(self.facts["studies"]):
            if study["relevances"]:
                yield Step(f"relevances, {study['slug']}", partial(self._write_relevances, number))
        if order.with_evidence:
            yield Step("evidence", partial(data.write_evidence, folder, release))
        if order.with_media:
            yield Step("videos and frames", partial(media.write_media, folder, release))
        yield Step("datasheet and licence", self._describe)
        yield Step("no id in any file", partial(proving.name_nobody, folder, release))
        yield Step("checksums", self._sum_up)

    def _steps_of(self, form: str) -> Iterator[Step]:
        if FORMATS[form].is_folder:
            yield Step(form, partial(self._write_folder, form))
            return
        for each in self.facts["splits"]:
            split = each["split"]
            if each["dialogs"]:
                yield Step(f"{form}, {split}", partial(data.write_split, self._folder, self._release, form, split))
                if form in IMPORTABLE:
                    name = data.place(form, split)
                    yield Step(f"{name} comes back", partial(proving.come_back, self._folder / name, name))

    def _write_folder(self, form: str) -> None:
        order = self._order
        report = data.write_folder(self._folder, self._release, form, order.wish, order.publication.licence)
        if report:
            self.facts["candidates"] = facts.of_candidates(report, order.wish)

    def _write_relevances(self, number: int) -> None:
        study = self.facts["studies"][number]
        here = data.write_relevances(self._folder, self._release, Study.objects.get(slug=study["slug"]))
        study["relevances"]["are_of_visdial_here"] = here

    def _describe(self) -> None:
        of, folder = self._order.publication, self._folder
        media.write_list(folder, self._left_out)
        texts = {
            "DATASHEET.md": datasheet.markdown(self.facts),
            "datasheet.json": json.dumps(self.facts, indent=1, ensure_ascii=False) + "\n",
            "LICENSE.txt": citation.statement(of),
            "CITATION.cff": citation.cff(of),
            "CITATION.bib": citation.bibtex(of),
        }
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "README.md").write_text(readme.text(folder, of, self.facts), encoding="utf-8")

    def _sum_up(self) -> None:
        self.sha256 = proving.write_checksums(self._folder)
