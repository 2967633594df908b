"""Where is each environment of Mechanical Turk, and which adapter speaks to it?"""

from dataclasses import dataclass

from django.conf import settings

from hits.marketplace.base import MarketplaceError
from hits.marketplace.mturk import MTurk
from hits.models import Environment


@dataclass(frozen=True)
class Place:
    """The addresses of an environment: for requests, for the submit form, and where workers see the frame."""

    environment: Environment
    endpoint: str
    submit_url: str
    frame_origin: str


def place(environment: str) -> Place:
    """Return an environment's addresses."""
    if environment == Environment.LIVE:
        endpoint = "https://mturk-requester.us-east-1.amazonaws.com"
        return Place(
            Environment.LIVE, endpoint, "https://www.mturk.com/mturk/externalSubmit", "https://worker.mturk.com"
        )
    if environment == Environment.SANDBOX:
        sandbox = "https://workersandbox.mturk.com"
        endpoint = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
        return Place(Environment.SANDBOX, endpoint, f"{sandbox}/mturk/externalSubmit", sandbox)
    local = settings.LOCALMARKET_URL
    return Place(Environment.LOCAL, local, f"{local}/mturk/externalSubmit", local)


def adapter(environment: str) -> MTurk:
    """Return the adapter of an environment. Raises MarketplaceError where it may not be used."""
    if environment == Environment.LIVE and not settings.ALLOW_LIVE:
        sentence = "This installation may not launch live: set ALLOW_LIVE=true where it runs."
        raise MarketplaceError("not_live", sentence, is_final=True)
    keys = (settings.AWS_ACCESS_KEY_ID, settings.AWS_SECRET_ACCESS_KEY)
    if environment == Environment.LOCAL and not all(keys):
        keys = ("LOCAL", "local")  # it takes any; botocore signs with none but these
    return MTurk(environment, place(environment).endpoint, *keys)
