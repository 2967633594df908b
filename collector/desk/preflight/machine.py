"""Is what the product stands on there? What ``/readyz`` asks, and the mail, with what to do beside it."""

from collections.abc import Iterator
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import get_connection

from collector.desk.preflight.checks import Check, bad, good, warn
from collector.operations import health, pulses

_RUN = "make run starts it; docs/processes.md has its command. If a long task holds it up, check again later."
_FIXES = {
    "database": "See that it runs and that DATABASE_URL names it.",
    "migrations": "Stop the product, run manage.py migrate, and start it.",
    pulses.WORKER: f"Without it nothing is offered, paid, mailed or exported. {_RUN}",
    pulses.BEAT: f"Without it nothing is done that nobody asks for. {_RUN}",
    "redis": "See that it runs and that REDIS_URL names it.",
    "disk": "Make room: below that uploads, exports and soon the database fail.",
    "bucket": "Without it nobody sees a video: docs/deploying.md.",
}


def checks() -> Iterator[Check]:
    """Look at this installation."""
    if settings.DEBUG:
        said = "DEBUG is on: an error shows settings and data to whoever looks."
        yield bad("Debugging", said, "Take DEBUG away and start the product anew.")
    for each in health.all_checks():
        name = each.name.capitalize()
        yield good(name, each.sentence) if each.is_good else bad(name, each.sentence, _FIXES[each.name])
    yield _mail()


def _mail() -> Check:
    about = "Mail"
    if not (settings.EMAIL_HOST and settings.LETTERS_TO):
        said = "No mail is sent: what workers write stands in the admin only."
        return warn(about, said, "Set EMAIL_HOST and LETTERS_TO, or look into the admin's Letters every day.")
    try:
        with get_connection():
            pass
    except (OSError, SMTPException) as error:
        said = f"{settings.EMAIL_HOST} does not let us in: {type(error).__name__}."
        return bad(about, said, "Mend EMAIL_HOST, its port, account or encryption (.env.example).")
    return good(about, f"{settings.EMAIL_HOST} lets us in; letters go to {', '.join(settings.LETTERS_TO)}.")
