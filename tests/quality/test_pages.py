"""Flags on the researcher's pages and as files: with their evidence, tried before they are saved, without effect."""

import csv
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import strip_tags

from chat.models import DialogTakenOut
from collector.desk.found import Span, marked
from collector.exports.pseudonyms import worker_key
from collector.quality import tasks
from collector.quality.counting import count
from collector.quality.flags import look
from collector.quality.models import QualityRules, rules_of, save_rules
from collector.quality.rules import LISTS, THRESHOLDS, Rules
from collector.quality.writings import rows_of
from collector.studies.models import Kind, Participation, Study
from collector.summaries.models import Viewing
from hits import settlement
from hits.models import LedgerEntry
from tests import factories
from tests.quality.made import GOOD, answering, dialog
from tests.summaries import scene

pytestmark = pytest.mark.django_db
CHATTY = answering("Thanks, a <b>bonus</b> would be nice & good for me.", *[answer for _, answer in GOOD[1:]])


@pytest.fixture
def study() -> Study:
    return factories.study(name="Pilot", slug="pilot")


def form(rules: Rules | None = None, **changed: str) -> dict[str, str]:
    """Return the fields of the form, filled in."""
    rules = rules or Rules()
    numbers = {name: str(getattr(rules, name)) for name in THRESHOLDS}
    return numbers | {name: "\n".join(getattr(rules, name)) for name in LISTS} | {"what": "try"} | changed


def post(client: Client, study: Study, **changed: str) -> str:
    page = client.post(f"/desk/quality/{study.pk}/", form(rules_of(study), **changed), follow=True).content.decode()
    return " ".join(page.split())


def test_the_page_counts_names_and_links_what_is_flagged(admin_client: Client, study: Study) -> None:
    dialog(study)
    made = dialog(study, CHATTY)
    page = " ".join(admin_client.get(f"/desk/quality/{study.pk}/").content.decode().split())
    assert "<strong>1 of 2</strong> dialogs have a flag" in page
    assert "<strong>Off-task chatter</strong>: 1 of 2" in page
    assert f'<a href="/desk/quality/{study.pk}/{made.pk}/">Dialog {made.pk}</a>: 1 text' in page
    assert page.count(": none</p>") == 12


def test_rules_are_tried_first_and_nothing_is_kept_until_they_are_saved(admin_client: Client, study: Study) -> None:
    for _ in range(2):
        dialog(study)
    dialog(study, CHATTY)
    tried = post(admin_client, study, short_summary="20")
    assert "would flag 3 of 3</strong> dialogs; 1 is flagged now" in tried
    assert "<strong>Short summary</strong>: would flag 3 of 3, now 0" in tried
    assert 'name="short_summary" value="20"' in tried
    assert rules_of(study) == Rules()
    assert "Saved." in post(admin_client, study, short_summary="20", what="save")
    kept = QualityRules.objects.get()
    assert (kept.values, kept.changed_by.username) == ({"short_summary": 20}, "admin")
    assert "<strong>3 of 3</strong> dialogs have a flag" in post(admin_client, study, short_summary="20")
    assert "would flag 1 of 3</strong>" in post(admin_client, study, what="defaults")


def test_word_lists_are_a_study_s_own(admin_client: Client, study: Study) -> None:
    dialog(study)
    tried = post(admin_client, study, chatting="window\n\n sleeps   under \n")
    assert "<strong>Off-task chatter</strong>: would flag 1 of 1" in tried
    post(admin_client, study, chatting="window\n\n sleeps   under \n", what="save")
    assert rules_of(study).chatting == ("window", "sleeps under")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("short", "many", "Short answers, from: &#x27;many&#x27; is not a whole number from 1 to 100."),
        ("short", "", "Short answers, from: &#x27;&#x27; is not a whole number from 1 to 100."),
        ("short", "-1", "is not a whole number"),
        ("short", "٣", "is not a whole number"),
        ("short", "9" * 5000, "is not a whole number"),
        ("copied", "1", "1 is not between 2 and 500 words."),
        ("chatting", "fine\n?!", "&#x27;?!&#x27; holds no letter and no digit."),
        ("profane", "x" * 61, "is too long; write one word or phrase a line."),
        ("function", "\n".join(f"w{n}" for n in range(1001)), "1001 lines are too many; 1000 is the most."),
    ],
)
def test_a_bad_value_is_refused_in_words_and_what_was_typed_stays(
    admin_client: Client, study: Study, field: str, value: str, said: str
) -> None:
    page = post(admin_client, study, **{field: value}, similar="66", what="save")
    assert "Nothing was changed." in page
    assert said in page
    assert 'name="similar" value="66"' in page
    assert not QualityRules.objects.exists()


