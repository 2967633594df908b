"""Can a researcher read what workers did, and change nothing of it?"""

import pytest
from django.test import Client
from django.urls import reverse

from chat.models import Dialog, Utterance
from collector.studies.models import Participation
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def dialog() -> Dialog:
    return factories.finished_dialog([("Is it <b>loud</b>?", "No, it is not loud.")])


def test_a_dialog_is_shown_with_its_texts(admin_client: Client, dialog: Dialog) -> None:
    page = admin_client.get(reverse("admin:chat_dialog_change", args=[dialog.pk])).content.decode()
    assert "Is it &lt;b&gt;loud&lt;/b&gt;?" in page
    assert "No, it is not loud." in page
    assert "<textarea" not in page
    assert 'name="_save"' not in page


@pytest.mark.parametrize("model", ["chat_dialog", "studies_participation"])
def test_nothing_that_workers_did_is_added_changed_or_deleted(admin_client: Client, dialog: Dialog, model: str) -> None:
    pk = (dialog if model == "chat_dialog" else Participation.objects.earliest("pk")).pk
    before = list(Dialog.objects.values()), list(Participation.objects.values()), list(Utterance.objects.values())
    assert admin_client.get(reverse(f"admin:{model}_changelist")).status_code == 200
    assert admin_client.post(reverse(f"admin:{model}_add"), {}).status_code == 403
    for action in ("change", "delete"):
        address = reverse(f"admin:{model}_{action}", args=[pk])
        assert admin_client.post(address, {"post": "yes", "rounds": 3}).status_code == 403
    after = list(Dialog.objects.values()), list(Participation.objects.values()), list(Utterance.objects.values())
    assert after == before
