"""What was kept long enough is removed, by each rule of the table: a moment before it stays, a moment after it goes."""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from axes.models import AccessLog
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db.models import Sum
from django.test import Client

from chat.models import Utterance
from collector.learning.models import Lesson
from collector.lib import clock
from collector.privacy import removing
from collector.privacy.models import Removal
from collector.studies import kept
from collector.studies.models import Participation, Worker
from hits import marking, people
from hits.models import Assignment, Block, EntryState, Feedback, LedgerEntry, Letter, Note
from tests import factories
from tests.hits import recruiting

ID, ASSIGNMENT = "A1PLANTEDWORKER9", "3PLANTEDASSIGNMENT"
RULES = {rule.key: rule for rule in kept.rules()}

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _stopped() -> Iterator[None]:
    with clock.stopped():
        yield


@pytest.fixture
def part(_stopped: None) -> Participation:
    """A worker of a marketplace who was paid for a task, wrote to us and was written about, just now."""
    now = clock.now()
    made = recruiting.recruitment(factories.study(), environment="sandbox")
    worker = factories.worker(marketplace="mturk", environment="sandbox", external_id=ID)
    entry = {"assignmentId": ASSIGNMENT}
    part = factories.participation(made.study, worker, entry=entry, network="a" * 32, outcome="complete")
    hit = made.hits.create(environment="sandbox", endpoint="", external_id="H1", reward=1, planned_at=now)
    hit.assignments.create(
        external_id=ASSIGNMENT, worker=worker, participation=part, state="approved", first_seen_at=now,
        document={"HITId": "H1"},
    )  # fmt: skip
    LedgerEntry.objects.create(
        worker=worker, study=made.study, participation=part, kind="reward", key="k", amount=2, why="for it", at=now,
        state=EntryState.PAID, changed_at=now, first_sent_at=now, reference=ASSIGNMENT,
    )  # fmt: skip
    Letter.objects.create(worker=worker, text="I live in Ancona.", at=now, answer="So do I.", answered_at=now)
    Note.objects.create(worker=worker, text="Lives in Ancona.", at=now, who=User.objects.create_user("ada"))
    Feedback.objects.create(participation=part, stars=5, line="Greetings from Ancona.", at=now)
    return part


def at(key: str, **more: float) -> Any:
    """Return the moment at which what a rule names was kept long enough, and more."""
    days = RULES[key].days
    assert days is not None
    return clock.travel(timedelta(days=days) + timedelta(**more))


def numbers(key: str, **more: float) -> int:
    """Remove what is over then; return how many rows went by one rule."""
    with at(key, **more):
        return removing.run().numbers[key]


def test_every_rule_that_ends_is_carried_out() -> None:
    assert set(removing.BY_RULE) == {rule.key for rule in kept.rules() if rule.days is not None}


def test_how_texts_were_written_goes_and_the_texts_stay() -> None:
    dialog = factories.finished_dialog(started_at=clock.now())
    Utterance.objects.filter(dialog=dialog).update(evidence={"pastes": [3]}, stored_at=clock.now())
    part = dialog.seats.all()[0].participation
    Lesson.objects.create(participation=part, steps=[], step="done", started_at=clock.now(), device_report={"w": 9})
    assert numbers("evidence", seconds=-5) == 0
    assert numbers("evidence", seconds=5) == dialog.utterances.count() + 1
    assert not dialog.utterances.exclude(evidence={}).exists()
    assert not dialog.utterances.filter(text="").exists()


def test_the_mark_of_a_network_goes(part: Participation) -> None:
    assert numbers("network", seconds=-5) == 0
    assert numbers("network", seconds=5) == 1
    assert not Participation.objects.exclude(network="").exists()


def test_an_id_goes_with_what_leads_to_it_and_the_ledger_stays(part: Participation) -> None:
    owed = LedgerEntry.objects.aggregate(sum=Sum("amount"))
    assert numbers("ids", seconds=-5) == 0
    assert Worker.objects.get().external_id == ID
    assert numbers("ids", seconds=5) == 1
    worker, row, paid = Worker.objects.get(), Assignment.objects.get(), LedgerEntry.objects.get()
    assert (worker.pk, worker.external_id, worker.external_digest) == (part.worker_id, "", "")
    assert (row.external_id, row.external_digest, row.document, paid.reference) == ("", "", {}, "")
    assert Participation.objects.get().entry == {}
    assert LedgerEntry.objects.aggregate(sum=Sum("amount")) == owed


def test_what_was_written_to_and_about_somebody_goes_with_the_id(part: Participation) -> None:
    assert numbers("letters", seconds=-5) == 0
    assert numbers("letters", seconds=5) == 4
    letter = Letter.objects.get()
    said = [letter.text, letter.answer, Note.objects.get().text, Feedback.objects.get().line]
    assert "Ancona" not in " ".join(said)
    assert Feedback.objects.get().stars == 5


def test_the_ledger_goes_when_no_law_asks_for_it(part: Participation) -> None:
    assert numbers("ledger", seconds=-5) == 0
    assert numbers("ledger", seconds=5) == 1
    assert not LedgerEntry.objects.exists()


def test_sign_ins_go(client: Client) -> None:
    User.objects.create_superuser("ada", password="long enough to be one")
    posted = {"username": "ada", "password": "long enough to be one"}
    client.post("/admin/login/?next=/admin/", posted, REMOTE_ADDR="203.0.113.77")
    assert AccessLog.objects.get().ip_address.startswith("fd"), "a hash, in the shape of an address"
    assert numbers("sign_ins", hours=-1) == 0
    assert numbers("sign_ins", hours=1) == 1


@pytest.mark.parametrize("what", ["task", "owed", "undecided", "blocked"])
def test_an_id_that_is_still_needed_stays(part: Participation, what: str) -> None:
    if what == "task":
        factories.participation(worker=part.worker)
    elif what == "owed":
        LedgerEntry.objects.update(state=EntryState.PLANNED)
    elif what == "undecided":
        Assignment.objects.update(state="submitted")
    else:
        people.block(part.worker, "They threatened somebody.", User.objects.get(), confirmed=True)
        assert Block.objects.exists()
    assert numbers("ids", days=100) == 0
    assert Worker.objects.get(pk=part.worker_id).external_id == ID


def test_who_is_not_known_any_more_is_marked_nowhere(part: Participation) -> None:
    part.study.collection.cap = 1
    part.study.collection.save()
    recruitment = part.study.recruitments.get()
    assert marking.wanted(recruitment).count() == 1
    numbers("ids", seconds=5)
    assert marking.wanted(recruitment).count() == 0


def test_a_dry_run_says_what_would_go_and_removes_nothing(part: Participation) -> None:
    with at("ids", seconds=5):
        call_command("remove_kept", "--dry-run", stdout=(out := StringIO()))
    assert "1  ids: Your id on the marketplace" in out.getvalue()
    assert "nothing was removed" in out.getvalue()
    assert Worker.objects.get().external_id == ID
    assert not Removal.objects.exists()


def test_the_log_says_when_and_what_was_removed_last(part: Participation, admin_client: Client) -> None:
    assert "Nothing was removed yet" in admin_client.get("/desk/log/").content.decode()
    numbers("network", seconds=5)
    assert "1 of network" in admin_client.get("/desk/log/").content.decode()
