"""Each flag is set by what it is about, with its evidence, and by nothing else."""

from typing import Any

import msgspec
import pytest

from chat.models import Utterance
from collector.quality.models import rules_of
from collector.quality.rules import Rules
from collector.studies.models import Outcome, Participation, Study
from tests import factories
from tests.quality.made import GOOD, SCRIPT, answering, asking, dialog, marked, pace, seen
from tests.summaries import scene

pytestmark = pytest.mark.django_db
Q, A = "questioner", "answerer"


@pytest.fixture
def study() -> Study:
    return factories.study()


def only(study: Study, made: Any, role: str, key: str, **rules: Any) -> tuple[str, list[str]]:
    """Return what one flag says and marks, which is the only one."""
    found = seen(study, Rules(**rules) if rules else None)
    assert list(found) == [(made.pk, role, key)]
    finding = found[made.pk, role, key]
    return finding.measured.said, marked(made, finding)


def test_an_ordinary_dialog_has_no_flag(study: Study) -> None:
    dialog(study)
    assert seen(study) == {}


def test_questions_that_all_ask_for_yes_or_no_are_flagged_and_their_first_words_marked(study: Study) -> None:
    made = dialog(
        study,
        asking("Is he at home?", "Isn't the kitchen dark?", "Does somebody laugh loudly?", "Can you hear any music?"),
    )
    assert only(study, made, Q, "yes_no_questions") == ("4 of 4 questions, 100 %", ["Is", "Isn", "Does", "Can"])


def test_answers_that_open_with_yes_or_no_are_flagged_from_the_threshold_on(study: Study) -> None:
    answers = ["Yes, a man comes in with a bag.", "No, he leaves it on a chair.", "YES he looks rather happy there."]
    made = dialog(study, answering(*answers, GOOD[3][1]))
    assert seen(study) == {}, "three of four are 75 %"
    assert only(study, made, A, "yes_no_answers", yes_no_answers=75) == ("3 of 4 answers, 75 %", ["Yes", "No", "YES"])


def test_yes_and_no_are_the_words_that_the_study_s_statistics_count(study: Study) -> None:
    study.word_lists = {"yes": ["nobody", "he"]}
    study.save()
    made = dialog(study)
    assert seen(study) == {}, "three of four are 75 %"
    rules = msgspec.structs.replace(rules_of(study), yes_no_answers=75)
    assert marked(made, seen(study, rules)[made.pk, A, "yes_no_answers"]) == ["He", "He", "Nobody"]


def test_of_three_texts_no_share_is_made(study: Study) -> None:
    dialog(study, answering("Yes, a man comes.", "No, there is none.", "Yes, both of them."), summary=None)
    assert seen(study) == {}


def test_answers_that_only_just_reach_the_least_length_are_flagged(study: Study) -> None:
    made = dialog(study, answering("He is in the hall.", "Behind a big old chair.", GOOD[2][1], GOOD[3][1]))
    assert only(study, made, A, "short") == (
        "2 of 4 answers, 50 %", ["He is in the hall.", "Behind a big old chair."],
    )  # fmt: skip


def test_a_short_summary_is_the_questioner_s(study: Study) -> None:
    made = dialog(study, summary="A man comes home with a bag and a dog sleeps there.")
    said, marks = only(study, made, Q, "short_summary")
    assert (said, len(marks)) == ("12 words", 1)


def test_the_same_words_again_are_repeated_whatever_stands_between_them(study: Study) -> None:
    made = dialog(
        study, answering("He is at the wide door.", "he is at the wide door", "Yes.", "He is, at the wide DOOR!")
    )
    found = seen(study)
    assert marked(made, found[made.pk, A, "repeated"]) == ["he is at the wide door", "He is, at the wide DOOR!"]
    assert not [key for key in found if key[1] == Q]


def test_texts_of_another_dialog_of_the_same_worker_are_flagged_and_a_stranger_s_are_not(study: Study) -> None:
    who = factories.worker()
    one, other = dialog(study, answerer=who), dialog(study, asking(*[f"Why {n} so?" for n in "abcd"]), answerer=who)
    dialog(study, asking(*[f"Who {n} then?" for n in "abcd"]), summary=None)
    found = seen(study)
    assert set(found) == {(one.pk, A, "elsewhere"), (other.pk, A, "elsewhere")}
    assert found[one.pk, A, "elsewhere"].measured.said == "4 of 4 texts, 100 %"
    assert marked(other, found[other.pk, A, "elsewhere"]) == [answer for _, answer in GOOD]


def test_the_longest_run_of_the_script_s_words_is_marked_where_it_stands(study: Study) -> None:
    copied = "Well: opens the OLD fridge, and takes out a bottle of milk – that is all."
    made = dialog(study, answering(copied, "A man walks into the kitchen and so on.", GOOD[2][1], GOOD[3][1]))
    assert only(study, made, A, "copied") == (
        "11 words one after the other", ["opens the OLD fridge, and takes out a bottle of milk"],
    )  # fmt: skip


def test_a_question_like_an_answered_one_is_redundant_and_one_about_somebody_else_is_not(study: Study) -> None:
    asked = ("How many people are in the video?", "What is he wearing?", "How many people can you see?")
    made = dialog(study, asking(*asked, "What is she wearing?"))
    assert only(study, made, Q, "redundant", redundant=1) == ("1 question", [asked[2]])
    assert seen(study) == {}, "one is not enough by default"


