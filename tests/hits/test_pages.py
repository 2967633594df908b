"""Entry and finish: reading makes nothing, confirming makes one participation, no cookie is set."""

import pytest
from django.core import signing
from django.db import OperationalError
from django.test import Client

from collector.lib.rates import Allowances
from collector.studies import outcomes, versions
from collector.studies.admission import token_of
from collector.studies.models import Outcome, Participation, State, Study, Worker
from hits import invitations, launching, views
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return factories.study(slug="lab")


def consent(client: Client, **fields: str):  # type: ignore[no-untyped-def]
    return client.post("/join/lab/", {"participant": "anna", "consent": "yes", **fields})


def test_opening_the_invitation_makes_nothing(client: Client, study: Study) -> None:
    response = client.get("/join/lab/?participant=anna")
    assert response.status_code == 200
    assert not Worker.objects.exists()
    assert not Participation.objects.exists()


def test_worker_pages_set_no_cookie_and_may_stand_in_our_frame(client: Client, study: Study) -> None:
    response = client.get("/join/lab/")
    assert not response.cookies
    assert "X-Frame-Options" not in response
    assert "frame-ancestors 'self'" in response["Content-Security-Policy"]
    assert response["Referrer-Policy"] == "no-referrer"


def test_other_pages_refuse_framing(client: Client) -> None:
    response = client.get("/admin/login/")
    assert response["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in response["Content-Security-Policy"]


def test_confirming_leads_to_the_room_and_coming_again_to_the_same_one(client: Client, study: Study) -> None:
    first, second = consent(client), consent(client)
    assert first.status_code == 302
    assert first["Location"] == second["Location"]
    assert client.get(first["Location"]).status_code == 200
    assert Participation.objects.count() == 1


def test_without_consent_nothing_is_made(client: Client, study: Study) -> None:
    response = client.post("/join/lab/", {"participant": "anna"})
    assert response.status_code == 400
    assert "tick the box" in response.content.decode()
    assert not Participation.objects.exists()


def test_a_worker_without_an_id_is_somebody_new_each_time(client: Client, study: Study) -> None:
    assert consent(client, participant="")["Location"] != consent(client, participant="")["Location"]


def test_the_last_of_two_ids_counts(client: Client, study: Study) -> None:
    response = client.get("/join/lab/?participant=old&participant=new")
    assert 'value="new"' in response.content.decode()


@pytest.mark.parametrize("path", ["/join/nothing/", "/join/lab/?participant=a%20b"])
def test_a_wrong_link_says_what_is_wrong(client: Client, study: Study, path: str) -> None:
    response = client.get(path)
    assert response.status_code in (403, 404)
    assert "cannot take part now" in response.content.decode()


def test_a_closed_study_says_so(client: Client, study: Study) -> None:
    Study.objects.update(state=State.CLOSED)
    assert "has ended" in client.get("/join/lab/").content.decode()
    assert "has ended" in consent(client).content.decode()


def test_a_program_is_marked_only_with_this_installations_signature(client: Client, study: Study) -> None:
    signature = signing.Signer(salt="collector.simulated").sign("robot")
    consent(client, participant="robot", simulated=signature)
    consent(client, participant="fake", simulated="fake:signature")
    marked = dict(Worker.objects.values_list("external_id", "is_simulated"))
    assert marked == {"robot": True, "fake": False}


def test_the_finish_page_shows_the_code_and_comes_only_after_the_end(client: Client, study: Study) -> None:
    room = consent(client)["Location"]
    assert client.get(f"{room}finish/")["Location"] == room
    participation = Participation.objects.get()
    outcomes.end(participation.pk, Outcome.COMPLETE)
    assert participation.completion_code in client.get(f"{room}finish/").content.decode()
    assert client.get(room).status_code == 302


def test_a_study_may_name_where_workers_go_at_the_end(client: Client, study: Study) -> None:
    Study.objects.update(completion_url="https://panel.example/done?x=1")
    room = consent(client)["Location"]
    outcomes.end(Participation.objects.get().pk, Outcome.COMPLETE)
    assert "https://panel.example/done?x=1" in client.get(f"{room}finish/").content.decode()


@pytest.mark.parametrize("path", ["/w/1-1.forged/", "/w/1-1.forged/finish/"])
def test_a_forged_link_says_that_it_is_not_valid(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert "not valid" in response.content.decode()
    assert "frame-ancestors 'self'" in response["Content-Security-Policy"]


def test_too_many_joins_from_one_address_are_put_off_with_a_sentence(
    client: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invitations, "JOINS", Allowances(2, 0))
    for name in ("anna", "ben"):
        assert consent(client, participant=name).status_code == 302
    response = consent(client, participant="carla")
    assert response.status_code == 429
    assert "Too many people come from your network" in response.content.decode()
    assert Participation.objects.count() == 2


@pytest.mark.parametrize("path", ["/join/lab/", "/w/1-1.forged/"])
def test_without_a_database_a_page_says_so_and_tries_again_by_itself(
    client: Client, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*args: object, **options: object) -> None:
        raise OperationalError("the database is away")

    monkeypatch.setattr(views.Study.objects, "select_related", away)
    monkeypatch.setattr("chat.views.access_participation", away)
    response = client.get(path)
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert 'http-equiv="refresh"' in response.content.decode()


def test_every_end_has_words_of_its_own(study: Study) -> None:
    said = {outcomes.words_of(outcome, "", versions.DEFAULTS) for outcome in Outcome}
    assert len(said) == len(Outcome)
    assert all(heading and sentence.endswith((".", "!")) for heading, sentence in said)


def test_the_next_dialog_begins_from_the_last_page_without_reading_again(client: Client) -> None:
    study = factories.study(collection=factories.collection(cap=3))
    done = factories.participation(study, outcome=Outcome.COMPLETE)
    page = client.get(f"/w/{token_of(done)}/finish/").content.decode()
    assert "You may do 2 more of these tasks." in page
    begun = client.post(f"/w/{token_of(done)}/again/").headers["location"]
    new = Participation.objects.get(ended_at__isnull=True)
    assert begun == f"/w/{token_of(new)}/"
    assert (new.worker, new.consent_digest) == (done.worker, done.consent_digest)
    assert client.post(f"/w/{token_of(done)}/again/").headers["location"] == begun, "the same post finds it begun"
    assert client.post(begun + "again/").headers["location"] == begun + "finish/", "nothing has ended there yet"


@pytest.mark.parametrize("fields", [
    {"state": State.CLOSED}, {"completion_url": "https://panel.example/done"}, {"risks": "Others than before."},
])  # fmt: skip
def test_where_it_would_be_another_task_nothing_begins_from_the_last_page(
    client: Client, fields: dict[str, object]
) -> None:
    done = factories.participation(factories.study(), outcome=Outcome.COMPLETE)
    type(done.study).objects.update(**fields)
    assert "Take part once more" not in client.get(f"/w/{token_of(done)}/finish/").content.decode()
    client.post(f"/w/{token_of(done)}/again/")
    assert not Participation.objects.filter(ended_at__isnull=True).exists()


def test_the_last_under_the_cap_offers_no_more(client: Client) -> None:
    study = factories.study(collection=factories.collection(cap=1))
    done = factories.participation(study, outcome=Outcome.COMPLETE)
    assert "more of these tasks" not in client.get(f"/w/{token_of(done)}/finish/").content.decode()


def test_before_a_hit_is_accepted_all_is_told_that_matters() -> None:
    """What it is, an example, what an hour and waiting are worth, how it is reviewed, what is kept and published."""
    given = factories.study(reward="2.40", waiting_pay="0.15", minutes=15)
    page = launching.preview_page(given)
    for told in (
        "sees three still frames", "What does he do with the box then?", "$2.40, about $9.60 an hour",
        "$0.15 for each minute of waiting after the first.", "A person reads what you wrote; no program rejects",
        "<strong>when you sent them</strong>", "<strong>published for anyone</strong>",
        "The researchers <strong>may watch the dialog</strong>", "<strong>You may change your mind.</strong>",
    ):  # fmt: skip
        assert told in page, told
    unpaid = launching.preview_page(factories.study())
    assert "$" not in unpaid


@pytest.mark.parametrize("kind", ["summary", "relevance"])
def test_the_preview_of_who_works_alone_speaks_of_no_partner(kind: str) -> None:
    page = launching.preview_page(factories.study(kind=kind, reward="1.00", minutes=6))
    assert "about $10.00 an hour" in page
    assert "no program rejects anybody" in page
    assert "Your partner" not in page
    assert "what a partner did" not in page
    assert ("takes out a red kettle" in page) == (kind == "summary")
