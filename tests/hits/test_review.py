"""The review: what there is to judge is shown, a person decides, and what they decide is carried out once."""

import re
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat import networks, presence
from chat.models import Dialog, Utterance
from collector.desk import evidence, review
from collector.lib import clock
from collector.studies.models import Participation
from hits import ledger, lifecycle, receipts, reconcile, reviewing, tasks
from hits.models import Assignment, AssignmentState, Decision, LedgerEntry, Recruitment, RecruitmentState
from hits.reviewing import CannotDecide
from tests.hits import recruiting
from tests.hits.recruiting import VISITORS, launch, submitted, visit
from tests.localmarket.market import AMBER, BASIL, FERN, LocalMarket

ROOT = Path(__file__).resolve().parents[2]
REASON = "The answers are about another video."
EVIDENCE = {"to_first_key": 3.2, "to_send": 125.4, "pastes": [240, 12], "focus_losses": 1, "corrections": 14}
WRITTEN = "first key after 3.2 s · sent after 2 min 5 s · pasted twice: 240 and 12 characters · page left once"


@pytest.fixture(autouse=True)
def _fresh(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    VISITORS.clear()
    monkeypatch.setattr(tasks, "look_after_hits_soon", lambda: None)  # the worker process is not there
    if request.node.get_closest_marker("django_db"):
        request.getfixturevalue("db")
        presence.renew_lease()


def decide(client: Client, recruitment: Recruitment, **fields: object) -> str:
    return client.post(f"/desk/recruiting/{recruitment.pk}/decide/", fields, follow=True).content.decode()


def shown(client: Client, recruitment: Recruitment, query: str = "") -> str:
    return client.get(f"/desk/recruiting/{recruitment.pk}/review/{query}").content.decode()


def item(page: str, assignment: Assignment) -> str:
    """Return the part of a page that is about one submission."""
    (found,) = re.findall(rf'id="submission-{assignment.pk}">.*?Reject …', page, re.DOTALL)
    return found


def of(worker_id: str) -> Assignment:
    return Assignment.objects.get(worker__external_id=worker_id)


class TestEvidence:
    def test_it_is_said_in_words(self) -> None:
        assert evidence.in_words(EVIDENCE) == [
            "first key after 3.2 s", "sent after 2 min 5 s", "pasted twice: 240 and 12 characters", "page left once",
            "14 corrections",
        ]  # fmt: skip
        assert evidence.in_words({"to_send": 59.9, "pastes": [1], "focus_losses": 3, "corrections": 1}) == [
            "first key after 0.0 s", "sent after 59.9 s", "pasted once: 1 character", "page left 3 times",
            "1 correction",
        ]  # fmt: skip
        quiet = evidence.in_words({"to_first_key": 1.0, "to_send": 60.0})
        assert quiet[1:] == ["sent after 1 min 0 s", "nothing pasted", "page never left", "no corrections"]
        assert evidence.in_words({"pastes": [3, 2, 1]})[2] == "pasted 3 times: 3, 2 and 1 characters"

    def test_where_none_is_kept_nothing_is_said(self) -> None:
        assert evidence.in_words({}) == []


@pytest.mark.django_db
class TestShown:
    def test_workers_are_told_beforehand_to_write_themselves_and_what_is_counted(self, client: Client) -> None:
        recruiting.study()
        page = client.get("/join/lab/").content.decode()
        assert "Nothing is to be written by a program" in page
        assert "the number of characters of each text you pasted" in page

    def test_the_review_shows_both_roles_and_marks_the_worker_s_own(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, _ = submitted(market)
        page = shown(admin_client, recruitment)
        assert "2 submissions to review" in page
        assert page.count("Theirs: Question 1") == page.count("Theirs: Answer 1") == page.count("Theirs: Summary") == 1
        assert page.count(f'href="/desk/replay/dialog/{Dialog.objects.get().pk}/"') == 2
        assert AMBER not in page, "worker ids are not shown"
        assert not Assignment.objects.exclude(decision="").exists()

    def test_it_is_noted_that_both_came_from_one_address_and_nothing_is_decided_by_it(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, _ = submitted(market)  # the browsers of a test have one address
        assert shown(admin_client, recruitment).count(networks.NOTE) == 2
        assert not Assignment.objects.exclude(decision="").exists()
        seat = Dialog.objects.get().seats.first()
        Participation.objects.filter(seats=seat).update(network="another")
        assert networks.NOTE not in shown(admin_client, recruitment)

    def test_a_dialog_is_taken_out_of_the_data_and_put_back_whatever_is_paid(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, _ = submitted(market)
        dialog, address = Dialog.objects.get(), f"/desk/recruiting/{recruitment.pk}/review/"
        leave = f"/desk/data/dialog/{dialog.pk}/do/"
        assert shown(admin_client, recruitment).count("Take this dialog out of the data") == 2
        page = admin_client.post(leave, {"reason": " ", "back": address}, follow=True).content.decode()
        assert "Say why it is taken out" in page
        page = admin_client.post(leave, {"reason": "Off the subject.", "back": address}, follow=True).content.decode()
        assert page.count("by admin: Off the subject.") == 2
        assert lifecycle.complete_dialogs(recruitment) == 0, "another one is wanted"
        assert not Dialog.objects.in_data().exists()
        page = admin_client.post(leave, {"what": "put-back", "back": address}, follow=True).content.decode()
        assert "Off the subject." not in page
        assert lifecycle.complete_dialogs(recruitment) == 1
        assert Dialog.objects.in_data().exists()
        assert not Assignment.objects.exclude(decision="").exists()

    def test_the_video_with_its_sound_stands_beside_the_dialog_with_script_and_frames(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, _ = submitted(market)
        video = Dialog.objects.get().video
        page = shown(admin_client, recruitment)
        for each in Assignment.objects.all():
            part = item(page, each)
            (player,) = re.findall(r"<video[^>]*>", part)
            assert " controls" in player
            assert "muted" not in player
            assert f'src="/catalogue/video/{video.pk}"' in player
            assert "Somebody opens a door and sits down." in part
        asked = [each for each in Assignment.objects.all() if "They asked" in item(page, each)]
        assert len(asked) == 1
        assert item(page, asked[0]).count('alt="Frame') == video.frames.count()

    def test_the_video_is_given_to_the_researcher_s_session_and_to_nobody_else(
        self, admin_client: Client, client: Client, market: LocalMarket, tmp_path: Path
    ) -> None:
        submitted(market)
        video = Dialog.objects.get().video
        Path(video.file.path).parent.mkdir(parents=True, exist_ok=True)
        Path(video.file.path).write_bytes(b"film")
        answer = admin_client.get(f"/catalogue/video/{video.pk}", headers={"Range": "bytes=1-2"})
        assert (answer.status_code, answer["Content-Range"]) == (206, "bytes 1-2/4")
        assert client.get(f"/catalogue/video/{video.pk}").status_code == 302

    def test_how_the_worker_s_own_texts_were_written_is_told_and_that_it_proves_nothing(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, _ = submitted(market)
        Utterance.objects.filter(position=1).update(evidence=EVIDENCE)
        page = shown(admin_client, recruitment)
        assert "It proves nothing" in page
        assert page.count(WRITTEN) == 1, "it stands with who wrote it, and not with the partner"
        (answerer,) = [each for each in Assignment.objects.all() if "They answered" in item(page, each)]
        assert WRITTEN in item(page, answerer)

    def test_where_the_study_keeps_no_evidence_none_is_shown(self, admin_client: Client, market: LocalMarket) -> None:
        recruitment, _ = submitted(market, study=recruiting.study(keeps_evidence=False))
        Utterance.objects.update(evidence=EVIDENCE)  # from before it was turned off, say
        page = shown(admin_client, recruitment)
        assert "proves nothing" not in page
        assert "first key" not in page

    def test_the_next_to_be_approved_by_itself_comes_first_with_its_time(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, _ = submitted(market)
        later, sooner = of(AMBER), of(FERN)
        Assignment.objects.filter(pk=later.pk).update(auto_approval_at=clock.now() + timedelta(hours=50))
        Assignment.objects.filter(pk=sooner.pk).update(auto_approval_at=(due := clock.now() + timedelta(hours=2)))
        page = shown(admin_client, recruitment)
        assert page.index(f"submission-{sooner.pk}") < page.index(f"submission-{later.pk}")
        assert "Approved by itself in 1\xa0hour, 59\xa0minutes" in item(page, sooner)
        assert f"{due:%Y-%m-%d %H:%M}" in item(page, sooner)

    def test_more_than_a_page_is_turned_over_and_a_decision_comes_back_to_its_page(
        self, admin_client: Client, market: LocalMarket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(review, "SHOWN", 1)
        recruitment, _ = submitted(market)
        first, second = reviewing.to_review(recruitment)
        page = shown(admin_client, recruitment)
        assert f"submission-{first.pk}" in page
        assert f"submission-{second.pk}" not in page
        assert "Page 1<" in page
        assert f"submission-{second.pk}" in shown(admin_client, recruitment, "?page=2")
        address = f"/desk/recruiting/{recruitment.pk}/decide/"
        answer = admin_client.post(address, {"what": "approve", "assignment": second.pk, "count": "1", "page": "2"})
        assert answer["Location"].endswith("/review/?page=2")


@pytest.mark.django_db
class TestDeciding:
    def test_approving_many_needs_their_number_and_pays_them(self, admin_client: Client, market: LocalMarket) -> None:
        recruitment, _ = submitted(market)
        ids = list(Assignment.objects.values_list("pk", flat=True))
        for wrong in ("1", "", "3"):
            said = decide(admin_client, recruitment, what="approve", assignment=ids, count=wrong)
            assert "Type the number of chosen submissions, 2, to approve them." in said
        assert not Assignment.objects.exclude(decision="").exists()
        said = decide(admin_client, recruitment, what="approve", assignment=ids, count="2")
        assert "2 submissions will be approved" in said
        tasks.look_after_all()
        assert ledger.paid() == Decimal("5.60")
        assert set(Assignment.objects.values_list("decided_by__username", flat=True)) == {"admin"}

    def test_only_the_recruitment_s_own_submissions_are_decided_on_its_page(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, _ = submitted(market)
        other = recruiting.recruitment(recruitment.study, environment="sandbox")
        ids = list(Assignment.objects.values_list("pk", flat=True))
        said = decide(admin_client, other, what="approve", assignment=ids, count="2")
        assert "Type the number of chosen submissions, 0" in said
        decide(admin_client, other, what="reject", assignment=ids[0], reason=REASON, confirmed="yes")
        assert not Assignment.objects.exclude(decision="").exists()

    def test_a_rejection_is_shown_once_more_with_what_they_wrote_before_it_is_taken_down(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, _ = submitted(market)
        page = shown(admin_client, recruitment)
        (answerer,) = [each for each in Assignment.objects.all() if "They answered" in item(page, each)]
        asked = decide(admin_client, recruitment, what="reject", assignment=answerer.pk, reason=f"  {REASON}\n")
        assert f"Reject this work of worker {answerer.worker_id}?" in asked
        for said in Utterance.objects.all():
            assert (said.text in asked) is (said.position == 1), "only their own texts"
        assert f'name="reason" value="{REASON}"' in asked
        assert "within 30 days" in asked
        answerer.refresh_from_db()
        assert (answerer.decision, answerer.decided_by) == ("", None)
        decide(admin_client, recruitment, what="approve", assignment=answerer.pk, count="1")
        again = decide(admin_client, recruitment, what="reject", assignment=answerer.pk, reason=REASON)
        assert "decided already" in again

    def test_a_rejection_needs_a_reason_and_a_confirmation_and_can_be_taken_back(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, _ = submitted(market)
        pk = Assignment.objects.earliest("pk").pk
        assert "needs a reason" in decide(admin_client, recruitment, what="reject", assignment=pk, reason="no")
        decide(admin_client, recruitment, what="reject", assignment=pk, reason="no", confirmed="yes")
        assert not Assignment.objects.exclude(decision="").exists(), "no confirmation makes up for a reason"
        decide(admin_client, recruitment, what="reject", assignment=pk, reason=REASON, confirmed="yes")
        tasks.look_after_all()
        assert Assignment.objects.get(pk=pk).state == AssignmentState.REJECTED
        assert ledger.paid() == 0
        assert REASON in shown(admin_client, recruitment)
        decide(admin_client, recruitment, what="undo", assignment=pk)
        tasks.look_after_all()
        tasks.look_after_all()
        assert Assignment.objects.get(pk=pk).state == AssignmentState.APPROVED
        assert ledger.paid() > 0

    def test_nothing_is_decided_twice_nor_taken_back_too_late(
        self, market: LocalMarket, admin_user: User, admin_client: Client
    ) -> None:
        recruitment, _ = submitted(market)
        first, second = Assignment.objects.order_by("pk")
        assert reviewing.approve([first.pk], admin_user) == 1
        assert reviewing.approve([first.pk], admin_user) == 0
        with pytest.raises(CannotDecide, match="decided already"):
            reviewing.reject(first.pk, admin_user, REASON, confirmed=True)
        with pytest.raises(CannotDecide, match="Confirm that you mean it"):
            reviewing.reject(second.pk, admin_user, REASON, confirmed=False)
        reviewing.reject(second.pk, admin_user, REASON, confirmed=True)
        assert "Take back and pay" in shown(admin_client, recruitment)
        Assignment.objects.filter(pk=second.pk).update(submitted_at=clock.now() - timedelta(days=30, minutes=1))
        assert "Take back and pay" not in shown(admin_client, recruitment)
        with pytest.raises(CannotDecide, match="within 30 days"):
            reviewing.undo_rejection(second.pk, admin_user)

    def test_a_rejection_is_taken_back_and_paid_also_after_the_recruiting_is_over(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, _ = submitted(market, dialogs_wanted=1, pilot_dialogs=1)
        decide(admin_client, recruitment, what="reject", assignment=of(AMBER).pk, reason=REASON, confirmed="yes")
        decide(admin_client, recruitment, what="approve", assignment=of(FERN).pk, count="1")
        for _ in range(3):
            tasks.look_after_all()
        recruitment.refresh_from_db()
        assert recruitment.state == RecruitmentState.DONE
        assert str(recruitment) not in tasks.look_after_all(), "nothing is left to do"
        decide(admin_client, recruitment, what="undo", assignment=of(AMBER).pk)
        for _ in range(2):
            tasks.look_after_all()
        assert ledger.paid() == Decimal("5.60")

    def test_reading_decides_nothing_and_no_page_decides_on_get(
        self, admin_client: Client, client: Client, market: LocalMarket
    ) -> None:
        recruitment, _ = submitted(market)
        shown(admin_client, recruitment, "?what=approve&count=2")
        address = f"/desk/recruiting/{recruitment.pk}/decide/"
        query = {"what": "reject", "assignment": of(AMBER).pk, "reason": REASON, "confirmed": "yes"}
        assert admin_client.get(address, query).status_code == 405
        assert client.post(address, query).status_code == 302, "a stranger is asked to sign in"
        assert not Assignment.objects.exclude(decision="").exists()

    def test_nobody_is_rejected_but_by_a_person(self) -> None:
        ours = [path for folder in ("hits", "collector", "chat") for path in (ROOT / folder).rglob("*.py")]
        asking = re.compile(r"\breviewing\.reject\(|\bmarket\.reject\(|Decision\.REJECT\b")
        found = {str(path.relative_to(ROOT)) for path in ours if asking.search(path.read_text())}
        assert found == {"hits/reviewing.py", "collector/desk/review.py"}


@pytest.mark.django_db
class TestCarriedOut:
    def test_complete_work_is_approved_by_the_study_s_rule_and_a_person_may_decide_before(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, _ = submitted(market, approve_after_hours=12)
        assert "by this study's own rule 12 hours after it was submitted" in shown(admin_client, recruitment)
        decide(admin_client, recruitment, what="reject", assignment=of(FERN).pk, reason=REASON, confirmed="yes")
        tasks.look_after_all()
        assert ledger.paid() == 0
        with clock.travel(timedelta(hours=12, minutes=1)):
            tasks.look_after_all()
            tasks.look_after_all()  # which hears of what the first has approved
        assert (of(AMBER).state, of(AMBER).decision) == (AssignmentState.APPROVED, "")
        assert of(FERN).state == AssignmentState.REJECTED
        assert set(LedgerEntry.objects.filter(state="paid").values_list("worker", flat=True)) == {of(AMBER).worker_id}

    def test_the_rule_spares_what_is_not_complete(self, market: LocalMarket) -> None:
        recruitment, speaks = launch(market, approve_after_hours=0)
        amber = visit(market, recruitment, AMBER)
        Participation.objects.update(ended_at=clock.now(), outcome="left", fault="worker")
        amber.submit()
        lifecycle.sync(recruitment, speaks)
        assert of(AMBER).approve_at is None

    def test_what_is_being_rejected_is_not_paid_though_the_rule_s_time_has_come(
        self, market: LocalMarket, admin_user: User
    ) -> None:
        recruitment, speaks = submitted(market, approve_after_hours=0)
        tasks.settle()
        reviewing.reject(of(AMBER).pk, admin_user, REASON, confirmed=True)
        market.control("faults", operation="RejectAssignment", kind="error", times=9)
        tasks.look_after_all()
        lifecycle.sync(recruitment, speaks)
        assert of(AMBER).approve_at is None, "asking for news sets the rule's time for nobody who was decided about"
        assert not LedgerEntry.objects.filter(worker=of(AMBER).worker, state="paid").exists()

    def test_what_a_person_decides_while_news_is_taken_over_is_not_lost(
        self, market: LocalMarket, admin_user: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        recruitment, speaks = launch(market)
        market.robot(FERN).do(lifecycle.open_hits(recruitment)[0].external_id)
        lifecycle.sync(recruitment, speaks)

        def meanwhile(receipt: str, worker_id: int) -> None:
            reviewing.reject(of(FERN).pk, admin_user, REASON, confirmed=True)

        monkeypatch.setattr(receipts, "participation_of", meanwhile)
        lifecycle.sync(recruitment, speaks)
        assert (of(FERN).decision, of(FERN).decided_by) == (Decision.REJECT, admin_user)

    def test_a_submission_without_a_receipt_is_approved_by_a_person_and_paid_through_the_ledger(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, speaks = launch(market)
        market.robot(BASIL).do(lifecycle.open_hits(recruitment)[0].external_id, receipt="forged")
        tasks.look_after_all()
        assert "we know nothing of it" in item(shown(admin_client, recruitment), of(BASIL))
        assert ledger.paid() == 0, "nobody has decided"
        decide(admin_client, recruitment, what="approve", assignment=of(BASIL).pk, count="1")
        for _ in range(2):
            tasks.look_after_all()
        assert of(BASIL).state == AssignmentState.APPROVED
        entry = LedgerEntry.objects.get()
        assert (entry.state, entry.amount, str(entry.who)) == ("paid", Decimal("0.50"), "admin")
        found = reconcile.reconcile(recruitment, speaks)
        assert (found.marketplace, found.difference, found.unknown_amount) == (Decimal("0.50"), 0, 0)

    def test_a_second_submission_of_the_same_work_is_approved_and_paid_once(
        self, admin_client: Client, market: LocalMarket
    ) -> None:
        recruitment, speaks = launch(market)
        first, second = visit(market, recruitment, AMBER), visit(market, recruitment, AMBER)
        Participation.objects.update(ended_at=clock.now(), outcome="no_partner", fault="nobody")
        receipt = second.finish_page()["fields"]["receipt"]
        for each in (first, second):
            market.robot(AMBER).submit(each.assignment_id, receipt=receipt)
        lifecycle.sync(recruitment, speaks)
        ids = list(Assignment.objects.values_list("pk", flat=True))
        decide(admin_client, recruitment, what="approve", assignment=ids, count="2")
        for _ in range(3):
            tasks.look_after_all()
        assert set(Assignment.objects.values_list("state", flat=True)) == {AssignmentState.APPROVED}
        assert ledger.paid() == Decimal("1.00"), "a reward for each that was approved, and no more"
        assert reconcile.reconcile(recruitment, speaks).difference == 0
