"""What do workers write to the researcher, and who has answered? Messages and appeals, kept, mailed and answered once.

A letter is stored before anything else happens to it, so that a mail that fails loses nothing.
"""

import logging
import smtplib
import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from collector.lib import clock, languages
from collector.lib.languages import whole
from collector.lib.text import UnstorableText, clean, many
from collector.studies.models import Participation, Worker
from collector.studies.versions import language_of
from hits import mailing, offers
from hits.mailing import CannotWrite
from hits.models import Assignment, AssignmentState, Decision, Letter

log = logging.getLogger(__name__)

LONGEST, LONGEST_ANSWER = 2000, 3000
A_DAY = 5
"""Messages that one worker may write within a day; an appeal is always possible, once for each rejection."""
WORKING_DAYS = 3
"""After so many an unanswered letter is late."""
_IN_ONE_MAIL = 50


def write(worker: Worker, participation: Participation | None, text: str, key: uuid.UUID) -> Letter:
    """Keep a message; the same key again returns what is there. Raises CannotWrite."""
    text = checked(text)
    with transaction.atomic():
        Worker.objects.select_for_update().get(pk=worker.pk)
        if known := Letter.objects.filter(key=key, worker=worker).first():
            return known
        since = clock.now() - timedelta(days=1)
        if Letter.objects.filter(worker=worker, assignment=None, at__gt=since).count() >= A_DAY:
            said = gettext("You have written {number} messages within a day. Write again tomorrow.")
            raise CannotWrite(said.format(number=A_DAY))
        return Letter.objects.create(worker=worker, participation=participation, text=text, at=clock.now(), key=key)


def appeal(worker: Worker, assignment: Assignment, text: str) -> Letter:
    """Keep why a rejection should be looked at again; it can be asked once. Raises CannotWrite."""
    text = checked(text)
    with transaction.atomic():
        Worker.objects.select_for_update().get(pk=worker.pk)
        if known := Letter.objects.filter(assignment=assignment).first():
            if known.text == text:
                return known
            raise CannotWrite(gettext("You have appealed already. The researcher's answer will stand on this page."))
        if not stands_rejected(assignment):
            raise CannotWrite(gettext("This work is not rejected any more, so there is nothing to appeal against."))
        return Letter.objects.create(
            worker=worker, participation=assignment.participation, assignment=assignment, text=text, at=clock.now()
        )


def stands_rejected(assignment: Assignment) -> bool:
    """Tell whether work stands rejected, and nobody has decided to take that back."""
    return assignment.state == AssignmentState.REJECTED and assignment.decision != Decision.APPROVE


def checked(text: str) -> str:
    """Return a worker's text as it is stored. Raises CannotWrite when it is empty, too long or unreadable."""
    try:
        text = clean(text)
    except UnstorableText:
        raise CannotWrite(gettext("The text holds characters that cannot be stored. Write it anew.")) from None
    if not text:
        raise CannotWrite(gettext("The text is empty. Write what it is about."))
    if len(text) > LONGEST:
        said = gettext("The text has {length} characters, and may have {longest}. Shorten it.")
        raise CannotWrite(said.format(length=whole(len(text)), longest=whole(LONGEST)))
    return text


def answer(worker: Worker, letter_id: int, text: str, who: User, *, confirmed: bool) -> Letter:
    """Answer a worker's letter, once: it stands on their page, and a marketplace sends it. Raises CannotWrite."""
    text = text.strip()
    if not text or len(text) > LONGEST_ANSWER:
        raise CannotWrite(f"An answer has 1 to {LONGEST_ANSWER:,} characters; this one has {len(text):,}.")
    if not confirmed:
        raise CannotWrite("An answer cannot be called back. Confirm that you have read it again.")
    with transaction.atomic():
        letter = Letter.objects.select_for_update().filter(pk=letter_id, worker=worker).first()
        if letter is None:
            raise CannotWrite("This worker has no such letter.")
        if letter.answered_at is not None:
            raise CannotWrite("It is answered already. Write to the worker anew.")
        if worker.marketplace == "mturk" and not worker.is_forgotten:
            mailing.write(worker, _subject(letter), text, who, letter.key, confirmed=True)
        letter.answer, letter.answered_at, letter.answered_by = text, clock.now(), who
        letter.save(update_fields=["answer", "answered_at", "answered_by"])
    return letter


def _subject(letter: Letter) -> str:
    with languages.speaking(language_of(letter.worker)):
        return gettext("About your message") if letter.assignment_id is None else gettext("About your appeal")


def unanswered() -> QuerySet[Letter]:
    """Return the letters that nobody has answered."""
    return Letter.objects.filter(answered_at=None)


def late() -> QuerySet[Letter]:
    """Return the letters that nobody has answered within three working days."""
    return unanswered().filter(at__lt=working_days_before(clock.now()))


def working_days_before(moment: datetime, days: int = WORKING_DAYS) -> datetime:
    """Return the moment so many working days (Monday to Friday, in TIME_ZONE) earlier; a weekend counts for nothing."""
    found = timezone.localtime(moment)
    if found.weekday() > 4:
        saturday = found - timedelta(days=found.weekday() - 5)
        found = saturday.replace(hour=0, minute=0, second=0, microsecond=0)
    while days:
        found -= timedelta(days=1)
        days -= found.weekday() < 5
    return found


def is_mailed() -> bool:
    """Tell whether letters are mailed at all: to whom, and by which server, comes from the environment."""
    return bool(settings.EMAIL_HOST and settings.LETTERS_TO)


def mail_new() -> int:
    """Mail the researcher what has come and is not answered, all in one mail; return how many letters it holds.

    A mail that may not have been sent is sent again: one twice is better than none.
    """
    found = list(unanswered().filter(mailed_at=None).select_related("participation__study").order_by("pk"))
    if not found or not is_mailed():
        return 0
    found = found[:_IN_ONE_MAIL]
    subject = f"Collector: {many(len(found), 'letter')} from workers"
    mail = EmailMessage(subject, "\n\n".join(map(_as_text, found)), settings.DEFAULT_FROM_EMAIL, settings.LETTERS_TO)
    try:
        mail.send()
    except (smtplib.SMTPException, OSError) as error:
        log.warning("Letters could not be mailed (%s); they are in the admin, and tried again.", type(error).__name__)
        return 0
    return Letter.objects.filter(pk__in=[each.pk for each in found]).update(mailed_at=clock.now())


def _as_text(letter: Letter) -> str:
    """Return a letter as it stands in a mail, without the worker's id, which is personal data."""
    about = f", {letter.participation.study.name}" if letter.participation else ""
    address = offers.our_origin() + reverse("worker", args=[letter.worker_id]) + "#letters"
    quoted = "\n".join(f"> {line}" for line in letter.text.splitlines())
    return f"Worker {letter.worker_id}{about}, {letter.kind}:\n{quoted}\nAnswer: {address}"
