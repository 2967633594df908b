"""Paying by hand: a table goes out, comes back with references, and nothing is marked that was not meant."""

import csv
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from collector.accounts.models import LogLine
from collector.studies.models import Outcome
from hits import ledger
from hits.ledger import Answer, Paid
from hits.models import EntryKind, EntryState, LedgerEntry
from hits.statement import write
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def owed() -> list[LedgerEntry]:
    study = factories.study(slug="lab")
    workers = [factories.worker(external_id=name) for name in ("anna", "=cmd()")]
    return [
        ledger.plan(worker.pk, study.pk, EntryKind.REWARD, Decimal("2.40"), "for the dialog", f"reason-{n}")
        for n, worker in enumerate(workers)
    ]


@pytest.fixture
def person() -> User:
    return User.objects.create_user("ada")


def out(*args: str) -> str:
    said = StringIO()
    call_command(*args, stdout=said)
    return said.getvalue()


def filled(path: Path, references: dict[str, str]) -> Path:
    """Fill the reference column of a statement in, as a person does in a spreadsheet."""
    rows = list(csv.DictReader(path.open()))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        for row in rows:
            writer.writerow(row | {"reference": references.get(row["entry"], "")})
    return path


def test_a_statement_goes_out_and_what_was_paid_comes_back(owed: list[LedgerEntry], person: User, tmp_path: Path):
    path = tmp_path / "owed.csv"
    assert "Wrote 2 entries" in out("statement", "--out", str(path), "--study", "lab", "--state", "planned")
    rows = list(csv.DictReader(path.open()))
    assert (rows[0]["worker"], rows[0]["amount_usd"], rows[0]["study"]) == ("anna", "2.40", "lab")
    assert rows[1]["worker"] == "'=cmd()", "a spreadsheet does not run what a worker is called"
    filled(path, {str(owed[0].pk): "transfer 17"})
    assert (LogLine.objects.get().deed, LogLine.objects.get().page) == ("load-ids", "manage.py statement")
    assert "Marked 1 entries" in out("statement", "--paid", str(path), "--who", "ada")
    first, second = LedgerEntry.objects.order_by("pk")
    assert (first.state, first.reference) == (EntryState.PAID, "transfer 17 (by hand, ada)")
    assert second.state == EntryState.PLANNED
    assert "Marked 0 entries" in out("statement", "--paid", str(path), "--who", "ada"), "twice changes nothing"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n1,2\n", "no column entry, reference"),
        ("entry,reference\nx,paid\n", "row 2, entry: 'x' is no entry's number"),
        ("entry,reference\n{pk},paid\n99999,paid\n", "row 3, entry: there is no entry 99999. Nothing was marked"),
    ],
)
def test_what_is_wrong_in_a_statement_is_said_and_nothing_is_marked(
    owed: list[LedgerEntry], person: User, tmp_path: Path, text: str, sentence: str
):
    path = tmp_path / "paid.csv"
    path.write_text(text.replace("{pk}", str(owed[0].pk)))
    with pytest.raises(CommandError, match=sentence):
        out("statement", "--paid", str(path), "--who", "ada")
    assert set(LedgerEntry.objects.values_list("state", flat=True)) == {EntryState.PLANNED}


def test_wrong_options_get_a_sentence(owed: list[LedgerEntry], person: User, tmp_path: Path):
    for args, sentence in [
        (["--out", str(tmp_path / "x.csv"), "--study", "none"], "no study 'none'"),
        (["--out", str(tmp_path / "no" / "x.csv")], "No such file"),
        (["--paid", str(tmp_path / "none.csv"), "--who", "ada"], "cannot be read"),
        (["--paid", str(tmp_path / "none.csv")], "--who"),
    ]:
        with pytest.raises(CommandError, match=sentence):
            out("statement", *args)


def test_settling_by_hand_says_how_many():
    factories.participation(factories.study(reward=Decimal(1)), outcome=Outcome.COMPLETE)
    assert "Settled 1 participations now, 1 in all." in out("settle")
    assert LedgerEntry.objects.get().amount == Decimal(1)


def act(client: Client, action: str, *entries: LedgerEntry):
    chosen = {"action": action, "_selected_action": [entry.pk for entry in entries]}
    return client.post(reverse("admin:hits_ledgerentry_changelist"), chosen, follow=True)


def test_the_admin_shows_sums_and_lets_nobody_edit_an_amount(admin_client: Client, owed: list[LedgerEntry]):
    page = admin_client.get(reverse("admin:hits_ledgerentry_changelist")).content.decode()
    assert "$4.80 planned" in page
    assert "anna" not in page, "worker ids are not shown where they are not needed"
    address = reverse("admin:hits_ledgerentry_change", args=[owed[0].pk])
    assert admin_client.post(address, {"amount": "100"}).status_code == 403
    owed[0].refresh_from_db()
    assert owed[0].amount == Decimal("2.40")


def test_a_person_marks_tries_again_and_downloads(admin_client: Client, owed: list[LedgerEntry]):
    class Refuses:
        def pay(self, entry: LedgerEntry) -> Paid:
            return Paid(Answer.FAILED, trouble="The worker is gone.")

        def find(self, entry: LedgerEntry) -> Paid | None:
            return None

    ledger.send(owed[1].pk, Refuses())
    act(admin_client, "paid_by_hand", owed[0])
    act(admin_client, "try_again", *owed)
    first, second = LedgerEntry.objects.order_by("pk")
    assert (first.state, second.state) == (EntryState.PAID, EntryState.PLANNED)
    assert act(admin_client, "download", *owed).content.decode().count("for the dialog") == 2


def test_whose_id_was_removed_stands_by_number(owed: list[LedgerEntry]):
    worker = owed[0].worker
    LedgerEntry.objects.filter(pk=owed[0].pk).update(state=EntryState.PAID)
    worker.external_id = ""
    worker.save()
    write(LedgerEntry.objects.filter(pk=owed[0].pk), file := StringIO())
    assert next(csv.DictReader(StringIO(file.getvalue())))["worker"] == f"worker {worker.pk}"
