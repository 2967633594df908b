"""Who may work: presets, words, JSON, and what a marketplace made of it."""

import pytest

from hits import qualifications
from hits.qualifications import BadQualification, Wanted, differences, in_words, requirements


def test_the_paper_s_qualifications_are_the_default_and_hide_the_offer_from_others() -> None:
    asked = requirements(Wanted(), "live")
    assert [(each["QualificationTypeId"], each["Comparator"]) for each in asked] == [
        ("000000000000000000L0", "GreaterThanOrEqualTo"),
        ("00000000000000000040", "GreaterThanOrEqualTo"),
        ("00000000000000000071", "In"),
    ]
    assert [each.get("IntegerValues") for each in asked[:2]] == [[95], [500]]
    assert asked[2]["LocaleValues"] == [{"Country": "US"}, {"Country": "CA"}]
    assert {each["ActionsGuarded"] for each in asked} == {"DiscoverPreviewAndAccept"}


def test_a_cap_or_an_exclusion_is_a_mark_that_is_not_held() -> None:
    (asked,) = requirements(Wanted(None, None, (), excluded=("CAPPED",)), "live")
    assert asked["Comparator"] == "DoesNotExist", "a comparison would lock out everybody who holds no mark"


@pytest.mark.parametrize("environment", ["live", "sandbox", "local"])
def test_each_environment_has_its_own_masters(environment: str) -> None:
    asked = requirements(Wanted(masters=True, adult=True, required=("PILOT",)), environment)
    assert asked[3]["QualificationTypeId"] == qualifications.MASTERS[environment]
    assert asked[4]["IntegerValues"] == [1]
    assert asked[5] == {
        "QualificationTypeId": "PILOT", "Comparator": "Exists", "ActionsGuarded": "DiscoverPreviewAndAccept"
    }  # fmt: skip


def test_everything_is_said_in_words() -> None:
    said = " ".join(in_words(Wanted(masters=True, adult=True, required=("PILOT",), excluded=("CAPPED",))))
    for part in ("95 %", "500", "US or CA", "Masters", "adult", "hold the qualification PILOT", "do not hold"):
        assert part in said
    assert in_words(Wanted(None, None, ())) == ["Everybody may work."]
    assert "counts as 100 %" in " ".join(in_words(Wanted(number_approved=None)))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"percent_approved": 101}, "101 is not between"),
        ({"number_approved": -1}, "below 0"),
        ({"countries": ("USA",)}, "'USA' is no country code"),
        ({"countries": tuple(f"{a}{b}" for a in "ABCDEF" for b in "ABCDEF")}, "36 are more than the 30"),
        ({"excluded": ("no id!",)}, "'no id!' is no id"),
        ({"excluded": tuple(f"X{n}" for n in range(8))}, "11 requirements are more"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_sentence(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadQualification, match=sentence):
        Wanted(**fields)  # type: ignore[arg-type]


def test_what_a_marketplace_stored_is_compared_whatever_the_order() -> None:
    asked = requirements(Wanted(), "live")
    stored = [dict(each, LocaleValues=[{"Country": "CA"}, {"Country": "US"}]) if "LocaleValues" in each else each
              for each in reversed(asked)]  # fmt: skip
    assert differences(asked, stored) == []
    assert "is not there" in differences(asked, asked[1:])[0]
    assert "was not asked for" in differences(asked[1:], asked)[0]
    changed = [dict(asked[0], IntegerValues=[90]), *asked[1:]]
    assert "[90]" in differences(asked, changed)[0]
