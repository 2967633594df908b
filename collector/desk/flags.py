"""What should a person look at after a pilot? Counted and linked, nothing more: no flag pays, rejects or blames."""

from dataclasses import dataclass

from django.db.models import Count

from chat.models import Dialog, DialogEvent, Report, Utterance
from collector.analysis.wages import Spent
from collector.lib.text import many
from collector.quality import flags as quality
from collector.quality.counting import Counted, count
from collector.quality.models import rules_of
from collector.quality.rules import Rules
from collector.quality.writings import WATCHER, read, rows_of
from collector.studies import kinds
from collector.studies.models import Kind, Outcome, Study
from hits import cost

NEWEST = 100
"""So many dialogs are looked at."""


@dataclass(frozen=True)
class Flag:
    """One thing to look at: how often, of how many, and in which dialogs, each with what was seen there."""

    name: str
    said: str
    rows: list[tuple[int | None, str]]


def flags(study: Study, rows: list[Spent]) -> list[Flag]:
    """Return every flag, those without a finding as well: that it was looked for is worth knowing.

    Where workers write nothing there is none.
    """
    if study.kind == Kind.RELEVANCE:
        return []
    of_texts = of_quality(study, counted(study, rules_of(study)))
    if study.kind == Kind.SUMMARY:
        return of_texts
    ended = Dialog.objects.filter(study=study, is_simulated=False, ended_at__isnull=False)
    dialogs = list(ended.order_by("-pk")[:NEWEST])
    return [_reports(dialogs), _incomplete(dialogs), _underpaid(rows), *of_texts]


def counted(study: Study, rules: Rules) -> Counted:
    """Count what the newest dialogs, or summaries, of a study show under these rules."""
    return count(quality.look_at(list(read(rows_of(study)[:NEWEST])), rules), rules)


def of_quality(study: Study, seen: Counted) -> list[Flag]:
    """Return the quality flags, each with its dialogs, or summaries."""
    about, total = kinds.of(study.kind), len(seen.numbers)
    found = []
    for flag in quality.FLAGS:
        if study.kind == Kind.SUMMARY and WATCHER not in flag.roles:
            continue
        rows = [(number, "; ".join(said)) for number, said in seen.flagged.get(flag.key, {}).items()]
        found.append(Flag(flag.name, f"{len(rows)} of {total} {about.unit if total == 1 else about.units}", [*rows]))
    return found


def _reports(dialogs: list[Dialog]) -> Flag:
    found = Report.objects.filter(dialog__in=dialogs).order_by("-pk")
    rows: list[tuple[int | None, str]] = [
        (each.dialog_id, f"{each}{'' if each.looked_at else ', not looked at yet'}") for each in found
    ]
    return Flag("Reports of a partner or a video", many(len(rows), "report"), rows)


def _incomplete(dialogs: list[Dialog]) -> Flag:
    """List what has no summary, by the event that ended it: left, turn over, reported."""
    ends = dict(DialogEvent.objects.filter(dialog__in=dialogs).order_by("version").values_list("dialog", "kind"))
    texts = dict(Utterance.objects.filter(dialog__in=dialogs).order_by().values_list("dialog").annotate(Count("pk")))
    rows: list[tuple[int | None, str]] = []
    for each in dialogs:
        if not each.is_complete:
            why = ends.get(each.pk, Outcome(each.ended_why).label).replace("_", " ").lower()
            rounds = texts.get(each.pk, 0) // 2
            rows.append((each.pk, f"{why}, after {rounds} of {many(each.rounds, 'round')}"))
    return Flag("Incomplete dialogs", f"{len(rows)} of {many(len(dialogs), 'dialog')}", rows)


def _underpaid(rows: list[Spent]) -> Flag:
    """List who had a partner and earned less an hour than the target."""
    worked = [row for row in rows if row.dialog is not None]
    low = sorted((row for row in worked if row.wage < cost.TARGET_WAGE), key=lambda row: row.wage)
    return Flag(
        f"Workers under ${cost.TARGET_WAGE} an hour",
        f"{len(low)} of {many(len(worked), 'worker')}",
        [(row.dialog, f"worker {row.worker}, {row.role}: ${row.wage} an hour") for row in low],
    )
