"""Dialogs with something to see in them, and what is seen."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from chat.models import Dialog, Utterance
from collector.quality.flags import Finding, look
from collector.quality.models import rules_of
from collector.quality.rules import Rules
from collector.quality.writings import rows_of
from collector.studies.models import Study
from tests import factories

SCRIPT = "A man walks into the kitchen, opens the old fridge and takes out a bottle of milk, then he laughs."
GOOD = [
    ("What is the first thing that happens?", "A man comes in from the hall with a big bag."),
    ("Where does he put the bag?", "He leaves it on a chair beside the window."),
    ("How does he look while he does it?", "He looks tired but rather happy about something."),
    ("Is anybody else around at that moment?", "Nobody is, only a dog that sleeps under the table."),
]
"""A dialog without anything to see."""
SUMMARY = "A man comes home with a bag, puts it on a chair, and a dog sleeps all the time."
PACE = 60
"""Seconds a text in made dialogs."""


def dialog(study: Study, rounds: Sequence[tuple[str, str]] = GOOD, **fields: Any) -> Dialog:
    """Make a finished dialog whose texts came a minute apart."""
    fields.setdefault("video", factories.video(SCRIPT))
    made = factories.finished_dialog(rounds, fields.pop("summary", SUMMARY), study=study, **fields)
    pace(made, PACE)
    return made


def pace(dialog: Dialog, seconds: float) -> None:
    """Have the texts of a dialog come so far apart."""
    for said in Utterance.objects.filter(dialog=dialog):
        said.stored_at = dialog.started_at + timedelta(seconds=seconds * (said.position + 1))
        said.save()


def answering(*answers: str) -> list[tuple[str, str]]:
    """Return rounds with the questions of the good dialog and these answers."""
    return [(GOOD[number][0], answer) for number, answer in enumerate(answers)]


def asking(*questions: str) -> list[tuple[str, str]]:
    """Return rounds with these questions and the answers of the good dialog."""
    return [(question, GOOD[number][1]) for number, question in enumerate(questions)]


def seen(study: Study, rules: Rules | None = None) -> dict[tuple[int, str, str], Finding]:
    """Return the flags that are set in a study, by number, role and key."""
    looked = look(rows_of(study), rules or rules_of(study))
    return {(one.writing.number, one.writing.role, each.flag.key): each for one in looked for each in one.set}


def marked(dialog: Dialog, finding: Finding) -> list[str]:
    """Return the pieces of text that are a finding's evidence."""
    texts = dict(Utterance.objects.filter(dialog=dialog).values_list("position", "text"))
    return [texts[mark.position][mark.start : mark.end] for mark in finding.measured.marks]
