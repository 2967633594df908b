"""What follows from a study's kind? Its page, its words, and how many workers make one of what is wanted."""

from dataclasses import dataclass

from collector.studies.models import Kind, Participation


@dataclass(frozen=True)
class About:
    """One kind of study."""

    page: str
    """Name of the address at which its workers' task begins."""
    unit: str
    """What is wanted."""
    units: str
    workers: int
    """How many workers make one of them."""
    part: str
    """What a worker who does not finish is paid for, each by its share."""
    parts: int | None
    """How many make the whole; None where the study's rounds say it."""

    @property
    def is_alone(self) -> bool:
        """Whether nobody has a partner, so nobody is waited for."""
        return self.workers == 1


_ALL = {
    Kind.DIALOG: About("room", "dialog", "dialogs", workers=2, part="round", parts=None),
    Kind.SUMMARY: About("watching", "summary", "summaries", workers=1, part="part", parts=2),
    Kind.RELEVANCE: About("judging", "annotation", "annotations", workers=1, part="part", parts=11),
}


def of(kind: str) -> About:
    """Return what follows from a kind."""
    return _ALL[Kind(kind)]


def page_of(participation: Participation) -> str:
    """Return the name of the address where an open participation goes on: what is to be learned, or the task."""
    return "learning" if participation.is_learning else of(participation.study.kind).page