def test_a_dialog_s_page_marks_the_evidence_in_the_escaped_text(admin_client: Client, study: Study) -> None:
    made = dialog(study, CHATTY)
    page = admin_client.get(f"/desk/quality/{study.pk}/{made.pk}/").content.decode()
    assert (
        '<mark title="Off-task chatter">Thanks</mark>, a &lt;b&gt;<mark title="Off-task chatter">bonus</mark>'
        "&lt;/b&gt; would be nice &amp; good for me."
    ) in page
    assert page.count("Marked: Off-task chatter") == 1
    assert "1 flag: Off-task chatter" in page
    assert admin_client.get(f"/desk/quality/{factories.study().pk}/{made.pk}/").status_code == 404


def test_a_summary_study_has_the_same_pages(admin_client: Client) -> None:
    study = scene.study(name="Summaries")
    watcher = scene.watcher(study)
    watcher.begin()
    watcher.watch()
    watcher.summarise("A man opens a door and that is all there is, thanks.")
    viewing = Viewing.objects.get()
    page = " ".join(admin_client.get(f"/desk/quality/{study.pk}/").content.decode().split())
    assert "<strong>1 of 1</strong> summary has a flag" in page
    assert f'<a href="/desk/quality/{study.pk}/{viewing.pk}/">Summary {viewing.pk}</a>' in page
    assert "Questions for yes or no" not in page
    one = admin_client.get(f"/desk/quality/{study.pk}/{viewing.pk}/").content.decode()
    assert '<mark title="Short summary, Too fast, Off-task chatter">thanks</mark>' in one
    assert '<span class="review-who">Summary</span>' in one
    assert "Off-task chatter" in admin_client.get(f"/desk/workers/{watcher.participation.worker_id}/").content.decode()


def test_what_was_taken_out_is_not_counted_but_its_page_opens(admin_client: Client, admin_user: User) -> None:
    study = factories.study()
    made = dialog(study, CHATTY)
    DialogTakenOut.objects.create(dialog=made, who=admin_user, reason="Chatter only.", at=made.started_at)
    assert "There is no dialog to look at yet" in admin_client.get(f"/desk/quality/{study.pk}/").content.decode()
    assert "Off-task chatter" in admin_client.get(f"/desk/quality/{study.pk}/{made.pk}/").content.decode()


@pytest.mark.parametrize(
    ("spans", "html"),
    [
        ([], "a&lt;b c"),
        ([Span(0, 3, "One"), Span(2, 5, "Two")],
         '<mark title="One">a&lt;</mark><mark title="One, Two">b</mark><mark title="Two"> c</mark>'),
        ([Span(0, 5, "One"), Span(0, 5, "One")], '<mark class="whole" title="One">a&lt;b c</mark>'),
        ([Span(0, 5, "One"), Span(0, 1, "Two")],
         '<mark title="One, Two">a</mark><mark class="whole" title="One">&lt;b c</mark>'),
        ([Span(4, 5, '"><i>')], 'a&lt;b <mark title="&quot;&gt;&lt;i&gt;">c</mark>'),
    ],
)  # fmt: skip
def test_marks_may_overlap_and_change_no_text(spans: list[Span], html: str) -> None:
    assert marked("a<b c", spans) == html
    assert strip_tags(html) == "a&lt;b c"


def test_a_worker_is_flagged_by_the_share_of_their_dialogs(admin_client: Client, study: Study) -> None:
    who = factories.worker()
    numbers = [dialog(study, CHATTY, answerer=who).pk]
    for n in range(2):
        dialog(study, [(q, f"{a} {n}") for q, a in GOOD], answerer=who, summary=None)
    page = " ".join(admin_client.get(f"/desk/workers/{who.pk}/").content.decode().split())
    assert "<strong>Pilot</strong>: 3 dialogs." in page
    assert "Off-task chatter in 1 of 3:" in page
    assert "(too few to flag the worker)" in page
    assert f'<a href="/desk/quality/{study.pk}/{numbers[0]}/">{numbers[0]}</a>' in page
    dialog(study, CHATTY, answerer=who)
    page = admin_client.get(f"/desk/workers/{who.pk}/").content.decode()
    assert "<strong>Off-task chatter</strong> in 2 of 4:" in page


