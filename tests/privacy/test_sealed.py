"""Ids that marketplaces give: sealed in the database, found by a digest, and brought from one key to another."""

from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import FieldError
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from collector.lib import sealed
from collector.studies.models import Participation, Worker
from tests import factories

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()
ID = "A1PLANTEDWORKER9"

pytestmark = pytest.mark.django_db


def stored(table: str = "studies_worker", column: str = "external_id") -> list[str]:
    """Return a column as the database holds it."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM {table} ORDER BY id")
        return [row[0] for row in cursor.fetchall()]


def test_an_id_is_stored_sealed_and_read_in_plain() -> None:
    worker = factories.worker(external_id=ID)
    assert ID not in stored()[0]
    worker.refresh_from_db()
    assert worker.external_id == ID
    assert list(Worker.objects.values_list("external_id", flat=True)) == [ID]


def test_it_is_found_exactly_also_across_a_join() -> None:
    part = factories.participation(worker=factories.worker(external_id=ID))
    factories.participation()
    assert Participation.objects.get(worker__external_id=ID) == part
    assert Worker.objects.filter(external_id__in=["nobody", ID]).count() == 1
    assert ID not in Worker.objects.exclude(external_id=ID).values_list("external_id", flat=True)
    assert not Worker.objects.filter(external_id=ID.lower()).exists()
    again, is_new = Worker.objects.get_or_create(marketplace="link", environment="live", external_id=ID)
    assert (again, is_new) == (part.worker, False)


@pytest.mark.parametrize("how", ["contains", "startswith", "gt", "regex"])
def test_nothing_is_asked_of_a_part_of_it(how: str) -> None:
    with pytest.raises(FieldError):
        Worker.objects.filter(**{f"external_id__{how}": "A"}).exists()


def test_what_has_no_digest_can_only_be_asked_whether_it_is_empty() -> None:
    from hits.models import LedgerEntry

    assert not LedgerEntry.objects.exclude(reference="").exists()
    with pytest.raises(TypeError, match="empty"):
        LedgerEntry.objects.filter(reference="S1").exists()


def test_an_id_exists_once_but_any_number_may_be_removed() -> None:
    factories.worker(external_id=ID)
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.worker(external_id=ID)
    factories.worker(external_id="")
    factories.worker(external_id="")
    assert Worker.objects.filter(external_id="").count() == 2


def test_what_a_marketplace_said_is_sealed_too() -> None:
    part = factories.participation(entry={"assignmentId": "3PLANTED"})
    part.refresh_from_db()
    assert part.entry == {"assignmentId": "3PLANTED"}
    assert "3PLANTED" not in stored("studies_participation", "entry")[0]


def test_after_rotating_the_old_key_may_be_dropped(settings: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(sealed, "BATCH", 2)
    settings.MARKETPLACE_ID_KEYS = [OLD]
    parts = [
        factories.participation(worker=factories.worker(external_id=f"{ID}{i}"), entry={"a": "b"}) for i in range(5)
    ]
    settings.MARKETPLACE_ID_KEYS = [NEW, OLD]
    assert Worker.objects.get(external_id=f"{ID}3") == parts[3].worker, "found while both are there"
    call_command("rotate_id_keys")
    settings.MARKETPLACE_ID_KEYS = [NEW]
    assert Worker.objects.get(external_id=f"{ID}3") == parts[3].worker
    assert Participation.objects.get(pk=parts[4].pk).entry == {"a": "b"}
    assert sealed.reseal(Worker) == 0, "done once"


def test_rotating_goes_on_where_it_was_stopped(settings: Any) -> None:
    settings.MARKETPLACE_ID_KEYS = [OLD]
    for i in range(3):
        factories.worker(external_id=f"{ID}{i}")
    settings.MARKETPLACE_ID_KEYS = [NEW, OLD]
    factories.worker(external_id=f"{ID}new")
    assert sealed.reseal(Worker) == 3


def test_without_its_key_it_says_which_is_missing(settings: Any) -> None:
    settings.MARKETPLACE_ID_KEYS = [OLD]
    worker = factories.worker(external_id=ID)
    settings.MARKETPLACE_ID_KEYS = [NEW]
    with pytest.raises(sealed.CannotOpen, match="MARKETPLACE_ID_KEYS"):
        worker.refresh_from_db()
