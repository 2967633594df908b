"""A worker's own page: what they did and got, in words; nobody else's; feedback in one tap on the last page."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.lib import clock, tokens
from collector.studies import exclusions
from collector.studies.admission import token_of
from collector.studies.models import Outcome, Participation, Worker
from hits import ledger, lifecycle, reviewing, tasks
from hits.models import Assignment, EntryKind, EntryState, Feedback, LedgerEntry, Letter
from tests import factories
from tests.hits import recruiting
from tests.hits.recruiting import VISITORS, Visitor, launch, talk, visit
from tests.localmarket.market import AMBER, FERN, LocalMarket

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh")]


def page(worker: Worker, only: int = 0) -> str:
    return Client().get(f"/mine/{tokens.mint_for_worker(worker.pk, only)}/").content.decode()


def owe(part: Participation, amount: str, state: EntryState, **fields: object) -> LedgerEntry:
    now = clock.now()
    sent: dict[str, object] = {"first_sent_at": now} if state in (EntryState.SENDING, EntryState.UNKNOWN) else {}
    fields = sent | {"participation": part} | fields
    return LedgerEntry.objects.create(
        worker=part.worker, study=part.study, kind=EntryKind.REWARD, amount=Decimal(amount), why=f"for {amount}",
        key=f"{part.pk}-{amount}", at=now, changed_at=now, state=state, **fields,
    )  # fmt: skip


def test_sessions_and_pay_stand_there_in_words(client: Client) -> None:
    study = factories.study(name="Lab talk", reward=Decimal("2.40"), collection=factories.collection(cap=9))
    part = factories.participation(study, outcome=Outcome.COMPLETE)
    owe(part, "2.40", EntryState.PAID)
    owe(part, "0.80", EntryState.PAID, is_by_hand=True)
    owe(part, "0.50", EntryState.PLANNED)
    owe(part, "0.30", EntryState.FAILED)
    owe(part, "0.20", EntryState.UNKNOWN)
    owe(part, "7.00", EntryState.UNDONE)
    owe(part, "0.10", EntryState.PLANNED, participation=None)
    shown = page(part.worker)
    day = f"{part.confirmed_at:%-d %B %Y}"
    for said in (
        "Lab talk", "Thank you, all done.", day, "for 2.40: <span class=\"mine-paid\">paid, ", ">paid by hand, ",
        "for 0.50: <span>due<", "for 0.30: <span>failed; a person looks at it<", "sent, not confirmed yet",
        "<dd>$3.20</dd>", "<dd>$1.10</dd>", "Other payments", "You may do 8 more tasks of Lab talk.",
        f"/w/{token_of(part)}/finish/#withdraw",
    ):  # fmt: skip
        assert said in shown, said
    assert "7.00" not in shown


def test_it_is_reached_from_the_last_page_and_sets_no_cookie(client: Client) -> None:
    part = factories.participation(outcome=Outcome.COMPLETE)
    finish = client.get(f"/w/{token_of(part)}/finish/")
    address = f"/mine/{tokens.mint_for_worker(part.worker_id, part.pk)}/"
    assert address in finish.content.decode()
    response = client.get(address)
    assert (response.status_code, response["Referrer-Policy"], dict(response.cookies)) == (200, "no-referrer", {})
    assert response["Cache-Control"] == "no-store"


def test_nothing_of_others_and_no_id_stands_there() -> None:
    study = factories.study()
    one, other = (factories.participation(study, outcome=Outcome.COMPLETE) for _ in "ab")
    owe(other, "9.99", EntryState.PAID)
    Letter.objects.create(worker=other.worker, text="Theirs.", at=clock.now())
    shown = page(one.worker)
    for theirs in ("9.99", "Theirs.", other.worker.external_id, one.worker.external_id, token_of(other)):
        assert theirs not in shown


def test_neither_kind_of_token_opens_the_others_pages_and_none_is_in_a_log() -> None:
    part = factories.participation(outcome=Outcome.COMPLETE)
    stranger = factories.worker()
    other = factories.participation()
    wrong = [
        token_of(part), "1-0.forged", tokens.mint_for_worker(10**9), tokens.mint_for_worker(stranger.pk, part.pk),
        tokens.mint_for_worker(part.worker_id, other.pk),
    ]  # fmt: skip
    for token in wrong:
        response = Client().get(f"/mine/{token}/")
        assert (response.status_code, "not valid" in response.content.decode()) == (404, True)
    assert Client().get(f"/w/{tokens.mint_for_worker(part.worker_id, part.pk)}/finish/").status_code == 404
    assert tokens.redact(f"GET /mine/{wrong[3]}/ 404") == "GET /mine/…/ 404"


def test_who_is_excluded_is_promised_no_more_tasks(admin_user: User) -> None:
    part = factories.participation(outcome=Outcome.COMPLETE)
    assert "more tasks of" in page(part.worker)
    exclusions.exclude(part.worker_id, "Twice the same person.", admin_user, study=part.study_id)
    assert "more tasks of" not in page(part.worker)


def test_until_the_marketplace_has_confirmed_it_a_page_shows_the_one_session_that_led_to_it(
    market: LocalMarket,
) -> None:
    recruitment, speaks = launch(market)
    amber, fern = (visit(market, recruitment, who) for who in (AMBER, FERN))
    worker = amber.participation.worker
    before = factories.participation(factories.study(name="Years ago"), worker, outcome=Outcome.COMPLETE)
    owe(before, "6.66", EntryState.PAID)
    Letter.objects.create(worker=worker, participation=before, text="A secret of mine.", at=clock.now())
    talk(recruitment, amber, fern)
    for _ in range(2):
        last = Client().get(f"/w/{token_of(amber.participation)}/finish/").content.decode()
        assert "due once the work is submitted" in last
        tasks.settle()

    def shown() -> str:
        return page(worker, amber.participation.pk)

    for theirs in ("Years ago", "6.66", "A secret of mine."):
        assert theirs not in shown(), "anybody can name a worker in the frame's address"
    assert "shows one task for now" in shown()
    amber.submit()
    fern.submit()
    lifecycle.sync(recruitment, speaks)
    assert all(said in shown() for said in ("Years ago", "6.66", "A secret of mine."))
    assert "due once the work is approved" in shown()


def rejected(market: LocalMarket, who: User) -> tuple[Visitor, Assignment]:
    """Let Amber's work be rejected."""
    recruitment, speaks = recruiting.submitted(market)
    amber = next(each for each in VISITORS if each.worker_id == AMBER)
    work = Assignment.objects.get(participation=amber.participation)
    tasks.settle()
    reviewing.reject(work.pk, who, "Nothing was asked about <b>the video</b>.", confirmed=True)
    reviewing.carry_out(recruitment, speaks)
    return amber, work