def test_the_pages_are_for_researchers(client: Client, study: Study) -> None:
    made = dialog(study)
    for page in ("", f"{made.pk}/", "file/flags.csv"):
        assert client.get(f"/desk/quality/{study.pk}/{page}").status_code == 302


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_command_writes_every_figure_and_no_worker_s_id(study: Study, tmp_path: Path, capsys: Any) -> None:
    who = factories.worker(external_id="A1SECRET")
    made = dialog(study, CHATTY, answerer=who)
    dialog(study)
    out, workers = tmp_path / "flags.csv", tmp_path / "workers.csv"
    call_command("quality_flags", study="pilot", out=out, workers=workers)
    said = capsys.readouterr().out
    assert "1 of 2 dialogs have a flag." in said
    assert re.search(r"Off-task chatter +1   1 worker\n", said)
    (line,) = [row for row in rows(out) if row["flagged"] == "yes"]
    assert (line["number"], line["role"], line["flag"], line["value"]) == (str(made.pk), "answerer", "chatter", "1")
    assert (line["threshold"], line["evidence"]) == ("1", "1:0-6 1:13-18")
    assert line["worker"] == worker_key(study.collection_id, who.pk)
    assert {row["flagged"] for row in rows(out)} == {"yes", "no"}
    (theirs,) = rows(workers)
    assert (theirs["worker"], theirs["dialogs flagged"], theirs["flagged"]) == (line["worker"], "1", "yes")
    assert "A1SECRET" not in out.read_text() + workers.read_text() + said


def test_the_command_says_what_is_wrong(study: Study, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no study 'pilo'"):
        call_command("quality_flags", study="pilo")
    factories.study(slug="marks", kind=Kind.RELEVANCE)
    with pytest.raises(CommandError, match="write nothing"):
        call_command("quality_flags", study="marks")
    with pytest.raises(CommandError, match="There is no folder"):
        call_command("quality_flags", study="pilot", out=tmp_path / "none" / "flags.csv")


def test_the_files_are_written_in_the_background_and_given_to_researchers(
    admin_client: Client, study: Study, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(tasks.write_quality, "delay", tasks.write_quality)
    dialog(study, CHATTY)
    assert admin_client.get(f"/desk/quality/{study.pk}/file/flags.csv").status_code == 404
    page = admin_client.post(f"/desk/quality/{study.pk}/count/", follow=True).content.decode()
    assert "The files are being written." in page
    assert f"/desk/quality/{study.pk}/file/workers.csv" in page
    answer = admin_client.get(f"/desk/quality/{study.pk}/file/flags.csv")
    assert answer["Content-Disposition"] == 'attachment; filename="flags.csv"'
    assert b"chatter" in b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    assert admin_client.get(f"/desk/quality/{study.pk}/file/..%2Fsecret").status_code == 404


def test_what_is_owed_is_the_same_with_flags_and_without_and_no_flag_is_read_for_it(
    admin_client: Client, admin_user: User
) -> None:
    study = factories.study(reward=Decimal("2.40"), summary_bonus=Decimal("0.80"))
    save_rules(study, Rules(short_summary=500, chatter=1), admin_user)
    owed = []
    for rounds in (GOOD, CHATTY):
        parts = Participation.objects.filter(seats__dialog=dialog(study, rounds))
        parts.update(rounds_done=4)
        with CaptureQueriesContext(connection) as queries:
            settlement.settle_all()
        assert not [query for query in queries.captured_queries if "quality_" in query["sql"]]
        entries = LedgerEntry.objects.filter(participation__in=parts)
        owed.append(sorted(entries.values_list("kind", "amount", "state")))
    assert owed[0] == owed[1] != []
    assert len(count(look(rows_of(study), rules_of(study)), Rules()).flagged["chatter"]) == 1


def test_the_list_of_studies_leads_there_where_workers_write(admin_client: Client, study: Study) -> None:
    other = factories.study(kind=Kind.RELEVANCE)
    listed = admin_client.get("/admin/studies/study/").content.decode()
    for each in (study, other):
        assert f'<a href="/desk/monitor/{each.pk}/">Open</a>' in listed
        page = admin_client.get(f"/desk/monitor/{each.pk}/").content.decode()
        assert (f'<a href="/desk/quality/{each.pk}/">Quality flags</a>' in page) == (each == study)
