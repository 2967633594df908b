"""Two people judge the same submissions: the second sees no decision, changes nothing, and their agreement is told."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from chat.models import Role
from collector.lib import clock
from collector.studies.models import Participation
from hits import seconding
from hits.models import Assignment, Decision, Hit, Recruitment, SecondOpinion
from hits.seconding import agreement_of
from tests import factories


@pytest.fixture
def recruitment(db: None) -> Recruitment:
    """Three submissions of Answerers that one person decided, the last of them rejected, and one nobody did."""
    study = factories.study()
    made = Recruitment.objects.create(
        study=study, environment="local", title="Talk", description="Ask or answer.", dialogs_wanted=9,
        budget=Decimal(100), created_at=clock.now(),
    )  # fmt: skip
    hit = Hit.objects.create(
        recruitment=made, environment="local", endpoint="", external_id="H1", planned_at=clock.now(), reward=1
    )
    other = User.objects.create(username="the-first", is_staff=True)
    for number, decision in enumerate((Decision.APPROVE, Decision.APPROVE, Decision.REJECT, Decision.OPEN)):
        dialog = factories.finished_dialog([("Who?", f"A man, number {number}, as it seems.")], study=study)
        part = Participation.objects.get(seats__dialog=dialog, seats__role=Role.ANSWERER)
        Assignment.objects.create(
            hit=hit, external_id=f"A{number}", worker=part.worker, participation=part, state="submitted",
            submitted_at=clock.now(), decision=decision, decided_by=other if decision else None,
            decision_note="It is all about another video." if decision == Decision.REJECT else "",
        )  # fmt: skip
    return made


@pytest.mark.parametrize(
    ("pairs", "same", "kappa"),
    [
        ([], 0, None),
        ([(True, True)] * 3, 3, None),
        ([(True, True), (False, False)], 2, 1.0),
        ([(True, False), (False, True)], 0, -1.0),
        # 20 both yes, 15 both no, 5 yes and no, 10 no and yes: 0.7 agree, 0.5 by chance.
        ([(True, True)] * 20 + [(False, False)] * 15 + [(True, False)] * 5 + [(False, True)] * 10, 35, 0.4),
    ],
)
def test_kappa_is_what_is_worked_out_by_hand(pairs: list[tuple[bool, bool]], same: int, kappa: float | None) -> None:
    found = agreement_of(pairs)
    assert (found.number, found.same) == (len(pairs), same)
    assert found.kappa == (None if kappa is None else pytest.approx(kappa, abs=1e-12))


def test_what_another_person_decided_is_judged_blind_once_and_changes_nothing(
    admin_client: Client, admin_user: User, recruitment: Recruitment
) -> None:
    address = f"/desk/recruiting/{recruitment.pk}/second/"
    before = list(Assignment.objects.order_by("pk").values())
    for number, opinion in enumerate(("approve", "approve", "approve")):
        page = admin_client.get(address).content.decode()
        assert f"A man, number {number}, as it seems." in page
        assert "another video" not in page
        assert f"{3 - number} left for you" in page
        chosen = Assignment.objects.get(external_id=f"A{number}").pk
        admin_client.post(address, {"assignment": chosen, "opinion": opinion})
        admin_client.post(address, {"assignment": chosen, "opinion": "reject"})
    page = admin_client.get(address).content.decode()
    assert "Nothing waits for you" in page
    assert "Two people looked at 3 submissions of this study and agree on 2; Cohen’s kappa 0.00." in " ".join(
        page.split()
    )
    assert list(SecondOpinion.objects.values_list("approves", "who")) == [(True, admin_user.pk)] * 3
    assert list(Assignment.objects.order_by("pk").values()) == before


def test_nobody_judges_their_own_decision_or_what_is_open(
    client: Client, admin_client: Client, recruitment: Recruitment
) -> None:
    first = User.objects.get(username="the-first")
    first.groups.add(Group.objects.get(name="reviewer"))
    client.force_login(first)
    address = f"/desk/recruiting/{recruitment.pk}/second/"
    assert "Nothing waits for you" in client.get(address).content.decode()
    own, still_open = (Assignment.objects.get(external_id=name).pk for name in ("A0", "A3"))
    said = client.post(address, {"assignment": own, "opinion": "approve"}, follow=True).content.decode()
    assert "or it is yours" in said
    admin_client.post(address, {"assignment": still_open, "opinion": "approve"})
    said = admin_client.post(address, {"assignment": "x", "opinion": "approve"}, follow=True).content.decode()
    assert "Say whether you would approve or reject it." in said
    assert not SecondOpinion.objects.exists()
    assert seconding.agreement(recruitment.study).number == 0
