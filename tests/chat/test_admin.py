"""Can a researcher read what workers did, and change nothing of it?"""

import pytest
from django.test import Client
from django.urls import reverse

from chat import dialogs, presence
from chat.models import About, Dialog, Report, Utterance
from collector.studies.models import Participation, StudyVideo
from tests import factories
from tests.chat import scene

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


def test_a_waiting_seat_says_why_it_is_not_paired(admin_client: Client) -> None:
    study = scene.study(videos=1)
    presence.renew_lease()
    first = scene.newcomer(study)
    page = admin_client.get(reverse("admin:chat_seat_change", args=[first.pk]))
    assert "Nobody else waits." in page.content.decode()
    second = scene.newcomer(study)
    presence.drop(second.pk, second.connection)
    page = admin_client.get(reverse("admin:chat_seat_change", args=[first.pk]))
    assert "One of them is not connected." in page.content.decode()


def reported() -> Report:
    pair = scene.Pair(scene.study(videos=1))
    dialogs.report(pair.answerer.pk, About.VIDEO, "no_sound")
    return Report.objects.get()


@pytest.mark.parametrize(("action", "is_held"), [("mark_looked_at", True), ("release_video", False)])
def test_a_report_is_looked_at_and_its_video_given_again_or_not(
    admin_client: Client, action: str, is_held: bool
) -> None:
    presence.renew_lease()
    report = reported()
    chosen = {"action": action, "_selected_action": [report.pk]}
    page = admin_client.post(reverse("admin:chat_report_changelist"), chosen, follow=True)
    assert page.status_code == 200
    report.refresh_from_db()
    assert report.looked_at is not None
    assert StudyVideo.objects.get().is_held is is_held


def test_what_came_of_a_report_is_noted(admin_client: Client) -> None:
    presence.renew_lease()
    report = reported()
    admin_client.post(reverse("admin:chat_report_change", args=[report.pk]), {"note": "The track is silent."})
    report.refresh_from_db()
    assert report.note == "The track is silent."
