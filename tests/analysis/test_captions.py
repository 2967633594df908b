"""The caption metrics: cases worked out by hand, and the COCO toolkit itself where it is installed."""

import math
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from collector.analysis import captions, meteor
from collector.analysis.caption_tokens import caption_tokens
from collector.analysis.captions import METRICS, score

WORDS = ["a", "man", "woman", "walks", "into", "the", "room", "and", "sits", "on", "chair", "then", "laughs"]
NEEDS_JAVA = pytest.mark.skipif(not shutil.which("java"), reason="there is no Java")
SENTENCES = {
    "A man walks in, sits down... then he laughs.": "a man walks in sits down then he laughs",
    "She can't find her shoes; she's looking (under the bed).":
        "she ca n't find her shoes she 's looking -lrb- under the bed -rrb-",
    "It's 3.5 meters wide and costs $5.00, about 50% more.": "it 's 3.5 meters wide and costs $ 5.00 about 50 % more",
    "Is he gonna eat? He cannot. I wanna know!!": "is he gon na eat he can not i wan na know !!",
    "A half-eaten sandwich in the kitchen/dining room": "a half-eaten sandwich in the kitchen/dining room",
    "He gets up @ 7:30 a.m. and meets Mrs. Jones etc.": "he gets up @ 7:30 a.m. and meets mrs. jones etc.",
    "the man ,who is tall, opens the door .then he leaves": "the man who is tall opens the door then he leaves",
    "He is home.They leave.Why?": "he is home.they leave.why",
    "“It’s hot” – he says… it's 5pm.": "it 's hot he says it 's 5pm",
    "They'd've gone -- the boys' room, y'all; c'mon, 'tis o'clock":
        "they 'd 've gone the boys room y' all c'mon 't is o'clock",
    "smiles :) and laughs <br> [sic]": "smiles :-rrb- and laughs <br> -lsb- sic -rsb-",
    "WOW!!! no.... 😀 日本語 naïve #1 #fun": "wow !!! no 日本語 naïve # 1 #fun",
    "a 3.5-inch screen, 1/2 cup, 20-30 years, w/ a hat": "a 3.5-inch screen 1/2 cup 20-30 years w / a hat",
    "5.he left, 2 men's shoes & a t-shirt": "5 he left 2 men 's shoes & a t-shirt",
    "no": "no",
    "...": "",
}  # fmt: skip


@pytest.mark.parametrize(("text", "tokens"), SENTENCES.items())
def test_sentences_have_these_tokens(text: str, tokens: str) -> None:
    assert " ".join(caption_tokens(text)) == tokens


@NEEDS_JAVA
def test_the_toolkits_own_tokenizer_makes_the_same() -> None:
    tokenizer = pytest.importorskip("pycocoevalcap.tokenizer.ptbtokenizer").PTBTokenizer()
    texts = [text for text in SENTENCES if text != "..."]
    (theirs,) = tokenizer.tokenize({0: [{"caption": text} for text in texts]}).values()
    assert [" ".join(caption_tokens(text)) for text in texts] == theirs


def one(candidate: str, *references: str) -> dict[str, float]:
    """Return the metrics of a set of one."""
    values = score([candidate.split()], [[each.split() for each in references]]).whole()
    return dict(zip(METRICS, values, strict=True))


def test_bleu_counts_a_word_as_often_as_a_reference_has_it() -> None:
    assert one("the the the", "the cat", "a the dog the")["BLEU-1"] == pytest.approx(2 / 3)


def test_bleu_punishes_what_is_shorter_than_the_nearest_reference() -> None:
    found = one("a man sits", "a man sits down", "a man comes in and then sits down on a chair")
    assert [found["BLEU-1"], found["BLEU-3"]] == pytest.approx([math.exp(1 - 4 / 3)] * 2)
    # Three words hold no run of four: the toolkit takes 1e-15 of 1e-9 for it, and so do we.
    assert found["BLEU-4"] == pytest.approx(1e-6 ** (1 / 4) * math.exp(1 - 4 / 3))


def test_bleu_counts_over_the_set_before_it_divides() -> None:
    # 1 of 1 and 1 of 3 words are found: 2 of 4, where the mean of both would be 2/3.
    scored = score([["door"], ["a", "red", "hat"]], [[["door"]], [["the", "blue", "hat"]]])
    assert scored.whole()[0] == pytest.approx(0.5)
    assert scored.each()[:, 0] == pytest.approx([1, 1 / 3])


