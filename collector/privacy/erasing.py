"""How is a person erased? Their ids and all that is personal go at once and for good; what is owed to others stays.

By default what they wrote for studies goes as well: they are withdrawn, and their texts are replaced. The other choice
keeps the texts, under the worker's number, in the data.
"""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q

from chat.models import Utterance, UtteranceRedaction
from collector.exports.normalising import normalised
from collector.learning.models import Lesson
from collector.privacy import person, removing
from collector.privacy.removing import REMOVED
from collector.relevance.models import Item
from collector.studies.models import Exclusion, Outcome, Participation, Worker
from collector.summaries.models import Summary, SummaryRedaction
from hits import settlement, withdrawing
from hits.models import Block, Withdrawal

_REASON = "Asked to be erased."
GOES = (
    "The id that the marketplace gave them, and the ids of their work.",
    "How they wrote, their device and the mark of their network.",
    "What was written to, by and about them: letters, messages, notes, feedback, reasons.",
)
STAYS = (
    "The ledger: amounts and reasons under the worker's number, as long as tax law asks.",
    "That they took part, when, and how it ended, under the worker's number.",
    "Texts in releases and files that were made before, and in backups until these are replaced.",
    "The log of what researchers did.",
)


class CannotErase(Exception):
    """Why nobody was erased, in a sentence."""


def erase(worker: Worker, who: User | None, *, keep_texts: bool = False, confirmed: bool) -> None:
    """Erase a worker; done twice, it is the same. Raises CannotErase while something is under way."""
    if not confirmed:
        raise CannotErase("Confirm that they have asked for it: it cannot be taken back.")
    with transaction.atomic():
        Worker.objects.select_for_update().get(pk=worker.pk)
        for pk in Participation.objects.filter(worker=worker, settlement=None).values_list("pk", flat=True):
            settlement.settle(pk)  # what is worked out afterwards could not be paid
        for rows, sentence in removing.UNDER_WAY:
            if rows.filter(worker=worker).exists():
                raise CannotErase(sentence)
        if not keep_texts:
            _withdraw(worker, who)
            _remove_texts(worker)
        _remove_evidence(worker)
        _remove_words(worker)
        removing.forget_ids([worker.pk])


def _withdraw(worker: Worker, who: User | None) -> None:
    """Take all that they did out of the data, as at a withdrawal."""
    ended = Participation.objects.filter(worker=worker).exclude(outcome=Outcome.WITHDRAWN)
    for pk in ended.values_list("pk", flat=True):
        withdrawing.at_their_wish(pk, _REASON, who)


def _remove_texts(worker: Worker) -> None:
    said, written = person.utterances_of(worker), Summary.objects.filter(viewing__participation__worker=worker)
    utterances, summaries = list(said.values_list("pk", flat=True)), list(written.values_list("pk", flat=True))
    texts = set(said.values_list("text", flat=True)) - {REMOVED}
    UtteranceRedaction.objects.filter(utterance__in=utterances).delete()
    SummaryRedaction.objects.filter(summary__in=summaries).delete()
    Utterance.objects.filter(pk__in=utterances).update(text=REMOVED)
    Summary.objects.filter(pk__in=summaries).update(text=REMOVED)
    _remove_options(texts)


def _remove_options(texts: set[str]) -> None:
    """Replace answers that are offered to judges, as exports write them, where nobody else has said the same."""
    if not texts:
        return
    theirs = texts | {normalised(text) for text in texts}
    items = [pk for pk, options in Item.objects.values_list("pk", "options").iterator(500) if theirs & {*options}]
    for text in Utterance.objects.values_list("text", flat=True).iterator(10_000) if items else ():
        theirs -= {text, normalised(text)}
    for item in Item.objects.filter(pk__in=items).iterator(500):
        item.options = [REMOVED if option in theirs else option for option in item.options]
        item.save(update_fields=["options"])


def _remove_evidence(worker: Worker) -> None:
    utterances = list(person.utterances_of(worker).values_list("pk", flat=True))
    Utterance.objects.filter(pk__in=utterances).update(evidence={}, typed_at=None)
    Summary.objects.filter(viewing__participation__worker=worker).update(evidence={}, typed_at=None)
    Lesson.objects.filter(participation__worker=worker).update(device_report={}, practice={})
    # Links to their pages open nothing any more.
    Participation.objects.filter(worker=worker).update(network="", reason="", generation=F("generation") + 1)


def _remove_words(worker: Worker) -> None:
    for rows, changes in removing.texts_about(Q(worker=worker), Q(participation__worker=worker)):
        rows.update(**changes)
    Exclusion.objects.filter(worker=worker).update(reason=REMOVED)
    Block.objects.filter(worker=worker).update(reason=REMOVED)
    Withdrawal.objects.filter(participation__worker=worker).update(reason=REMOVED)
