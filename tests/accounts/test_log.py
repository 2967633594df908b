"""The log: each deed has its line, lines stay as they are, and the page finds them."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import ProtectedError
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chat import presence
from collector.accounts import log as writing
from collector.accounts.models import Kept, LogLine
from collector.accounts.roles import Deed
from collector.desk import log
from collector.lib import clock
from collector.studies.models import State, Study
from hits import tasks
from tests import factories
from tests.chat import scene

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    presence.renew_lease()
    monkeypatch.setattr(tasks, "look_after_hits_soon", lambda: None)  # the worker process is not there


def line(**fields: Any) -> LogLine:
    defaults = {"at": clock.now(), "deed": Deed.NOTE, "what": "worker 7", "page": "/desk/workers/7/"}
    return LogLine.objects.create(**defaults | fields)


def test_the_monitors_buttons_are_logged_and_only_when_they_did_something(admin_client: Client) -> None:
    study = scene.study(name="Kitchen")
    for action in ("drain", "pause", "pause", "close", "open"):
        admin_client.post(f"/desk/monitor/{study.pk}/{action}/do/")
    rows = LogLine.objects.order_by("pk").values_list("deed", "what", "study", "said")
    assert list(rows) == [
        ("drain", "study Kitchen", study.pk, "open before, now draining"),
        ("pause", "study Kitchen", study.pk, "draining before, now paused"),
        ("close", "study Kitchen", study.pk, "paused before, now closed"),
        ("open", "study Kitchen", study.pk, "closed before, now open"),
    ]


def test_deeds_about_a_worker_say_in_which_study_and_what_was_typed(admin_client: Client) -> None:
    part = factories.participation(outcome="complete", study=factories.study(name="Hall"))
    here = f"/desk/workers/{part.worker_id}/"
    typed = {"target": f"study-{part.study_id}", "reason": "pastes everything"}
    admin_client.post(f"{here}exclude/do/", typed, headers={"Referer": f"http://testserver{here}"})
    admin_client.post(f"{here}note/do/", {"text": "called me at home"})
    admin_client.post(f"{here}note/do/", {"text": " "})
    excluded, noted = LogLine.objects.order_by("pk")
    assert (excluded.deed, excluded.study, excluded.page) == ("exclude", part.study_id, here)
    assert excluded.said == f"study {part.study_id}; reason pastes everything"
    assert (noted.deed, noted.what, noted.said) == ("note", f"worker {part.worker_id}", ""), "texts stay where they are"


def test_what_leaves_the_data_is_logged_on_the_page_and_in_the_list(admin_client: Client) -> None:
    dialog = factories.finished_dialog()
    admin_client.post(f"/desk/data/dialog/{dialog.pk}/do/", {"reason": "It is all noise."})
    admin_client.post(f"/desk/data/dialog/{dialog.pk}/do/", {"reason": ""})
    posted = {"action": "put_back", "_selected_action": dialog.pk}
    admin_client.post("/admin/chat/dialog/", posted)
    rows = LogLine.objects.order_by("pk").values_list("deed", "what", "study", "said")
    what = f"dialog {dialog.pk}"
    assert list(rows) == [
        ("take-out", what, dialog.study_id, "It is all noise."),
        ("put-back", what, dialog.study_id, ""),
    ]


def test_what_the_admin_adds_changes_and_deletes_is_there_with_its_page(admin_client: Client) -> None:
    admin_client.post("/admin/studies/collection/add/", {"name": "Rooms", "cap": 3})
    study = factories.study(name="Cellar", state=State.DRAFT)
    admin_client.post(f"/admin/studies/study/{study.pk}/delete/", {"post": "yes"})
    added, deleted = LogLine.objects.order_by("pk")
    assert (added.deed, added.what, str(added.who)) == ("add", "collection Rooms", "admin")
    assert added.page.startswith("/admin/studies/collection/")
    assert (deleted.deed, deleted.what, deleted.study) == ("delete", "study Cellar", study.pk)
    assert not Study.objects.exists()
    assert f"study {study.pk}, deleted" in admin_client.get("/desk/log/").content.decode()


def test_rows_are_deleted_one_by_one(admin_client: Client) -> None:
    study = factories.study(state=State.DRAFT)
    admin_client.post(
        "/admin/studies/study/", {"action": "delete_selected", "_selected_action": study.pk, "post": "yes"}
    )
    assert Study.objects.filter(pk=study.pk).exists()


def test_a_wrong_password_is_logged_for_accounts_that_exist(client: Client) -> None:
    User.objects.create_user("zoe", password="right", is_staff=True)
    for name in ("zoe", "hunter2"):
        client.post("/admin/login/", {"username": name, "password": "wrong"})
    found = LogLine.objects.get()
    assert (found.deed, found.who, found.what) == ("sign-in-failed", None, "account zoe")


def test_lines_are_only_added() -> None:
    kept, who = line(), User.objects.create(username="zoe")
    line(who=who)
    kept.what = "nothing"
    for change in (kept.save, kept.delete, LogLine.objects.all().delete, lambda: LogLine.objects.update(what="x")):
        with pytest.raises(Kept):
            change()
    with pytest.raises(ProtectedError):
        who.delete()
    assert str(LogLine.objects.get(pk=kept.pk)) == "note: worker 7"


def test_the_page_chooses_by_person_deed_and_study(admin_client: Client) -> None:
    study, who = factories.study(name="Attic"), User.objects.create(username="zoe")
    line(who=who, role="reviewer", what="worker 21")
    line(deed="old-deed", what="worker 22", study=study.pk)
    line(what="worker 23", page="manage.py give_role")

    def shown(query: str) -> set[int]:
        page = admin_client.get(f"/desk/log/?{query}").content.decode()
        return {number for number in (21, 22, 23) if f"worker {number}" in page}

    assert shown("") == {21, 22, 23}
    assert shown(f"who={who.pk}") == {21}
    assert shown("who=nobody") == {22, 23}
    assert shown("deed=note") == {21, 23}
    assert shown(f"study={study.pk}") == {22}
    assert shown("study=x&who=²") == set()
    page = admin_client.get("/desk/log/").content.decode()
    for part in ("zoe", "reviewer", "old-deed", "Attic", '<a href="/desk/workers/7/">', "manage.py give_role"):
        assert part in page


def test_pages_go_back_by_key_and_count_nothing(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "SHOWN", 2)
    first, *_ = [line(what=f"worker {number}") for number in (31, 32, 33)]
    with CaptureQueriesContext(connection) as asked:
        page = admin_client.get("/desk/log/?deed=note").content.decode()
    assert not any("COUNT(" in each["sql"] for each in asked)
    assert "worker 33" in page
    assert "worker 31" not in page
    older = f"deed=note&amp;before={first.pk + 1}"
    assert f'href="?{older}"' in page
    page = admin_client.get(f"/desk/log/?{older.replace('&amp;', '&')}").content.decode()
    assert "worker 31" in page
    assert "worker 32" not in page
    assert "The newest" in page


def test_long_words_are_cut_rather_than_lost(admin_client: Client) -> None:
    writing.write_command("give_role", Deed.ROLE, "x" * 300, said="y" * 900)
    found = LogLine.objects.get()
    assert (len(found.what), len(found.said)) == (200, 500)