def test_rouge_l_takes_the_best_precision_and_the_best_recall() -> None:
    # The longest common parts are "a man sits" of six words, and "a man" of two.
    found = one("a man sits", "a tall man quietly sits down", "a man")
    precision, recall = 3 / 3, 2 / 2
    assert found["ROUGE-L"] == pytest.approx((1 + 1.44) * precision * recall / (recall + 1.44 * precision))
    found = one("a man sits", "a tall man quietly sits down")
    assert found["ROUGE-L"] == pytest.approx(2.44 * 0.5 / (0.5 + 1.44))


def test_cider_as_worked_out_by_hand() -> None:
    scored = score(
        [["red", "door"], ["a", "cat", "sleeps", "here"]],
        [[["red", "door", "opens", "now"]], [["a", "cat", "sleeps", "here"]]],
    )
    # No n-gram is in both items, so all weigh log 2: cosines 2/sqrt(2*4) and 1/sqrt(1*3), two bigrams less.
    first = 10 / 4 * (1 / math.sqrt(2) + 1 / math.sqrt(3)) * math.exp(-(2**2) / (2 * 36))
    assert scored.cider == pytest.approx([first, 10])


def test_a_word_of_every_item_weighs_nothing_in_cider() -> None:
    scored = score([["a", "cat"], ["a", "dog"]], [[["a", "dog"]], [["a", "dog"]]])
    assert scored.cider == pytest.approx([0, 0])


def test_cider_of_one_item_is_zero_even_of_a_copy() -> None:
    found = one("a man opens the door", "a man opens the door")
    assert found["CIDEr"] == 0
    assert found["BLEU-4"] == pytest.approx(1)
    assert found["ROUGE-L"] == pytest.approx(1)


def test_nothing_to_score_is_refused() -> None:
    for candidates, references in ([], []), ([["a"]], [[]]), ([["a"]], []):
        with pytest.raises(ValueError, match="with its references"):
            score(candidates, references)


@pytest.mark.parametrize("items", [1, 2, 40])
def test_the_coco_toolkit_gives_the_same(items: int) -> None:
    bleu = pytest.importorskip("pycocoevalcap.bleu.bleu").Bleu(4)
    rouge = pytest.importorskip("pycocoevalcap.rouge.rouge").Rouge()
    cider = pytest.importorskip("pycocoevalcap.cider.cider").Cider()
    drawn = random.Random(items)

    def text() -> list[str]:
        return drawn.choices(WORDS, k=drawn.choice([0, 1, 3, 9, 25]))

    candidates = [text() for _ in range(items)]
    references = [[text() for _ in range(drawn.choice([1, 3]))] for _ in range(items)]
    said = {number: [" ".join(each)] for number, each in enumerate(candidates)}
    others = {number: [" ".join(each) for each in refs] for number, refs in enumerate(references)}
    bleus, each_bleu = bleu.compute_score(others, said, verbose=0)
    whole_rouge, each_rouge = rouge.compute_score(others, said)
    whole_cider, each_cider = cider.compute_score(others, said)
    scored = score(candidates, references)
    np.testing.assert_allclose(scored.whole(), [*bleus, whole_rouge, whole_cider], rtol=0, atol=1e-9)
    each = np.column_stack([*each_bleu, each_rouge, each_cider])
    np.testing.assert_allclose(scored.each(), each, rtol=0, atol=1e-9)


def test_meteor_is_never_another_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pycocoevalcap")
    monkeypatch.setenv("PATH", "")
    assert meteor.missing() == "not available (needs Java)"


def test_meteor_without_its_package_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert meteor.missing() == "not available (needs pycocoevalcap)"


@NEEDS_JAVA
def test_meteor_gives_a_copy_the_whole_score_and_a_paraphrase_a_part() -> None:
    pytest.importorskip("pycocoevalcap")
    reference = ["a", "man", "quickly", "opens", "the", "door", "of", "the", "kitchen"]
    other = ["a", "person", "opens", "a", "kitchen", "door"]
    copy, paraphrase = meteor.meteor(([each], [[reference]]) for each in (reference, other))
    assert copy == pytest.approx(1)
    assert 0.1 < paraphrase < 0.9


def test_a_meteor_that_ends_early_is_said_and_hangs_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pycocoevalcap")
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\nread line\n")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(meteor.MeteorFailed, match="ended before it gave scores"):
        list(meteor.meteor([([["a"]], [[["a"]]])]))


def test_a_resample_counts_each_item_as_often_as_it_was_drawn() -> None:
    candidates = [["door"], ["a", "red", "hat"]]
    references = [[["door"]], [["the", "blue", "hat"]]]
    scored = score(candidates, references)
    twice = captions.score([candidates[1]] * 2, [references[1]] * 2).whole()
    assert scored.resampled(np.array([[0.0, 2.0]]))[0, :5] == pytest.approx(twice[:5])
