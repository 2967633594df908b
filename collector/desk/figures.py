"""How long will the rest of a study take, and what will it cost?"""

from datetime import timedelta
from decimal import Decimal

from collector.desk import newest
from collector.desk.standing import Standing
from collector.lib.text import dollars, many
from hits import cost
from hits.models import Recruitment


def forecast(recruitment: Recruitment, stands: Standing, owed: Decimal) -> str:
    """Say how long the rest takes, and what it costs, at the pace and the cost so far; empty before any is known."""
    done, about = stands.complete, stands.about
    left = recruitment.dialogs_wanted - done
    last = max((each.ended_at for each in stands.came if each.is_complete and each.ended_at), default=None)
    if not done or left <= 0 or recruitment.started_at is None or last is None:
        return ""
    price = owed * (1 + cost.FEES["mturk"].share) / done * left
    needed = max(timedelta(minutes=1), (last - recruitment.started_at) / done * left)
    complete = f"{done} {about.unit if done == 1 else about.units}"
    return (
        f"Complete: {complete} of {recruitment.dialogs_wanted}. At the pace since the launch the other "
        f"{left} take about {_in_words(needed)}, and at the cost so far about {dollars(price)}, fees included."
    )


def at_this_pace(stands: Standing) -> str:
    """Say when a study ends, at the pace of its last hours, and what it costs; or why none is known."""
    if stands.wanted is None or stands.complete >= stands.wanted:
        return ""
    left, units = stands.wanted - stands.complete, stands.about.units
    each_hour = newest.pace(stands.came) / stands.about.workers
    if not each_hour:
        return f"Nothing was finished in the last {newest.HOURS} hours, so no end can be foretold."
    needed = timedelta(hours=left / each_hour)
    said = f"At the pace of the last {newest.HOURS} hours, {each_hour:.1f} {units} an hour, the other {left} take about"
    said = f"{said} {_in_words(max(timedelta(minutes=1), needed))}"
    if not stands.spent or not stands.complete:
        return f"{said}."
    return f"{said}, and at the cost so far about {dollars(stands.spent / stands.complete * left)}, fees included."


def _in_words(span: timedelta) -> str:
    minutes = round(span.total_seconds() / 60)
    if minutes < 120:
        return many(minutes, "minute")
    return many(round(minutes / 60), "hour") if minutes < 72 * 60 else many(round(minutes / 60 / 24), "day")
