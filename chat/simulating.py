"""What does a command that simulates workers need of this installation: its key, and what its samples show?"""

from django.core import signing

from collector.catalogue.models import Video
from collector.catalogue.scenes import Scene, from_json
from collector.lib import clock, tokens
from collector.studies.models import Participation


def scenes() -> dict[str, Scene]:
    """Return the samples' scenes by their files' checksums.

    The server tells nobody which video it is, and an Answerer only the script. A command runs where the database is,
    so it may look up what a person would see by watching.
    """
    videos = Video.objects.filter(scene__isnull=False).values_list("checksum", "scene")
    return {checksum: from_json(scene) for checksum, scene in videos}


def sign(participant: str) -> str:
    """Return the mark of a simulated worker; it takes the installation's key, so nobody else can make it."""
    return signing.Signer(salt="collector.simulated").sign(participant)


def excuse(token: str) -> None:
    """Let a robot of the local marketplace, which is not marked as a program, begin its task without a lesson."""
    mine = Participation.objects.filter(pk=tokens.read(token).participation, worker__environment="local")
    mine.update(is_learning=False, confirmed_at=clock.now())


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first failure of a group: the others are mostly its consequences."""
    inner = group.exceptions[0]
    return first_of(inner) if isinstance(inner, BaseExceptionGroup) else inner