def test_a_rejection_is_appealed_once_answered_and_taken_back(
    market: LocalMarket, admin_client: Client, admin_user: User
) -> None:
    amber, work = rejected(market, admin_user)
    worker = amber.participation.worker
    address = f"/mine/{tokens.mint_for_worker(worker.pk, amber.participation.pk)}/"
    shown = page(worker)
    assert "Nothing was asked about &lt;b&gt;the video&lt;/b&gt;." in shown
    assert "not paid, since the work was rejected" in shown
    assert "You are paid for it as announced" not in shown
    assert "<dd>$0.00</dd>" in shown

    finish = Client().get(f"/w/{token_of(amber.participation)}/finish/").content.decode()
    assert "Your work was rejected." in finish
    assert "You are paid for it as announced" not in finish

    def post(**fields: str) -> str:
        return Client().post(address, {"appeal": str(work.pk)} | fields, follow=True).content.decode()

    assert "The text is empty" in post(text="  ")
    for _ in range(2):
        assert "I asked &lt;i&gt;ten&lt;/i&gt; questions." in post(text="I asked <i>ten</i> questions.")
    assert "You have appealed already" in post(text="And once more.")
    assert Letter.objects.count() == 1
    seen = admin_client.get(f"/desk/workers/{worker.pk}/").content.decode()
    assert f"/desk/recruiting/{work.hit.recruitment_id}/review/#rejected-{work.pk}" in seen
    assert "&lt;i&gt;ten&lt;/i&gt;" in seen
    review = admin_client.get(f"/desk/recruiting/{work.hit.recruitment_id}/review/").content.decode()
    assert f'id="rejected-{work.pk}"' in review
    assert "I asked &lt;i&gt;ten&lt;/i&gt; questions." in review
    fields = {"letter": str(Letter.objects.get().pk), "text": "You are right.", "confirmed": "yes"}
    admin_client.post(f"/desk/workers/{worker.pk}/answer/do/", fields)
    reviewing.undo_rejection(work.pk, admin_user)
    tasks.look_after_all()
    shown = page(worker)
    assert "rejected, and that is taken back" in shown
    assert "You are right." in shown
    (mail,) = market.robot(AMBER).get("me")["messages"]
    assert (mail["subject"], mail["text"].startswith("You are right.\n\n")) == ("About your appeal", True)
    assert f"/mine/{tokens.mint_for_worker(worker.pk)}/" in mail["text"]


