"""All about one worker in one archive, and nothing of anybody else; erased, nothing leads to them any more."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from chat.models import Dialog, Seat, Utterance
from collector.accounts.models import LogLine
from collector.privacy import erasing, person
from collector.privacy.erasing import CannotErase
from collector.relevance.models import Item
from collector.studies.models import Outcome, Participation, Worker
from hits import withdrawing
from hits.models import EntryState, LedgerEntry, Letter, Withdrawal
from hits.people import CannotDo
from tests import factories

QUESTIONER, ANSWERER = "panel-questioner", "panel-answerer"
ROUNDS = [("Is a planted question asked?", "Yes, by a planted answer."), ("What next?", "No.")]

pytestmark = pytest.mark.django_db


@pytest.fixture
def dialog() -> Dialog:
    """A whole dialog of two workers, one of whom has written to us."""
    both = {"questioner": factories.worker(external_id=QUESTIONER), "answerer": factories.worker(external_id=ANSWERER)}
    made = factories.finished_dialog(ROUNDS, "A planted summary.", **both)
    Letter.objects.create(worker=both["questioner"], text="A planted letter.", at=made.started_at)
    Utterance.objects.filter(dialog=made).update(evidence={"pastes": [4]})
    return made


def who(dialog: Dialog, role: str) -> Worker:
    return Seat.objects.get(dialog=dialog, role=role).worker


def read(packed: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(packed)) as file:
        return {name: file.read(name).decode() for name in file.namelist()}


def test_every_table_that_leads_to_a_worker_is_known() -> None:
    """Or stands here with the reason why nothing of it is about one person."""
    names_others = {"dialog", "utterance"}  # their rows are two people's
    of_staff = {"release", "item"}  # what was made of dialogs: texts of many
    known = {*person.PATHS, *person.APART}
    left = {model._meta.model_name for model in person.models_about_workers() - known}
    assert left <= names_others | of_staff, "add it to PATHS"


def test_the_archive_holds_what_is_theirs_and_not_what_is_the_partners(dialog: Dialog) -> None:
    files = read(person.archive(who(dialog, "questioner")))
    said = "".join(files.values())
    for theirs in (QUESTIONER, "a planted question", "A planted summary.", "A planted letter.", "pastes"):
        assert theirs in said, theirs
    for others in (ANSWERER, "a planted answer", '"No."'):
        assert others not in said, others
    assert len(json.loads(files["utterances.json"])) == 3
    assert "utterances.json: 3 rows" in files["README.txt"]


def test_the_answerers_archive_holds_the_answers(dialog: Dialog) -> None:
    said = "".join(read(person.archive(who(dialog, "answerer"))).values())
    assert "a planted answer" in said
    assert "a planted question" not in said
    assert "A planted summary." not in said


def test_the_button_gives_it_out_and_is_logged(dialog: Dialog, admin_client: Client) -> None:
    worker = who(dialog, "questioner")
    answer = admin_client.post(f"/desk/workers/{worker.pk}/load/do/")
    assert QUESTIONER in read(answer.content)["workers.json"]
    assert "no-store" in answer["Cache-Control"]
    assert LogLine.objects.get().deed == "load-person"


def test_erased_with_their_texts_nothing_leads_to_them(dialog: Dialog) -> None:
    worker, partner = who(dialog, "questioner"), who(dialog, "answerer")
    item = Item.objects.create(
        study=dialog.study, dialog=dialog, round=1, gt_index=0, options=["Is a planted question asked?", "No."]
    )
    erasing.erase(worker, None, confirmed=True)
    left = json.dumps(read(person.archive(worker)))
    for gone in (QUESTIONER, "a planted question", "A planted summary.", "A planted letter.", "pastes"):
        assert gone not in left, gone
    assert list(dialog.utterances.values_list("text", flat=True)) == [
        erasing.REMOVED, ROUNDS[0][1], erasing.REMOVED, ROUNDS[1][1], erasing.REMOVED,
    ]  # fmt: skip
    assert not Dialog.objects.in_data().exists(), "exports leave it out"
    item.refresh_from_db()
    assert item.options == [erasing.REMOVED, "No."]
    assert Worker.objects.get(pk=partner.pk).external_id == ANSWERER
    erasing.erase(worker, None, confirmed=True)
    with pytest.raises(CannotDo, match="Their id was removed"):
        withdrawing.undo(Worker.objects.get(pk=worker.pk), Withdrawal.objects.get().pk, User.objects.create_user("ada"))


def test_the_texts_may_be_kept_in_the_data(dialog: Dialog) -> None:
    worker = who(dialog, "questioner")
    erasing.erase(worker, None, keep_texts=True, confirmed=True)
    assert Dialog.objects.in_data().get() == dialog
    assert dialog.utterances.get(position=0).text == ROUNDS[0][0]
    assert not Worker.objects.filter(external_id=QUESTIONER).exists()
    assert "A planted letter." not in json.dumps(read(person.archive(worker)))


def test_links_to_their_pages_open_nothing_any_more(dialog: Dialog, client: Client) -> None:
    from collector.studies.admission import token_of

    part = Participation.objects.get(worker=who(dialog, "answerer"))
    page = f"/w/{token_of(part)}/finish/"
    assert client.get(page).status_code == 200
    erasing.erase(part.worker, None, confirmed=True)
    assert client.get(page).status_code == 404


@pytest.mark.parametrize("state", [EntryState.PLANNED, EntryState.UNKNOWN])
def test_who_is_still_owed_something_is_paid_first(dialog: Dialog, state: str) -> None:
    worker = who(dialog, "questioner")
    LedgerEntry.objects.create(
        worker=worker, study=dialog.study, kind="reward", key="k", amount=2, why="x", at=dialog.started_at, state=state,
        changed_at=dialog.started_at, first_sent_at=dialog.started_at,
    )  # fmt: skip
    with pytest.raises(CannotErase, match="pay it first"):
        erasing.erase(worker, None, confirmed=True)
    assert Worker.objects.get(pk=worker.pk).external_id == QUESTIONER


def test_the_desk_erases_by_an_explicit_choice_only(dialog: Dialog, admin_client: Client) -> None:
    worker = who(dialog, "questioner")
    page = f"/desk/workers/{worker.pk}/"
    shown = admin_client.get(page).content.decode()
    assert all(line in shown for line in (erasing.GOES[2], erasing.STAYS[2]))
    for posted, said in (
        ({}, "Choose what becomes"), ({"texts": "remove"}, "Confirm that they have"),
        ({"texts": "remove", "confirmed": "yes"}, "Erased"),
    ):  # fmt: skip
        answer = admin_client.post(f"{page}erase/do/", posted, follow=True)
        assert said in answer.content.decode()
    assert LogLine.objects.get().said == "texts remove"
    assert LogLine.objects.get().what == f"worker {worker.pk}"
    assert Participation.objects.get(worker=worker).outcome == Outcome.WITHDRAWN
    assert User.objects.get().username == "admin"


def test_commands_take_a_number_and_never_replace_a_file(dialog: Dialog, tmp_path: Path) -> None:
    worker, out = who(dialog, "questioner"), tmp_path / "all.zip"
    call_command("load_worker", str(worker.pk), "--out", str(out))
    assert QUESTIONER in read(out.read_bytes())["workers.json"]
    assert out.stat().st_mode & 0o077 == 0
    with pytest.raises(CommandError, match="File exists"):
        call_command("load_worker", str(worker.pk), "--out", str(out))
    with pytest.raises(CommandError, match="Say --yes"):
        call_command("erase_worker", str(worker.pk))
    with pytest.raises(CommandError, match="There is no worker 0"):
        call_command("erase_worker", "0", "--yes")
    call_command("erase_worker", str(worker.pk), "--yes")
    assert not Worker.objects.filter(external_id=QUESTIONER).exists()
    assert list(LogLine.objects.order_by("pk").values_list("deed", flat=True)) == ["load-person", "erase"]


def test_what_the_marketplace_said_is_an_object_in_the_archive() -> None:
    part = factories.participation(entry={"assignmentId": "3PLANTED"})
    (row,) = json.loads(read(person.archive(part.worker))["participations.json"])
    assert row["fields"]["entry"] == {"assignmentId": "3PLANTED"}
