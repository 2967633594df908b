"""Krippendorff's alpha, against numbers worked by hand, and the shares of people."""

from collections import Counter

import pytest
from django.contrib.auth.models import User

from chat.models import Dialog
from collector.relevance import agreement
from collector.summaries.models import Viewing
from tests.relevance.scene import judge, study


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        # Two coders, ten units (Krippendorff 2011, section B): 14 zeros, 6 ones, 4 units mismatched.
        # 1 - 19 * 4 / (14 * 6) = 0.095...
        ([(0, 2)] * 5 + [(1, 1)] * 4 + [(2, 0)], 1 - 19 * 4 / 84),
        # Four coders: every unit of one mind.
        ([(4, 0), (0, 4)], 1.0),
        # Three coders; the last unit has one value and counts for nothing: ones 4, others 5, observed 3 * 2/2.
        ([(2, 1), (1, 2), (1, 2), (1, 0)], 1 - 8 * 3 / 20),
        # Missing values: units of two, three and four: ones 2+1+1 = 4, others 0+2+3 = 5,
        # observed 0 + 2/2 + 3/3 = 2; 1 - 8 * 2 / 20 = 0.2.
        ([(2, 0), (1, 2), (1, 3)], 0.2),
        # Everybody against everybody: below chance.
        ([(1, 1), (1, 1)], 1 - 3 * 2 / 4),
    ],
)
def test_alpha_is_what_is_worked_by_hand(units: list[tuple[int, int]], expected: float) -> None:
    assert agreement.alpha(Counter(units)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("units", [[], [(3, 0), (2, 0)], [(0, 4)], [(1, 0), (0, 1)]])
def test_alpha_is_not_defined_without_two_marks_that_can_be_compared(units: list[tuple[int, int]]) -> None:
    assert agreement.alpha(Counter(units)) is None


@pytest.mark.django_db
def test_relevance_is_the_share_of_people_who_finished() -> None:
    made = study(people=4)
    for correct in ({7, 1}, {7, 2}, {7}, {1}):
        assert judge(made).judge(correct)["type"] == "over"
    left = judge(made)
    left.begin()
    assert left.now().why == "no_video_left"
    simulated = judge(made, is_simulated=True)
    simulated.judge({50})
    (found,) = agreement.judged(made.pk)
    assert (found.people, found.relevances[7], found.relevances[1], found.relevances[2]) == (4, 0.75, 0.5, 0.25)
    assert sum(found.correct) == 6
    (programs,) = agreement.judged(made.pk, simulated=True)
    assert (programs.people, programs.relevances[50]) == (1, 1.0)
    assert agreement.in_words([found]).endswith("found correct by 75 % on average.")
    assert "not defined" in agreement.in_words([programs])


@pytest.mark.django_db
def test_what_has_left_the_data_counts_for_nothing(admin_user: User) -> None:
    made = study(people=2)
    for correct in ({7}, {1}):
        judge(made).judge(correct)
    first = Viewing.objects.filter(pk=Viewing.objects.earliest("pk").pk)
    first.take_out("They marked everything in a second.", admin_user)
    (found,) = agreement.judged(made.pk)
    assert (found.people, found.relevances[7], found.relevances[1]) == (1, 0.0, 1.0)
    Dialog.objects.all().take_out("Off the subject.", admin_user)
    assert list(agreement.judged(made.pk)) == []
