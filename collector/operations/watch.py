"""Which alarms are new, which are over, and who is told by mail? Once a minute, in the worker process.

An alarm is mailed once when it begins, once when it has been over for some minutes, and again after a day. What begins
within some minutes after a mail waits for the next, so that trouble that spreads is a few mails and not a hundred.
"""

import logging
import smtplib
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone

from collector.lib import clock
from collector.lib.text import many
from collector.lib.tokens import redact
from collector.operations import alarms, pulses, tallies
from collector.operations.alarms import Alarm
from collector.operations.models import Pulse, Raised
from hits import offers

log = logging.getLogger(__name__)

TURN, MAIL = "watch", "alarm mail"
TURN_LASTS = timedelta(seconds=45)
"""Longer than a mail server is waited for."""


def watch() -> None:
    """Note which alarms stand, and mail what is new; does nothing when another worker process has just done so."""
    if not _take_turn():
        return
    found = alarms.everything()
    now = clock.now()
    for each in found:
        changed = {"sentence": each.sentence[:500], "seen_at": now}
        Raised.objects.update_or_create(
            key=each.key, defaults=changed, create_defaults=changed | {"since": each.since or now}
        )
    standing = Raised.objects.in_bulk([each.key for each in found])
    calm_since = now - timedelta(minutes=alarms.limit("calm_minutes"))
    over = list(Raised.objects.filter(seen_at__lt=calm_since))
    _tell([each for each in found if _is_to_tell(standing[each.key], now)], [each for each in over if each.mailed_at])
    told = Raised.objects.filter(seen_at__lt=calm_since)
    (told.filter(mailed_at=None) if is_mailed() else told).delete()
    tallies.forget()


def is_mailed() -> bool:
    """Tell whether alarms are mailed at all: to whom, and by which server, comes from the environment."""
    return bool(settings.EMAIL_HOST and settings.ALARM_MAIL_TO)


def _take_turn() -> bool:
    """Become the one who watches, by compare-and-set."""
    now = clock.now()
    _, is_new = Pulse.objects.get_or_create(name=TURN, defaults={"at": now})
    return is_new or bool(Pulse.objects.filter(name=TURN, at__lte=now - TURN_LASTS).update(at=now))


def _is_to_tell(row: Raised, now: datetime) -> bool:
    again = timedelta(hours=alarms.limit("again_hours"))
    return row.mailed_at is None or now - row.mailed_at >= again


def _tell(begun: list[Alarm], over: list[Raised]) -> None:
    """Mail what is to be told, all in one; where that fails it is tried again a minute later."""
    last = pulses.age(MAIL)
    is_soon = last is not None and last < timedelta(minutes=alarms.limit("mail_minutes"))
    if not is_mailed() or is_soon or not (begun or over):
        return
    mail = EmailMessage(_subject(begun, over), _body(begun, over), settings.DEFAULT_FROM_EMAIL, settings.ALARM_MAIL_TO)
    try:
        mail.send()
    except (smtplib.SMTPException, OSError) as error:
        log.warning("Alarms could not be mailed (%s); they are on the desk, and tried again.", type(error).__name__)
        return
    pulses.give(MAIL)
    Raised.objects.filter(key__in=[each.key for each in begun]).update(mailed_at=clock.now())
    Raised.objects.filter(key__in=[each.key for each in over]).delete()


def _subject(begun: list[Alarm], over: list[Raised]) -> str:
    said = [many(len(begun), "alarm")] if begun else []
    return f"Collector: {', '.join([*said, *([f'{len(over)} over'] if over else [])])}"


def _body(begun: Iterable[Alarm], over: Iterable[Raised]) -> str:
    """Return the mail's text. It names no worker, and no token stands in it."""
    since = dict(Raised.objects.values_list("key", "since"))
    parts = [_as_text(each, since.get(each.key)) for each in begun]
    parts += [f"Over: {each.sentence} It began at {_time(each.since)}." for each in over]
    return redact("\n\n".join([*parts, f"All that needs a person: {offers.our_origin()}{reverse('admin:index')}"]))


def _as_text(alarm: Alarm, since: datetime | None) -> str:
    where = f"{alarm.study.name}: " if alarm.study else ""
    lines = [f"{where}{alarm.sentence}", alarm.to_do, f"{offers.our_origin()}{alarm.address}"]
    return "\n".join(lines if since is None else [lines[0], f"Since {_time(since)}.", *lines[1:]])


def _time(at: datetime) -> str:
    return f"{timezone.localtime(at):%Y-%m-%d %H:%M} {settings.TIME_ZONE}"