def test_nobody_appeals_for_somebody_else(market: LocalMarket, admin_user: User) -> None:
    _, work = rejected(market, admin_user)
    other = factories.participation(outcome=Outcome.COMPLETE)
    for appeal in (str(work.pk), "x", "9" * 30, "²"):
        fields = {"appeal": appeal, "text": "Give it to me."}
        answer = Client().post(f"/mine/{tokens.mint_for_worker(other.worker_id)}/", fields)
        assert (answer.status_code, "no such session" in answer.content.decode()) == (400, True)
    assert not Letter.objects.exists()


def test_the_last_page_says_what_was_earned_before_and_after_it_is_worked_out() -> None:
    study = factories.study(reward=Decimal("2.40"), waiting_pay=Decimal("0.10"))
    part = factories.participation(study, outcome=Outcome.COMPLETE, rounds_done=10, waited_seconds=180)
    finish = f"/w/{token_of(part)}/finish/"
    announced = Client().get(finish).content.decode()
    assert not LedgerEntry.objects.exists(), "reading plans nothing"
    tasks.settle()
    for shown in (announced, Client().get(finish).content.decode()):
        assert "<strong>$2.40</strong>" in shown
        assert "<strong>$0.20</strong> for 180 s of waiting: <span>due</span>" in shown
    LedgerEntry.objects.update(state=EntryState.PAID)
    assert "mine-paid" in Client().get(finish).content.decode()


def test_of_two_amounts_for_one_dialog_the_rest_is_told_apart() -> None:
    part = factories.participation(factories.study(), outcome=Outcome.COMPLETE)
    for kind, amount in ((EntryKind.REWARD, "0.50"), (EntryKind.SHARE, "3.50")):
        ledger.plan(part.worker_id, part.study_id, kind, Decimal(amount), "for the dialog", kind, participation=part)
    shown = page(part.worker)
    assert "<strong>$0.50</strong> for the dialog" in shown
    assert "<strong>$3.50</strong> as a bonus, the rest for the dialog" in shown


# Feedback on the last page


def tap(part: Participation, **fields: str) -> str:
    return Client().post(f"/w/{token_of(part)}/finish/", fields, follow=True).content.decode()


def test_one_tap_says_how_it_was_and_a_line_may_follow_each_once() -> None:
    part = factories.participation(outcome=Outcome.COMPLETE)
    assert "How was it?" in tap(part)
    for stars in ("0", "6", "-1", "five", "५", ""):
        tap(part, stars=stars, line="No tap, no line.")
    assert not Feedback.objects.exists()
    shown = tap(part, stars="4")
    assert "One line, if you like." in shown
    tap(part, stars="1")
    assert "One line" not in tap(part, line="Clear\nand <b>quick</b>" + "!" * 400)
    tap(part, line="Something else.")
    kept = Feedback.objects.get()
    assert (kept.stars, kept.line[:24], len(kept.line)) == (4, "Clear and <b>quick</b>!!", 300)
    tap(factories.participation(), stars="5")
    assert Feedback.objects.count() == 1, "who has not ended has nothing to say yet"


def test_the_study_shows_mean_spread_and_lines_of_people(admin_client: Client, client: Client) -> None:
    study = factories.study()
    for stars, line in (("5", "<script>alert(1)</script>"), ("5", ""), ("2", "Too long a wait.")):
        tap(factories.participation(study, outcome=Outcome.COMPLETE), stars=stars, line=line)
    tap(factories.participation(study, outcome=Outcome.COMPLETE, is_simulated=True), stars="1", line="Beep.")
    tap(factories.participation(outcome=Outcome.COMPLETE), stars="1", line="Of another study.")
    shown = admin_client.get(f"/desk/voices/{study.pk}/").content.decode()
    for said in (
        "<strong>4.0</strong> of 5", "of 3 participations", "5 great</th><td>2</td><td>67 %",
        "1 bad</th><td>0</td><td>0 %", "&lt;script&gt;alert(1)", "Too long a wait.",
    ):  # fmt: skip
        assert said in shown, said
    assert "Beep." not in shown
    assert "Of another study." not in shown
    assert Client().get(f"/desk/voices/{study.pk}/").status_code == 302
    empty = admin_client.get(f"/desk/voices/{factories.study().pk}/").content.decode()
    assert "Nobody has said it yet" in empty


def test_a_page_asks_the_database_as_often_for_many_sessions_as_for_few(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    study, worker = factories.study(), factories.worker()
    for _ in range(30):
        owe(factories.participation(study, worker, outcome=Outcome.COMPLETE), "1.00", EntryState.PAID)
    with clock.travel(timedelta(minutes=1)), django_assert_max_num_queries(12):
        assert page(worker).count("Thank you, all done") == 30
