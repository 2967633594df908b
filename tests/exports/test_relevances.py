"""Items made of what rounds offer, their cost, and relevances as a file that a ranking is scored by."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from chat.models import Utterance
from collector.relevance.models import Item
from collector.studies.models import Kind, Study, StudyVideo
from tests import factories
from tests.exports.running import GOLDEN, export, word_vectors
from tests.exports.test_formats import check
from tests.relevance import scene

pytestmark = pytest.mark.django_db
FILE = ("--format", "visdial", "--pool", "all")


def run(*args: str) -> str:
    """Run a command; return what it said."""
    said = StringIO()
    call_command(*args, stdout=said, stderr=said, no_color=True)
    return said.getvalue()


def make(*options: str) -> str:
    """Make items of the only study with dialogs."""
    source = Study.objects.get(kind=Kind.DIALOG).slug
    return run("make_relevance_items", "--study", "dense", "--of", source, "--pool", "all", *options)


@pytest.fixture
def dense(many_dialogs: None) -> Study:
    return scene.study(items=0, slug="dense", reward="2.00")


def judge_all(study: Study, people: int = 4) -> None:
    """Have every item judged: all find the answer given correct, and each one more of the first ones than before."""
    for _ in range(people * study.items.count()):
        one = scene.judge(study)
        one.begin()
        one.watch()
        item = one.judging.item
        before = item.judgings.count() - 1
        one.post("finish", marks=one.marks({item.gt_index, *range(before)}))


def test_items_hold_the_answers_of_the_visdial_file(dense: Study, tmp_path: Path) -> None:
    said = make()
    assert "11 new items, 4 people an item: 44 annotations of 100 answers, 4400 judgements." in said
    assert "Expected cost: $115.20 (rewards 88.00, lost annotations 8.00, fees 19.20)" in said
    assert "The study has 11 items now." in said
    export(tmp_path / "out", *FILE, "--test")
    key = json.loads((tmp_path / "out" / "visdial_test_key.json").read_text())
    test = json.loads((tmp_path / "out" / "visdial_test.json").read_text())["data"]
    offered = {each["image_id"]: each["dialog"][-1]["answer_options"] for each in test["dialogs"]}
    for entry in key:
        item = Item.objects.get(dialog__video__image_id=entry["image_id"])
        assert (item.round, item.gt_index) == (entry["round_id"], entry["gt_index"])
        assert item.options == [test["answers"][answer] for answer in offered[entry["image_id"]]]
        assert item.options[item.gt_index] == entry["answer"]
    assert set(StudyVideo.objects.filter(study=dense).values_list("wanted", flat=True)) == {4}


@pytest.mark.usefixtures("dense")
def test_what_looks_personal_is_warned_of_before_items_keep_it() -> None:
    assert "Warning" not in make("--dry-run", "--sample", "1")
    said = Utterance.objects.filter(position=1).earliest("pk")
    Utterance.objects.filter(pk=said.pk).update(text="Write to anna@example.com, please.")
    assert "Warning: 1 part of its texts may tell who wrote them" in make("--dry-run", "--sample", "1")


def test_rounds_are_chosen_or_drawn_and_what_is_there_stays(dense: Study) -> None:
    assert "3 new items" in make("--rounds", "all", "--sample", "3", "--seed", "5", "--dry-run")
    assert not Item.objects.exists()
    make("--rounds", "all", "--sample", "3", "--seed", "5")
    first = set(Item.objects.values_list("dialog", "round"))
    said = make("--rounds", "all", "--sample", "3", "--seed", "5")
    assert "0 new items" in said
    assert "Nothing to make" in said
    make("--rounds", "2,9")
    rounds = set(Item.objects.values_list("dialog", "round"))
    assert first < rounds
    assert {number for _, number in rounds - first} >= {2, 9}
    assert StudyVideo.objects.filter(study=dense, wanted=4 * 2).exists()


def test_relevances_give_the_golden_file_and_the_ndcg_of_a_ranking(dense: Study, tmp_path: Path) -> None:
    vectors = ("--vectors", str(word_vectors(tmp_path / "made.3d.txt")))
    make("--rounds", "3", "--sample", "3", *vectors)
    judge_all(dense)
    out, ranks = tmp_path / "dense.json", tmp_path / "ranks.json"
    export(tmp_path / "out", *FILE, *vectors)
    files = sorted((tmp_path / "out").iterdir())
    items = {each.dialog.video.image_id: each for each in Item.objects.all()}
    said = run("export_relevances", "--study", "dense", "--out", str(out))
    assert f"Wrote 3 items to {out}." in said
    assert "found correct by 100 % on average" in said
    assert out.read_text() == (GOLDEN / "relevances.json").read_text()
    content = json.loads(out.read_text())
    check(content, "relevances")
    for each in content:
        relevances = dict(enumerate(each["gt_relevance"]))
        assert relevances.pop(items[each["image_id"]].gt_index) == 1
        assert sum(relevances.values()) in (1.5, 1.25, 1.0, 0.75)

    for path in files:
        dialogs = json.loads(path.read_text())["data"]["dialogs"]
        inside = [each for each in content if each["image_id"] in {dialog["image_id"] for dialog in dialogs}]
        (tmp_path / "some.json").write_text(json.dumps(inside))
        known = {each["image_id"]: each["gt_relevance"] for each in inside}
        predictions = [
            {
                "image_id": dialog["image_id"],
                "round_id": number,
                "scores": known.get(dialog["image_id"], range(100)) if number == 3 else list(range(100)),
            }
            for dialog in dialogs
            for number in range(1, 11)
        ]
        ranks.write_text(json.dumps(predictions, default=list))
        scored = run("score_rankings", str(ranks), "--against", str(path), "--dense", str(tmp_path / "some.json"))
        assert f"annotated round{'' if len(inside) == 1 else 's'}: {'100.00' if inside else 'none'}" in scored


def test_a_file_that_offers_other_answers_than_were_judged_is_refused(dense: Study, tmp_path: Path) -> None:
    make("--rounds", "3", "--split", "test", "--sample", "1")
    judge_all(dense, people=1)
    for name, seed in (("same", "0"), ("other", "1")):
        export(tmp_path / name, *FILE, "--seed", seed)
    arguments = ("export_relevances", "--study", "dense", "--out", str(tmp_path / "d.json"), "--least", "1", "--check")
    with pytest.raises(CommandError, match="offers other answers in round 3 of 'M"):
        run(*arguments, str(tmp_path / "other" / "visdial_test.json"))
    with pytest.raises(CommandError, match="has no round 3 of 'M"):
        run(*arguments, str(tmp_path / "same" / "visdial_train.json"))
    assert not (tmp_path / "d.json").exists()


def test_only_what_enough_people_judged_leaves(dense: Study, tmp_path: Path) -> None:
    make("--rounds", "3", "--sample", "2")
    judge_all(dense, people=1)
    out = str(tmp_path / "d.json")
    said = run("export_relevances", "--study", "dense", "--out", out)
    assert "Wrote 0 items" in said
    assert "Left out: 2 items judged by fewer than 4 people." in said
    assert "not defined" in said
    assert "Wrote 2 items" in run("export_relevances", "--study", "dense", "--out", out, "--least", "1")
    assert "Wrote 0 items" in run("export_relevances", "--study", "dense", "--out", out, "--least", "1", "--simulated")


@pytest.mark.parametrize(
    ("command", "options", "sentence"),
    [
        (
            "make_relevance_items",
            {"study": "nowhere"},
            "There is no relevance study 'nowhere'. The rel",
        ),
        ("make_relevance_items", {"of": "nowhere"}, "There is no study 'nowhere' to take dialogs of"),
        ("make_relevance_items", {"sample": "0"}, "--sample takes a number of rounds from 1"),
        ("make_relevance_items", {"rounds": "first"}, "'first' names no rounds"),
        ("make_relevance_items", {"rounds": "0"}, "'0' names no rounds"),
        ("make_relevance_items", {}, "There is no dialog to choose answers from"),
        ("export_relevances", {"study": "nowhere"}, "There is no relevance study 'nowhere'"),
        ("export_relevances", {"least": "0"}, "--least takes a number of people from 1"),
        ("export_relevances", {"out": "/nowhere/d.json"}, "There is no folder /nowhere"),
        ("export_relevances", {"check": "/nowhere.json"}, "/nowhere.json cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said(command: str, options: dict[str, str], sentence: str, tmp_path: Path) -> None:
    scene.study(items=0, slug="dense")
    source = factories.study(slug="source")
    own: dict[str, Any] = {"study": "dense"}
    own |= {"of": source.slug} if command == "make_relevance_items" else {"out": str(tmp_path / "d.json")}
    given = [part for name, value in (own | options).items() for part in (f"--{name}", value)]
    with pytest.raises(CommandError, match=sentence):
        run(command, *given)


def test_a_study_that_names_no_number_of_people_is_refused() -> None:
    made = scene.study(items=0, slug="dense")
    Study.objects.filter(pk=made.pk).update(dialogs_per_video=None)
    with pytest.raises(CommandError, match="does not say how many people judge an item"):
        run("make_relevance_items", "--study", "dense", "--of", factories.study(slug="source").slug)
