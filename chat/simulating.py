"""What does a command that simulates workers need of this installation: its key, and what its samples show?"""

import httpx
from django.conf import settings
from django.core import signing
from django.core.management.base import CommandError

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


def here() -> str:
    """Return the address of a server that was started on this machine in this environment."""
    everywhere = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to
    host = "127.0.0.1" if settings.HOST in everywhere else settings.HOST
    return f"http://{host}:{settings.PORT}"


def silent(url: str, error: httpx.TransportError) -> CommandError:
    """Return the failure of a command whose server does not answer."""
    return CommandError(f"{url} does not answer ({type(error).__name__}). Start it, or name its address with --url.")


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
