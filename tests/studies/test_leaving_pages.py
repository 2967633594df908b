"""A researcher takes work out of the data in the admin's lists, and on a page that leads back to where they were."""

import pytest
from django.test import Client

from chat.models import Dialog
from collector.summaries.models import Viewing
from tests import factories
from tests.summaries import scene

pytestmark = pytest.mark.django_db


def act(client: Client, model: str, action: str, pk: int, reason: str = "") -> str:
    fields = {"action": action, "_selected_action": pk, "reason": reason}
    return client.post(f"/admin/{model}/", fields, follow=True).content.decode()


def test_dialogs_are_taken_out_and_put_back_in_the_list(admin_client: Client) -> None:
    dialog, other = factories.finished_dialog(), factories.finished_dialog()
    assert "Say why it is taken out" in act(admin_client, "chat/dialog", "take_out", dialog.pk)
    assert "1 dialog taken out" in act(admin_client, "chat/dialog", "take_out", dialog.pk, "Off the subject.")
    assert list(Dialog.objects.in_data()) == [other]
    for choice, found in (("yes", other), ("no", dialog)):
        rows = admin_client.get(f"/admin/chat/dialog/?in_data={choice}").context["cl"].result_list
        assert list(rows) == [found]
    assert "Off the subject." in admin_client.get(f"/admin/chat/dialog/{dialog.pk}/change/").content.decode()
    assert "1 dialog put back" in act(admin_client, "chat/dialog", "put_back", dialog.pk)
    assert Dialog.objects.in_data().count() == 2


def test_a_summary_is_taken_out_in_the_list_of_viewings(admin_client: Client) -> None:
    watcher = scene.watcher(scene.study())
    watcher.begin()
    viewing = Viewing.objects.get()
    assert "1 viewing taken out" in act(admin_client, "summaries/viewing", "take_out", viewing.pk, "Nonsense.")
    assert not Viewing.objects.in_data().exists()
    assert "Nonsense." in admin_client.get(f"/admin/summaries/viewing/{viewing.pk}/change/").content.decode()


def test_the_page_leads_back_only_to_our_own(admin_client: Client) -> None:
    dialog = factories.finished_dialog()
    for back, place in (("/admin/", "/admin/"), ("https://elsewhere.example/", "/"), ("", "/")):
        answer = admin_client.post(f"/desk/data/dialog/{dialog.pk}/do/", {"reason": "Off the subject.", "back": back})
        assert answer["Location"] == place


def test_what_is_not_there_or_asked_by_nobody_changes_nothing(admin_client: Client) -> None:
    dialog = factories.finished_dialog()
    assert admin_client.post(f"/desk/data/dialog/{dialog.pk + 1}/do/").status_code == 404
    assert admin_client.post(f"/desk/data/seat/{dialog.pk}/do/").status_code == 404
    assert admin_client.get(f"/desk/data/dialog/{dialog.pk}/do/").status_code == 405
    assert "login" in Client().post(f"/desk/data/dialog/{dialog.pk}/do/", {"reason": "x"})["Location"]
    assert Dialog.objects.in_data().exists()
