"""How long will the rest of a study take, and what will it cost?"""

from datetime import timedelta

from django.db.models import Max

from collector.lib.text import dollars, many
from collector.studies import kinds
from hits import cost, ledger, lifecycle, reconcile
from hits.models import EntryState, Recruitment


def forecast(recruitment: Recruitment) -> str:
    """Say how long the rest takes, and what it costs, at the pace and the cost so far; empty before any is known."""
    done, about = lifecycle.complete_dialogs(recruitment), kinds.of(recruitment.study.kind)
    left = recruitment.dialogs_wanted - done
    last = lifecycle.completing(recruitment.study).aggregate(last=Max("ended_at"))["last"]
    if not done or left <= 0 or recruitment.started_at is None or last is None:
        return ""
    owed = ledger.sum_of(reconcile.of_recruitment(recruitment).exclude(state=EntryState.UNDONE))
    price = owed * (1 + cost.FEES["mturk"].share) / done * left
    needed = max(timedelta(minutes=1), (last - recruitment.started_at) / done * left)
    complete = f"{done} {about.unit if done == 1 else about.units}"
    return (
        f"Complete: {complete} of {recruitment.dialogs_wanted}. At the pace since the launch the other "
        f"{left} take about {_in_words(needed)}, and at the cost so far about {dollars(price)}, fees included."
    )


def _in_words(span: timedelta) -> str:
    minutes = round(span.total_seconds() / 60)
    if minutes < 120:
        return many(minutes, "minute")
    return many(round(minutes / 60), "hour") if minutes < 72 * 60 else many(round(minutes / 60 / 24), "day")
