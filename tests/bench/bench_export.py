"""How many dialogs a second does an export write? ``pytest tests/bench/bench_export.py -s``; never asserted on time.

``DIALOGS`` in the environment sets how many dialogs of ten rounds are made first (default 2,000).
"""

import os
import platform
import resource
import time
from pathlib import Path

import pytest
from django.db import connection

from chat import transcripts
from chat.models import Dialog, Utterance
from collector.exports import avsd, writing
from tests import factories

QUESTION = "What's the person in the middle of the room doing then, exactly?"
ANSWER = "She doesn't do much... she picks up a cup, drinks from it and walks out."


def machine() -> str:
    """Return the machine's processor, cores, Python and database, in one line."""
    names = [line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")]
    name = names[0] if names else platform.machine()
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}, {connection.vendor}"


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def _fill(number: int) -> None:
    study = factories.study()
    dialogs = [
        factories.dialog(
            study, seated=False, is_complete=True, ended_why="complete", ended_at=factories.START
        ) for _ in range(number)
    ]  # fmt: skip
    Utterance.objects.bulk_create(
        (
            Utterance(
                dialog=dialog, position=position, version=position + 2, key=str(position),
                text=ANSWER if position % 2 else QUESTION, stored_at=factories.START,
            )
            for dialog in dialogs for position in range(21)
        ),
        batch_size=5000,
    )  # fmt: skip


@pytest.mark.django_db
def test_the_rate_of_each_format(tmp_path: Path) -> None:
    number = int(os.environ.get("DIALOGS", "2000"))
    _fill(number)
    print(f"\n{machine()}; {number} dialogs of ten rounds")
    for name, shape in avsd.FORMATS.items():
        out, started = tmp_path / f"{name}.json", time.perf_counter()
        writing.write(out, shape(transcripts.read(Dialog.objects.all()), avsd.Tally()))
        seconds = time.perf_counter() - started
        size = out.stat().st_size / 1e6
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{name:>6}: {number / seconds:,.0f} dialogs/s, {size:.1f} MB in {seconds:.2f} s, process peak {peak} MB")
