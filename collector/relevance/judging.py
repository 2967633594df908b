"""One worker, one item, 100 marks: what each step changes, on top of the steps that every watcher takes.

Every step can be asked for twice with the same result, so a page sends again what it has no answer to.
"""

import random
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Count, Q

from chat.models import Dialog
from chat.rules import Code, Refusal
from collector.relevance.models import OPTIONS, Item, Judging
from collector.studies import outcomes
from collector.studies.models import Fault, Outcome, Participation, Why
from collector.summaries import watching
from collector.summaries.models import Viewing

PAGE = 10
"""Options on a page."""
_SECRET = random.SystemRandom()


def begin(participation_id: int) -> None:
    """Give a participation its video and an item about it, unless it has them; none may be left, as for watchers."""
    with transaction.atomic():
        viewing = watching.begin(participation_id)
        if viewing is None or Judging.objects.filter(viewing=viewing).exists():
            return
        item = _item_for(viewing)
        if item is None:  # its dialog left the data just now
            watching.give_up(participation_id, Outcome.STUDY_ENDED, Fault.NOBODY, why=Why.NO_VIDEO_LEFT)
            return
        order = _SECRET.sample(range(OPTIONS), OPTIONS)
        Judging.objects.create(viewing=viewing, item=item, order=order, marks=[None] * OPTIONS)


def _item_for(viewing: Viewing) -> Item | None:
    """Return the item about the video that the fewest have judged or are judging, programs counted for programs.

    The lock on the study that gave the video is still held, so no item gets more than its share of the video's number.
    """
    of_use = Q(judgings__viewing__is_counted=True)
    if viewing.participation.is_simulated:
        outcomes_of_use = ["", Outcome.COMPLETE]
        of_use = Q(
            judgings__viewing__participation__is_simulated=True,
            judgings__viewing__participation__outcome__in=outcomes_of_use,
        )
    about = Dialog.objects.in_data().filter(video=viewing.video_id)
    items = Item.objects.filter(study=viewing.participation.study_id, dialog__in=about)
    return items.annotate(number=Count("judgings", of_use)).order_by("number", "pk").first()


def keep(participation_id: int, shown: Sequence[bool | None]) -> None:
    """Store the marks, given in the order shown. Raises Refusal ``watch_first`` or ``over``."""
    with transaction.atomic():
        _store(*watching.opened(participation_id), shown)


def finish(participation_id: int, shown: Sequence[bool | None]) -> None:
    """Store the marks and end the participation as complete. Raises Refusal as ``keep``, or ``not_all_marked``."""
    if None in shown:
        raise Refusal(Code.NOT_ALL_MARKED)
    with transaction.atomic():
        locked, viewing = watching.opened(participation_id)
        _store(locked, viewing, shown)
        watching.close(viewing)
        outcomes.end(locked.pk, Outcome.COMPLETE)


def _store(locked: Participation, viewing: Viewing, shown: Sequence[bool | None]) -> None:
    if viewing.watched_at is None:
        raise Refusal(Code.WATCH_FIRST)
    judging = Judging.objects.get(viewing=viewing)
    for place, option in enumerate(judging.order):
        judging.marks[option] = shown[place]
    judging.save(update_fields=["marks"])
    whole = sum(None not in shown[start : start + PAGE] for start in range(0, OPTIONS, PAGE))
    Participation.objects.filter(pk=locked.pk).update(rounds_done=1 + whole)


def shown(judging: Judging) -> tuple[list[str], list[bool | None]]:
    """Return the options and the marks in the order in which this worker sees them."""
    options, marks = judging.item.options, judging.marks
    return [options[option] for option in judging.order], [marks[option] for option in judging.order]
