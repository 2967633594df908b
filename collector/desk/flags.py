"""What should a person look at after a pilot? Counted and linked, nothing more: no flag pays, rejects or blames."""

from collections import defaultdict
from dataclasses import dataclass

from chat.models import Dialog, DialogEvent, Report, Utterance
from collector.desk.figures import Spent
from collector.lib.text import count_words, many
from collector.studies.models import Outcome, Study
from hits import cost

NEWEST = 200
"""So many dialogs are looked at."""
SHORT_WORDS = 3
"""An answer of fewer words is counted as short."""
FAST_SECONDS = 20
"""A round that takes less is faster than a question and an answer are read and written."""


@dataclass(frozen=True)
class Flag:
    """One thing to look at: how often, of how many, and in which dialogs, each with what was seen there."""

    name: str
    said: str
    rows: list[tuple[int | None, str]]


def flags(study: Study, rows: list[Spent]) -> list[Flag]:
    """Return every flag, those without a finding as well: that it was looked for is worth knowing."""
    dialogs = list(
        Dialog.objects.filter(study=study, is_simulated=False, ended_at__isnull=False).order_by("-pk")[:NEWEST]
    )
    texts: defaultdict[int, list[Utterance]] = defaultdict(list)
    for said in Utterance.objects.filter(dialog__in=dialogs):
        texts[said.dialog_id].append(said)
    return [
        _reports(dialogs),
        _incomplete(dialogs, texts),
        _underpaid(rows),
        _short(dialogs, texts),
        _pasted(dialogs, texts),
        _fast(dialogs, texts),
    ]


def _reports(dialogs: list[Dialog]) -> Flag:
    found = Report.objects.filter(dialog__in=dialogs).order_by("-pk")
    rows: list[tuple[int | None, str]] = [
        (each.dialog_id, f"{each}{'' if each.looked_at else ', not looked at yet'}") for each in found
    ]
    return Flag("Reports of a partner or a video", many(len(rows), "report"), rows)


def _incomplete(dialogs: list[Dialog], texts: dict[int, list[Utterance]]) -> Flag:
    """List what has no summary, by the event that ended it: left, turn over, reported."""
    kinds = dict(DialogEvent.objects.filter(dialog__in=dialogs).order_by("version").values_list("dialog", "kind"))
    rows: list[tuple[int | None, str]] = []
    for each in dialogs:
        if not each.is_complete:
            why = kinds.get(each.pk, Outcome(each.ended_why).label).replace("_", " ").lower()
            rounds = len(texts.get(each.pk, [])) // 2
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


def _short(dialogs: list[Dialog], texts: dict[int, list[Utterance]]) -> Flag:
    rows: list[tuple[int | None, str]] = []
    answers, short = 0, 0
    for each in dialogs:
        language = each.limits.get("language", "en")
        theirs = [said.text for said in texts.get(each.pk, []) if said.position % 2]
        few = [text for text in theirs if count_words(text, language) < SHORT_WORDS]
        answers, short = answers + len(theirs), short + len(few)
        if few:
            rows.append((each.pk, f"{len(few)} of {many(len(theirs), 'answer')}"))
    share = round(100 * short / answers) if answers else 0
    return Flag(f"Answers under {SHORT_WORDS} words", f"{short} of {many(answers, 'answer')}, {share} %", rows)


def _pasted(dialogs: list[Dialog], texts: dict[int, list[Utterance]]) -> Flag:
    rows: list[tuple[int | None, str]] = []
    total = 0
    for each in dialogs:
        pastes = [said.evidence["pastes"] for said in texts.get(each.pk, []) if said.evidence.get("pastes")]
        total += len(pastes)
        if pastes:
            length = sum(sum(each) for each in pastes)
            rows.append((each.pk, f"{many(len(pastes), 'text')}, {many(length, 'character')} pasted"))
    return Flag("Pasted texts", many(total, "text"), rows)


def _fast(dialogs: list[Dialog], texts: dict[int, list[Utterance]]) -> Flag:
    rows: list[tuple[int | None, str]] = []
    for each in dialogs:
        said = [text for text in texts.get(each.pk, []) if text.position < 2 * each.rounds]
        if len(said) < 2:
            continue
        seconds = (max(text.stored_at for text in said) - each.started_at).total_seconds() / (len(said) // 2)
        if seconds < FAST_SECONDS:
            rows.append((each.pk, f"{seconds:.0f} s a round"))
    return Flag(f"Faster than {FAST_SECONDS} s a round", f"{len(rows)} of {many(len(dialogs), 'dialog')}", rows)
