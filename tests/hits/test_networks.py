"""One person with two accounts: what is kept of the address people join from, who sees it, and what it does not do."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core import signing
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from chat import networks, presence, waiting_room
from chat.models import Dialog, Seat
from collector.lib.networks import trace
from collector.studies.models import Participation
from tests import factories
from tests.chat import scene

pytestmark = pytest.mark.django_db

HOME, LAB = "203.0.113.7", "198.51.100.2"


def join(client: Client, participant: str, address: str, **fields: str) -> Participation:
    form = {"participant": participant, "consent": "yes", **fields}
    assert client.post("/join/lab/", form, REMOTE_ADDR=address).status_code == 302
    return Participation.objects.latest("pk")


def dialog_of(client: Client, *addresses: str) -> Dialog:
    """Let two people join, each from an address, and pair them."""
    presence.renew_lease()
    parts = [join(client, f"person-{number}", address) for number, address in enumerate(addresses)]
    for part in parts:
        scene.arrive(part)
    (dialog,) = waiting_room.pair_waiting(parts[0].study_id)
    return dialog


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (HOME, HOME, True),
        (HOME, "203.0.113.8", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:203.0.113.7", HOME, True),
    ],
)
def test_a_network_is_one_address_or_the_half_of_it_that_a_household_shares(
    one: str, other: str, is_same: bool
) -> None:
    assert (trace(one, "study.1") == trace(other, "study.1")) is is_same


def test_a_hash_is_keyed_and_means_nothing_in_another_study(settings: Any) -> None:
    here = trace(HOME, "study.1")
    assert trace(HOME, "study.2") != here
    settings.SECRET_KEY = "another key, of another installation of the product"
    assert trace(HOME, "study.1") != here


@pytest.mark.parametrize("address", ["", "unix:", "testserver"])
def test_where_there_is_no_address_nothing_is_kept(address: str) -> None:
    assert trace(address, "study.1") == ""


def test_two_who_joined_from_one_address_meet_and_a_note_stands_with_their_dialog(
    admin_client: Client, client: Client
) -> None:
    scene.study(slug="lab")
    dialog = dialog_of(client, HOME, HOME)
    assert networks.shared([dialog.pk]) == {dialog.pk}
    page = admin_client.get(reverse("admin:chat_dialog_change", args=[dialog.pk]))
    assert networks.NOTE in page.content.decode()


def test_no_note_stands_with_people_from_two_addresses(admin_client: Client, client: Client) -> None:
    scene.study(slug="lab")
    dialog = dialog_of(client, HOME, LAB)
    assert networks.shared([dialog.pk]) == set()
    page = admin_client.get(reverse("admin:chat_dialog_change", args=[dialog.pk]))
    assert networks.NOTE not in page.content.decode()


def test_the_address_itself_is_kept_nowhere(admin_client: Client, client: Client) -> None:
    scene.study(slug="lab")
    dialog = dialog_of(client, HOME, HOME)
    rows = [list(model.objects.values()) for model in (Participation, Seat, Dialog)]
    assert HOME not in str(rows)
    part = Participation.objects.latest("pk")
    page = admin_client.get(reverse("admin:studies_participation_change", args=[part.pk])).content.decode()
    assert part.network
    assert part.network not in page
    assert HOME not in page
    assert dialog.study_id == part.study_id


def test_a_study_that_keeps_no_evidence_keeps_no_hash_and_says_nothing_of_it(client: Client) -> None:
    scene.study(slug="lab", keeps_evidence=False)
    dialog = dialog_of(client, HOME, HOME)
    assert set(Participation.objects.values_list("network", flat=True)) == {""}
    assert networks.shared([dialog.pk]) == set()
    assert "network address" not in client.get("/join/lab/").content.decode()


def test_the_consent_names_it_where_it_is_kept(client: Client) -> None:
    scene.study(slug="lab")
    assert "From your network address a mark is made" in client.get("/join/lab/").content.decode()


def test_of_a_program_nothing_is_kept(client: Client) -> None:
    scene.study(slug="lab")
    part = join(client, "robot", HOME, simulated=signing.Signer(salt="collector.simulated").sign("robot"))
    assert part.is_simulated
    assert part.network == ""


@pytest.mark.parametrize("form", ["raw", "dstc7"])
def test_it_leaves_in_no_export(tmp_path: Path, form: str) -> None:
    dialog = factories.finished_dialog()
    mark = trace(HOME, "study.1")
    Participation.objects.update(network=mark)
    assert networks.shared([dialog.pk]) == {dialog.pk}
    out = tmp_path / "out.json"
    call_command("export_avsd", "--out", str(out), "--format", form, stdout=StringIO())
    assert dialog.video.image_id in out.read_text()
    assert mark not in out.read_text()
    assert networks.NOTE not in out.read_text()