def test_stems_count_not_forms(study: Study) -> None:
    asked = ("Which door opened first?", "Which doors open first?", "Who laughs at the end?", "Who laughed by the end?")
    made = dialog(study, asking(*asked))
    assert only(study, made, Q, "redundant") == ("2 questions", [asked[1], asked[3]])


def test_texts_that_came_sooner_than_reading_and_typing_take_are_flagged(study: Study) -> None:
    made = dialog(study)
    pace(made, 3)
    assert {(role, key) for _, role, key in seen(study)} == {(Q, "fast"), (A, "fast")}
    assert seen(study, Rules(typing=500, reading=2000)) == {}


def test_the_first_question_is_timed_from_the_pairing_and_others_from_the_partner_s_text(study: Study) -> None:
    made = dialog(study)
    pace(made, 3)
    Utterance.objects.filter(dialog=made, position=0).update(stored_at=made.started_at)
    finding = seen(study)[made.pk, Q, "fast"]
    assert finding.measured.said == "5 of 5 texts, 100 %"
    assert marked(made, finding)[0] == GOOD[0][0]


def test_long_pastes_are_flagged_and_short_ones_are_not(study: Study) -> None:
    made = dialog(study)
    Utterance.objects.filter(dialog=made, position=1).update(evidence={"pastes": [19], "to_send": 9.0})
    assert seen(study) == {}
    Utterance.objects.filter(dialog=made, position=3).update(evidence={"pastes": [3, 41], "to_send": 9.0})
    assert only(study, made, A, "pasted") == ("1 text, at most 41 characters at once", [GOOD[1][1]])


def test_talk_about_the_work_is_chatter_and_hitting_a_ball_is_not(study: Study) -> None:
    answers = ["He wants to hit a ball with the bat.", "Will this HIT give a bonus, do you think?"]
    made = dialog(study, answering(*answers, "Thank  you for asking such nice questions!", GOOD[3][1]))
    assert only(study, made, A, "chatter") == ("2 texts", ["HIT", "bonus", "Thank  you"])


def test_another_language_is_told_from_all_texts_of_the_worker_together(study: Study) -> None:
    spanish = [
        "Un hombre entra en la cocina con una bolsa grande.", "La deja en una silla junto a la ventana.",
        "Parece cansado pero bastante contento por algo.", "No hay nadie, solo un perro que duerme debajo.",
    ]  # fmt: skip
    made = dialog(study, answering(*spanish))
    said, marks = only(study, made, A, "language")
    assert said.startswith("en with ")
    assert said.endswith(", likeliest es")
    assert marks == [], "it is said of all of them"
    study_in_spanish = factories.study(language="es-MX")
    dialog(study_in_spanish, answering(*spanish))
    assert {(role, key) for _, role, key in seen(study_in_spanish)} == {(Q, "language")}


def test_a_language_that_the_model_does_not_know_is_never_flagged() -> None:
    study = factories.study(language="tlh")
    dialog(study)
    assert seen(study) == {}


def test_profanity_is_of_the_language_and_a_study_may_add_words_and_take_them_away(study: Study) -> None:
    made = dialog(study, answering("He says oh shit and classic Scunthorpe.", *[a for _, a in GOOD[1:]]))
    assert only(study, made, A, "profanity") == ("1 text", ["shit"])
    assert seen(study, Rules(harmless=("Shit",))) == {}
    assert only(study, made, A, "profanity", harmless=("shit",), profane=("oh",)) == ("1 text", ["oh"])


def test_words_are_characters_where_a_language_has_no_spaces() -> None:
    study = factories.study(language="ja")
    video = factories.video("男の人が台所に入って古い冷蔵庫を開けます。")
    made = dialog(
        study,
        [("何が起こりますか？", "古い冷蔵庫を開けますよ。"), ("それから？", "牛乳を飲みます。")],
        video=video,
        summary=None,
    )
    assert only(study, made, A, "copied") == ("10 characters one after the other", ["古い冷蔵庫を開けます"])


def test_what_a_worker_withdrew_and_what_programs_wrote_is_not_looked_at(study: Study) -> None:
    shouting = answering("Oh shit!", "Oh shit!", "Oh shit!", "Oh shit!")
    withdrawn = dialog(study, shouting)
    assert seen(study)
    Participation.objects.filter(seats__dialog=withdrawn).update(outcome=Outcome.WITHDRAWN)
    dialog(study, shouting, is_simulated=True)
    assert seen(study) == {}


def test_an_imported_dialog_is_looked_at_without_times_and_workers(study: Study) -> None:
    origin = {"study": "old", "split": "", "script": SCRIPT, "duration": 8.0, "has_sound": True}
    made = dialog(study, answering(SCRIPT, *[a for _, a in GOOD[1:]]), seated=False, origin=origin)
    pace(made, 0.1)
    said, _ = only(study, made, A, "copied")
    assert said == "20 words one after the other"


def test_a_watcher_s_summary_has_flags_too() -> None:
    study = scene.study(videos=0)
    scene.offer(study, factories.video(SCRIPT))
    texts = ["Good job and thanks. Oh shit, they all fell down.", SCRIPT]
    for text in texts:
        watcher = scene.watcher(study)
        watcher.begin()
        watcher.watch()
        assert watcher.post("summarise", key=f"key-{len(text):08d}", text=text)["type"] != "refused"
    found = {(number, key) for number, role, key in seen(study) if role == "watcher"}
    first, second = sorted({number for number, _ in found})
    assert {key for number, key in found if number == first} == {"short_summary", "fast", "chatter", "profanity"}
    assert {key for number, key in found if number == second} == {"copied", "fast"}
