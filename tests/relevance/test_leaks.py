"""What never reaches a judge: later rounds, the summary, which answer was given, whose dialog it is, the video's id."""

import json
import re
from collections import Counter

import pytest

from tests import factories
from tests.relevance.scene import OPTION_TEXTS, item, judge, offer, study

pytestmark = pytest.mark.django_db
ROUNDS = [
    ("Who comes in first?", "A gardener comes in first."),
    ("What does she carry then?", "She carries a rake of copper."),
    ("Where does she put it?", "Behind the violet curtain it goes."),
    ("Does anybody speak at all?", "A parrot speaks twice from afar."),
]


def test_the_page_shows_the_rounds_before_the_question_and_nothing_of_later_ones() -> None:
    dialog = factories.finished_dialog(ROUNDS, "The whole thing is told here.")
    made = study(items=0)
    offer(made, item(made, dialog, round=2))
    one = judge(made)
    got = [one.client.get(f"/join/{made.slug}/").content, one.get().content]
    one.begin()
    got.append(one.get().content)
    for kind, more in (
        ("look", {}),
        ("watched", {"ranges": [[0, 8]]}),
        ("marks", {"marks": one.marks({1}, open_places=3)}),
        ("finish", {"marks": one.marks({1}, open_places=3)}),
    ):
        got.append(json.dumps(one.post(kind, **more)).encode())
    got.append(one.get().content)
    everything = b"\n".join(got).decode()
    for shown in (*ROUNDS[0], ROUNDS[1][0], dialog.video.script.text, *OPTION_TEXTS):
        assert shown in everything, shown
    later = [ROUNDS[1][1], *ROUNDS[2], *ROUNDS[3], "The whole thing is told here."]
    secrets = [*later, dialog.video.image_id, dialog.video.file.name, dialog.video.checksum, "gt_index", "order"]
    for secret in secrets:
        assert secret not in everything, secret


def test_nothing_in_the_page_depends_on_which_answer_was_given() -> None:
    """The same page for two items that differ in nothing but the answer given, once both are shown in one order."""
    pages = []
    for given in (7, 8):
        made = study(items=0, slug=f"same-{given}", name="Same")
        offer(made, item(made, factories.finished_dialog(ROUNDS), round=2, gt_index=given))
        one = judge(made)
        one.begin()
        shown = one.judging
        shown.order = list(range(100))
        shown.save()
        page = one.get().content.decode()
        for own in (one.token, made.slug, made.name, one.participation.worker.participant):
            page = page.replace(own, "")
        pages.append(re.sub(r'nonce="[^"]*"|task_left": [0-9.]+', "", page))
        made.name = f"Other {given}"
        made.save()
    assert pages[0] == pages[1]


def test_the_answer_that_was_given_stands_anywhere() -> None:
    made = study(items=1, people=24)
    places: Counter[int] = Counter()
    for _ in range(24):
        one = judge(made)
        one.begin()
        assert sorted(one.judging.order) == list(range(100))
        places[one.judging.order.index(7) // 10] += 1
    # Of 24 draws over ten pages one page gets 14 or more once in ten million runs.
    assert max(places.values()) < 14
