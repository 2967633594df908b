"""What looks personal is found in every text, decided about by a person, and left out of all that leaves."""

import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from chat import transcripts
from chat.models import Dialog, Utterance, UtteranceRedaction
from collector.analysis import conversations
from collector.exports import personal as exported
from collector.exports import summaries
from collector.exports.personal import CannotDecide, Find
from collector.lib import personal
from collector.studies.redacting import redacted
from collector.summaries.models import Summary
from tests import factories
from tests.summaries import scene

CASES = json.loads((Path(__file__).resolve().parents[1] / "js" / "personal.json").read_text())


@pytest.mark.parametrize(("what", "texts"), CASES["looks"].items())
def test_the_scan_finds_what_the_worker_s_page_asks_about(what: str, texts: list[str]) -> None:
    for text in texts:
        found = personal.find(text)
        assert [f"{'an' if one.kind[0] in 'ae' else 'a'} {one.kind}" for one in found] == [what], text


def test_what_people_say_about_videos_is_not_found() -> None:
    for text in CASES["nothing"]:
        assert personal.find(text) == [], text


def test_all_of_a_text_is_found_and_nothing_around_it() -> None:
    text = "Mail ａnna@example.com, or call (212) 555-0199; see https://example.org/x!"
    assert [text[one.start : one.end] for one in personal.find(text)] == [
        "ａnna@example.com", "(212) 555-0199", "https://example.org/x",
    ]  # fmt: skip
    assert personal.find("I am anna at gmail dot com")[0].start == 5


@given(st.text(alphabet="a1@. #()+-/:dotcm\u0660ﬁ", max_size=60))
def test_finds_lie_in_the_text_and_do_not_overlap(text: str) -> None:
    found = personal.find(text)
    ends = [0, *(one.end for one in found)]
    assert all(before <= one.start < one.end <= len(text) for before, one in zip(ends, found, strict=False))


