"""A collection to release: dialogs, summaries of watchers, people who came by two ways, and something left out."""

from datetime import timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.management import call_command

from chat.models import Dialog, Role, Utterance
from collector.catalogue.models import Frame, Video
from collector.lib import clock
from collector.studies import versions
from collector.studies.models import Kind, Participation, Study
from collector.summaries.models import Summary, Viewing
from hits import settlement
from hits.models import Assignment, Hit, Recruitment
from tests import factories

NOW = factories.START + timedelta(hours=1)
AUTHOR = "--author=Müller, Ada"


@pytest.fixture(autouse=True)
def _here(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep media in a folder of the test, and names and days the same."""
    monkeypatch.setattr(clock, "now", lambda: factories.START + timedelta(days=30))
    settings.SECRET_KEY = "a fixed key, so that the pseudonyms in what is compared stay the same"
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "bundle"


def release(out: Path, *options: str) -> str:
    """Run the command; return what it said."""
    said = StringIO()
    call_command("release", "--out", str(out), AUTHOR, *options, stdout=said, stderr=said, no_color=True)
    return said.getvalue()


def read(folder: Path) -> dict[str, bytes]:
    """Return the content of all files of a bundle by their place."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def _public_video() -> Video:
    made = factories.video("Somebody stirs soup.", image_id="PUBL1", split="train", is_publishable=True)
    made.file.save("one.mp4", ContentFile(b"moving pictures"))
    for slot in (1, 2, 3):
        frame = Frame(video=made, slot=slot, seconds=slot, width=8, height=8)
        frame.file.save("f.jpg", ContentFile(b"frame %d" % slot))
    return made


@pytest.fixture
def talks() -> Study:
    """A study of two dialogs in two splits, one video public; three that stay behind; two versions."""
    study = factories.study(
        name="Kitchen talks", slug="talks", collection=factories.collection(name="Kitchens", pk=900_100),
        institution="University of Nowhere", reward=Decimal("2.40"), summary_bonus=Decimal("0.80"), rounds=2,
    )  # fmt: skip
    factories.finished_dialog(study=study, video=_public_video(), pk=900_101)
    Study.objects.filter(pk=study.pk).update(summary_instructions="Say what you know.\nBe brief.")
    study.refresh_from_db()
    hidden = factories.video("Nobody may read this script.", image_id="HIDN2", split="val")
    factories.finished_dialog(study=study, video=hidden, pk=900_102, started_at=NOW)
    factories.finished_dialog(study=study, summary=None, pk=900_103)
    factories.finished_dialog(study=study, is_simulated=True, pk=900_104)
    withdrawn = factories.finished_dialog(study=study, pk=900_105)
    Participation.objects.filter(seats__dialog=withdrawn, seats__role="answerer").update(outcome="withdrawn")
    return study


@pytest.fixture
def paid(talks: Study) -> None:
    """The dialogs of the study took ten minutes, eleven and so on, and what is owed for them is worked out."""
    for minutes, dialog in enumerate(Dialog.objects.filter(study=talks).order_by("pk"), start=10):
        for part in Participation.objects.filter(seats__dialog=dialog):
            part.arrived_at = dialog.started_at
            part.ended_at = dialog.started_at + timedelta(minutes=minutes)
            part.rounds_done, part.completion_code = 2, f"CODE-{part.pk}-0123456789"
            part.wrote_summary = dialog.is_complete and part.seats.get().role == Role.QUESTIONER
            part.save()
    settlement.settle_all()


@pytest.fixture
def through_hits(talks: Study) -> None:
    """One worker of the study came through a HIT: the marketplace's ids stand in the database."""
    part = Participation.objects.filter(seats__dialog=900_101, seats__role="questioner").get()
    worker = factories.worker(marketplace="mturk", environment="live", external_id="A2EXAMPLEWORKER7")
    Participation.objects.filter(pk=part.pk).update(worker=worker)
    part.seats.update(worker=worker)
    recruitment = Recruitment.objects.create(
        study=talks, environment="live", title="Talk about a video", description="Ask or answer.", dialogs_wanted=9,
        budget=Decimal(100), created_at=NOW, started_at=NOW, mark_id="3MARK",
    )  # fmt: skip
    hit = Hit.objects.create(
        recruitment=recruitment, environment="live", endpoint="x", external_id="3HITEXAMPLE00000001", planned_at=NOW,
        reward=Decimal("2.40"),
    )  # fmt: skip
    Assignment.objects.create(
        hit=hit, external_id="3ASSIGNMENTEXAMPLE1", worker=worker, participation=part, state="approved",
        submitted_at=NOW, decided_at=NOW, decided_by=User.objects.create(username="reviewer-of-9"),
    )  # fmt: skip


@pytest.fixture
def sums(talks: Study) -> Study:
    """A summary study with one summary about the public video."""
    study = factories.study(name="Kitchen sums", slug="sums", kind=Kind.SUMMARY, collection=talks.collection)
    part = factories.participation(study, outcome="complete", version=versions.current(study))
    viewing = Viewing.objects.create(
        participation=part, video=Video.objects.get(image_id="PUBL1"), started_at=NOW, watched_at=NOW, ended_at=NOW
    )
    Summary.objects.create(
        viewing=viewing, key="key-12345678", text="Somebody stirs soup and leaves the room.", stored_at=NOW,
        evidence={"to_send": 41.5, "pastes": [], "corrections": 2},
    )  # fmt: skip
    return study


@pytest.fixture
def written(talks: Study) -> None:
    """How the texts of one dialog were written."""
    Utterance.objects.filter(dialog=900_101).update(evidence={"to_first_key": 1.5, "to_send": 77.25, "pastes": [12]})
