"""What do we write to a worker through the marketplace? Written down with who and when, sent by the worker process.

Two sendings cannot be told from two messages, so each is sent once: what may have been sent is not sent again by a
program, and says so.
"""

import logging
import uuid
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext

from collector.lib import clock, languages, tokens
from collector.studies import versions
from collector.studies.models import Worker
from hits import offers
from hits.marketplace.base import Marketplace, MarketplaceError
from hits.models import Message, MessageState

log = logging.getLogger(__name__)

SENDING_FOR = timedelta(minutes=15)
"""What has been sending for longer was sent by a process that is gone."""
LONGEST_SUBJECT, LONGEST_TEXT = 200, 4096
PERHAPS = "It may have reached them. Write again only if reading it twice does no harm."


class CannotWrite(Exception):
    """Why a message was not taken, in a sentence."""


def write(worker: Worker, subject: str, text: str, who: User, key: uuid.UUID, *, confirmed: bool) -> Message:
    """Take a message down to be sent; the same key again returns what is there. Raises CannotWrite."""
    subject, text = subject.strip(), text.strip()
    if worker.marketplace != "mturk":
        raise CannotWrite("An invitation link carries no messages; write to them where you gave them the link.")
    if worker.is_forgotten:
        raise CannotWrite("Their id was removed: nothing can be sent to them.")
    if not subject or not text:
        raise CannotWrite("A message needs a subject and a text.")
    if len(subject) > LONGEST_SUBJECT or len(text) > LONGEST_TEXT:
        raise CannotWrite(f"A subject has at most {LONGEST_SUBJECT} characters, a text {LONGEST_TEXT:,}.")
    if not confirmed:
        raise CannotWrite("A message cannot be called back. Confirm that you have read it again.")
    now = clock.now()
    fields = {"worker": worker, "subject": subject, "text": text, "who": who, "at": now, "changed_at": now}
    return Message.objects.get_or_create(key=key, defaults=fields)[0]


def is_waiting(environment: str) -> bool:
    """Tell whether any message is to be sent, or what became of it to be said."""
    return _of(environment, MessageState.PLANNED).exists() or _of(environment, MessageState.SENDING).exists()


def carry_out(environment: str, market: Marketplace) -> int:
    """Send what was written; return how much. Trouble with one does not stop the others."""
    stuck = _of(environment, MessageState.SENDING).filter(changed_at__lt=clock.now() - SENDING_FOR)
    stuck.update(state=MessageState.UNKNOWN, changed_at=clock.now(), trouble=PERHAPS)
    planned = _of(environment, MessageState.PLANNED).select_related("worker").order_by("pk")
    return sum(_send(each, market) for each in planned)


def _send(message: Message, market: Marketplace) -> bool:
    if not _move(message, MessageState.PLANNED, MessageState.SENDING):
        return False
    try:
        ((_, trouble),) = market.notify([message.worker.external_id], message.subject, _with_page(message))
    except MarketplaceError as error:
        log.warning("Message %d: %s", message.pk, error.code)
        state, trouble = MessageState.UNKNOWN, f"{error.sentence} {PERHAPS}"
        if error.nothing_done:
            state, trouble = (MessageState.FAILED if error.is_final else MessageState.PLANNED), error.sentence
        _move(message, MessageState.SENDING, state, trouble)
        return False
    _move(message, MessageState.SENDING, MessageState.FAILED if trouble else MessageState.SENT, trouble)
    return not trouble


def _with_page(message: Message) -> str:
    """Return a message with the address of the worker's own page below it, where that has room."""
    address = offers.our_origin() + reverse("mine", args=[tokens.mint_for_worker(message.worker_id)])
    with languages.speaking(versions.language_of(message.worker_id)):
        below = gettext("Your tasks and your pay with us, and how to write to us: {address}").format(address=address)
    whole = f"{message.text}\n\n{below}"
    return whole if len(whole) <= LONGEST_TEXT else message.text


def _of(environment: str, state: MessageState) -> QuerySet[Message]:
    return Message.objects.filter(worker__marketplace="mturk", worker__environment=environment, state=state)


def _move(message: Message, before: MessageState, after: MessageState, trouble: str = "") -> bool:
    """Take a message from one state to the next by compare-and-set; False when another process has."""
    rows = Message.objects.filter(pk=message.pk, state=before)
    return bool(rows.update(state=after, changed_at=clock.now(), trouble=trouble[:300]))