def test_no_text_takes_long_to_look_through() -> None:
    for piece in ("a", "@", "1", "a@", "1 ", "a.", "at dot ", "insta ", "(", "+1-"):
        personal.find(piece * (10_000 // len(piece)))


@pytest.fixture
def dialog(db: None) -> Dialog:
    rounds = [("Is it @anna_b who sits there?", "No. Write to anna@example.com, please."), ("Who is it?", "It is Bea.")]
    return factories.finished_dialog(rounds, "Somebody sits there; call 555-1234 and ask.")


@pytest.fixture
def summary(db: None) -> Summary:
    watcher = scene.watcher(scene.study())
    watcher.begin()
    watcher.watch()
    watcher.summarise("Somebody reads aloud; more of it is on example.org for you.")
    return Summary.objects.get()


def finds(of: Dialog | Summary) -> list[Find]:
    study = of.study if isinstance(of, Dialog) else of.viewing.participation.study
    return list(exported.undecided([study]))


def left(dialog: Dialog) -> str:
    (transcript,) = transcripts.read(Dialog.objects.filter(pk=dialog.pk))
    return " ".join([*(text for both in transcript.rounds for text in both), transcript.summary or ""])


def test_a_find_says_where_it_stands_and_is_redacted_wherever_it_leaves(dialog: Dialog, admin_user: User) -> None:
    found = finds(dialog)
    assert [(find.place, find.kind, find.part) for find in found] == [
        (f"dialog {dialog.pk}, question 1", "account name", "@anna_b"),
        (f"dialog {dialog.pk}, answer 1", "e-mail address", "anna@example.com"),
        (f"dialog {dialog.pk}, summary", "phone number", "555-1234"),
    ]
    exported.decide(found[0].key, admin_user, redact=False)
    exported.decide(found[1].key, admin_user, redact=True)
    assert finds(dialog) == found[2:], "what is decided is not asked about again"
    assert "Is it @anna_b who sits there? No. Write to [e-mail address], please." in left(dialog)
    assert Utterance.objects.filter(text__contains="anna@example.com").exists(), "the text itself stays"
    (decision, shown), _ = exported.decisions([dialog.study], 10)
    assert (shown.part, decision.who) == ("anna@example.com", admin_user)
    assert exported.undo("utterance", decision.pk, admin_user)
    assert not exported.undo("utterance", decision.pk, admin_user)
    assert "anna@example.com" in left(dialog)
    assert finds(dialog) == found[1:]
    exported.decide(found[1].key, admin_user, redact=True)
    assert "[e-mail address]" in left(dialog)


def test_a_watcher_s_summary_is_redacted_as_well(summary: Summary, admin_user: User) -> None:
    (found,) = finds(summary)
    assert (found.place, found.part) == (f"viewing {summary.viewing_id}, summary", "example.org")
    exported.decide(found.key, admin_user, redact=True)
    (left,) = summaries.read()
    assert left.summary == "Somebody reads aloud; more of it is on [web address] for you."
    assert finds(summary) == []


def test_files_and_statistics_hold_the_redacted_text(dialog: Dialog, admin_user: User, tmp_path: Path) -> None:
    for find in finds(dialog):
        exported.decide(find.key, admin_user, redact=True)
    for name in ("dstc7", "raw", "jsonl", "visdial"):
        out = tmp_path / f"{name}.json"
        with suppress(CommandError):  # visdial asks for more answers than there are
            call_command("export_avsd", "--out", str(out), "--format", name, stdout=io.StringIO())
        written = out.read_text() if out.exists() else ""
        assert "anna" not in written.lower()
        assert "555" not in written
    said = list(conversations.from_dialogs(Dialog.objects.in_data()))
    assert "anna" not in repr(said)


def test_words_that_no_scan_knows_are_redacted_in_all_of_a_dialog(dialog: Dialog, admin_user: User) -> None:
    assert exported.redact_words(dialog.study, dialog.pk, "Bea", admin_user) == 1
    assert "It is [personal detail]." in left(dialog)
    assert exported.redact_words(dialog.study, dialog.pk, "s", admin_user) > 3
    with pytest.raises(CannotDecide, match="holds no 'bea'"):
        exported.redact_words(dialog.study, dialog.pk, "bea", admin_user)


def test_only_what_may_leave_is_looked_through(dialog: Dialog, admin_user: User) -> None:
    programs = factories.finished_dialog([("Is it @bot_b?", "No.")], study=dialog.study, is_simulated=True)
    assert {find.place.split(",")[0] for find in exported.undecided([dialog.study], simulated=True)} == {
        f"dialog {dialog.pk}", f"dialog {programs.pk}",
    }  # fmt: skip
    assert len(finds(dialog)) == 3
    Dialog.objects.filter(pk=dialog.pk).take_out("Off the subject.", admin_user)
    assert finds(dialog) == []


@pytest.mark.parametrize(
    "key", ["", "utterance 1 2", "seat 1 2 3", "utterance {} 3 2", "utterance {} 0 9999", "utterance 0 0 1"]
)
def test_a_decision_is_about_a_part_of_a_text(dialog: Dialog, admin_user: User, key: str) -> None:
    pk = dialog.utterances.earliest("pk").pk
    with pytest.raises(CannotDecide, match="names no part of a text"):
        exported.decide(key.format(pk), admin_user, redact=True)


def test_parts_that_overlap_are_replaced_as_one() -> None:
    assert redacted("call anna at home", [(5, 9, "[a]"), (7, 12, "[b]"), (13, 17, "[c]")]) == "call [a] [c]"
    assert redacted("as it was", []) == "as it was"


def test_the_command_lists_what_is_left_to_decide(dialog: Dialog, admin_user: User) -> None:
    def said() -> str:
        out = io.StringIO()
        call_command("scan_texts", "--study", dialog.study.slug, stdout=out)
        return out.getvalue()

    assert f"dialog {dialog.pk}, answer 1: e-mail address: anna@example.com" in said()
    assert f"3 finds to decide about, at /desk/studies/{dialog.study_id}/personal/" in said()
    for find in finds(dialog):
        exported.decide(find.key, admin_user, redact=True)
    assert said() == "Nothing is left to decide.\n"
    with pytest.raises(CommandError, match="There is no study 'nowhere'"):
        call_command("scan_texts", "--study", "nowhere")


def test_a_person_decides_on_the_page_and_takes_it_back(admin_client: Client, dialog: Dialog) -> None:
    address = f"/desk/studies/{dialog.study_id}/personal/"

    def post(**fields: Any) -> str:
        return admin_client.post(f"{address}do/", fields, follow=True).content.decode()

    first, second, third = (find.key for find in finds(dialog))
    page = admin_client.get(address).content.decode()
    assert "Write to <mark>anna@example.com</mark>, please." in page
    page = post(what="decide", find=[first, second, third], **{f"choice {first}": "leave"})
    assert "1 find decided." in page
    page = post(what="decide", find=[second, third], rest="redact")
    assert "2 finds decided." in page
    assert "Nothing is left to decide." in page
    assert "Leaves as [e-mail address]" in page
    assert "anna@" not in left(dialog)
    decision = f"utterance {UtteranceRedaction.objects.get(kind='e-mail address').pk}"
    assert "The decision is taken back." in post(what="undo", decision=decision)
    assert "was taken back before" in post(what="undo", decision=decision)
    assert "was taken back before" in post(what="undo", decision="seat x")
    assert "Redacted in 1 place." in post(what="words", number=dialog.pk, words="Bea", simulated="yes")
    assert "is no number" in post(what="words", number="x", words="Bea")
    assert "There is no dialog 7 with texts in this study" in post(what="words", number=7, words="Bea")
    assert "names no part of a text" in post(what="decide", find="x", rest="leave")
    assert admin_client.post(f"{address}do/", {"what": "x"}).status_code == 404


def test_a_long_study_is_looked_through_piece_by_piece_until_something_is_found(
    admin_client: Client, dialog: Dialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exported, "AT_ONCE", 2)
    plain = [("Is it loud?", "No, it is quiet.")]
    others = [factories.finished_dialog(rounds=plain, study=dialog.study, summary="Quiet.").pk for _ in range(3)]
    later = factories.finished_dialog(rounds=[("Who?", "Write to bo@example.com.")], study=dialog.study, summary="Bo.")
    assert exported.undecided_after(dialog.study, 0) == (finds(dialog)[:3], others[0])
    assert exported.undecided_after(dialog.study, others[0]) == ([], others[2])
    found, last = exported.undecided_after(dialog.study, others[2])
    assert ([find.part for find in found], last) == (["bo@example.com"], None)

    address = f"/desk/studies/{dialog.study_id}/personal/"
    page = admin_client.get(address, {"after": others[0]}).content.decode()
    assert f'content="1; url=?after={others[2]}"' in page, "it goes on by itself"
    page = admin_client.get(address, {"after": others[2]}).content.decode()
    assert "bo@example.com" in page
    assert "http-equiv" not in page
    decided = {"what": "decide", "find": found[0].key, "rest": "redact", "after": others[2]}
    assert admin_client.post(f"{address}do/", decided)["Location"] == f"{address}?after={others[2]}"
    assert (
        f"Nothing is left to decide after number {later.pk}"
        in admin_client.get(address, {"after": later.pk}).content.decode()
    )
