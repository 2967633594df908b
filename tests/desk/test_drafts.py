"""Does a form that is not saved yet show what it would mean, to staff only, and leave nothing behind?"""

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from collector.lib import markdown
from collector.studies import defaults
from collector.studies.models import Kind, Study, StudyVersion
from hits.models import Recruitment
from tests import factories
from tests.hits import recruiting

pytestmark = pytest.mark.django_db
NEW = "/desk/drafts/study/do/"
HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(2)> [tap](javascript:alert(3)) **bold**"


def typed(client: Client, path: str, **changed: Any) -> dict[str, Any]:
    """Return the fields of an admin form, some of them changed."""
    form = client.get(path).context["adminform"].form
    fields = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in (fields | changed).items() if value is not None and value is not False}


def one(study: Study) -> str:
    """Return where the form of a study is sent as it is typed."""
    return f"/desk/drafts/study/{study.pk}/do/"


def draft(client: Client, study: Study | None = None, kind: str = Kind.DIALOG, **changed: Any) -> dict[str, Any]:
    """Return what the server makes of a study's form with some fields changed: parts, and pages by title."""
    page = f"/admin/studies/study/{study.pk}/change/" if study else f"/admin/studies/study/add/?kind={kind}"
    answer = client.post(one(study) if study else NEW, typed(client, page, **changed))
    assert answer.status_code == 200
    found = answer.json()
    return {"parts": found["parts"], "fields": {page["title"]: page["fields"] for page in found["pages"]}} | {
        page["title"]: page["html"] for page in found["pages"]
    }


# Who may, and what stays


def test_only_who_may_change_studies_sees_a_draft(client: Client) -> None:
    study = factories.study()
    assert client.post(one(study)).status_code == 302
    person = User.objects.create_user("person", is_staff=True)
    client.force_login(person)
    for role, answer in (("viewer", 403), ("reviewer", 403), ("researcher", 200)):
        person.groups.add(Group.objects.get(name=role))
        assert client.post(one(study)).status_code == answer
        assert client.post(NEW).status_code == answer
        form = client.get(f"/admin/studies/study/{study.pk}/change/").content.decode()
        assert ("draft.js" in form) == (answer == 200), "who only reads it asks for no draft"


def test_a_draft_is_posted_from_our_own_pages(admin_user: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin_user)
    assert client.post(NEW).status_code == 403
    assert client.get(NEW).status_code == 405
    assert client.post("/desk/drafts/study/4711/do/", headers={"X-CSRFToken": "none"}).status_code == 403


def test_nothing_of_a_draft_is_stored(admin_client: Client) -> None:
    study, other = factories.study(title="As it is"), factories.study()
    found = draft(admin_client, study, title="As it would be", not_after=[other.pk])
    assert "As it would be" in found["Invitation"]
    assert f"They did not take part in {other}." in found["parts"]
    study.refresh_from_db()
    assert (study.title, study.not_after.count()) == ("As it is", 0)
    assert Study.objects.count() == 2
    draft(admin_client, name="Another", slug="another")
    assert Study.objects.count() == 2
    assert not StudyVersion.objects.exists()


# What workers would see


def test_both_roles_read_the_texts_as_they_are_typed(admin_client: Client) -> None:
    texts = {f"{role}_instructions": f"What the *{role}* does." for role in ("questioner", "answerer", "summary")}
    found = draft(admin_client, factories.study(), rounds=7, **texts)
    for role in ("questioner", "answerer", "summary"):
        said = markdown.render(texts[f"{role}_instructions"])
        assert said in found[role.title()], "rendered as workers get it"
        assert found["fields"][role.title()] == [f"{role}_instructions"]
    assert markdown.render(texts["answerer_instructions"]) in found["Invitation"]
    assert "7 questions and answers" in found["Before accepting"]
    assert "Round 7 of 7" in found["Summary"]


def test_the_consent_is_that_of_the_typed_fields(admin_client: Client) -> None:
    found = draft(admin_client, factories.study(), institution="University of <Here>", reward="3.25", withdrawal_days=5)
    assert "<dd>University of &lt;Here&gt;</dd>" in found["Invitation"]
    assert "for 5 days after the end" in found["Invitation"]
    assert "$3.25 for your part of a whole dialog." in found["Invitation"]


def test_hostile_texts_stay_texts(admin_client: Client) -> None:
    roles = [f"{name}_instructions" for name in ("questioner", "answerer", "summary")]
    names = ["title", "instructions", *roles, "content_warning", "institution", "purpose", "risks", "pay_note"]
    found = draft(admin_client, factories.study(), **dict.fromkeys(names, HOSTILE))
    for title in ("Before accepting", "Invitation", "Questioner", "Answerer", "Summary"):
        html = found[title]
        assert "<script>alert" not in html
        assert "<img src=x" not in html
        assert 'href="javascript:' not in html
    assert "alert(1)" in found["Invitation"], "it is shown as it was typed"


def test_a_quiz_is_shown_as_it_would_be_asked(admin_client: Client) -> None:
    found = draft(admin_client, factories.study(), quiz="What is heard?\n- Rain\n* A knock", quiz_least_right=1)
    assert "What is heard?" in found["Quiz"]
    assert "Right answers needed: 1 of 1." in found["Quiz"]
    assert "Quiz" not in draft(admin_client, factories.study())


@pytest.mark.parametrize(("kind", "words"), [(Kind.SUMMARY, "One video, one summary"), (Kind.RELEVANCE, "100 answers")])
def test_another_kind_has_its_own_pages_and_texts(admin_client: Client, kind: str, words: str) -> None:
    found = draft(admin_client, kind=kind)
    assert words in found["Before accepting"]
    assert set(found["fields"]) == {"Before accepting", "Invitation", "Task"}
    said = str(defaults.OF_KIND[kind]["summary_instructions"])
    assert markdown.render(said) in found["Task"]
    assert "Watcher" in draft(admin_client, kind=kind, reward="1.00")["parts"]


def test_a_kind_that_was_only_chosen_brings_its_texts(admin_client: Client) -> None:
    found = draft(admin_client, kind=Kind.DIALOG)
    assert defaults.TITLE in found["Before accepting"]
    fields = typed(admin_client, "/admin/studies/study/add/", kind=Kind.SUMMARY)
    page = admin_client.post(NEW, fields).json()["pages"][0]
    assert str(defaults.SUMMARY_STUDY["title"]) in page["html"], "as saving would give it"


def test_the_pages_are_in_the_language_that_is_typed_and_the_form_in_english(admin_client: Client) -> None:
    found = draft(admin_client, factories.study(), language="es", reward="1.00")
    assert '<html lang="es"' in found["Invitation"]
    assert "What an hour is worth" in found["parts"]
    assert "You are the" in draft(admin_client, factories.study())["Questioner"]
    assert "You are the" not in found["Questioner"]


def test_texts_speak_of_as_many_frames_as_would_be_shown(admin_client: Client) -> None:
    _, one_frame, three = next(each for each in defaults.OF_FRAMES if each[0] == "questioner_instructions")
    of_one, of_three = markdown.render(one_frame), markdown.render(three)
    assert of_three in draft(admin_client)["Questioner"]
    assert of_one in draft(admin_client, frames_shown=1)["Questioner"]


# What is wrong


def test_what_is_wrong_is_said_and_shows_what_was_there_before(admin_client: Client) -> None:
    study = factories.study(quiz="What?\n- a\n* b", rounds=9)
    found = draft(admin_client, study, quiz="What?\n- a\n- b", rounds="many", minutes=0)
    assert '<a href="#id_quiz">Quiz</a>: Line 1, &quot;What?&quot;: 0 options are marked as right.' in found["parts"]
    assert '<a href="#id_rounds">Rounds</a>: Enter a whole number.' in found["parts"]
    assert "A task takes more than no time: give 1 or more." in found["parts"]
    assert "Right answers needed: 1 of 1." in found["Quiz"]
    assert "9 questions and answers" in found["Before accepting"]


def test_a_new_form_is_not_blamed_for_what_is_not_typed_yet(admin_client: Client) -> None:
    assert "errorlist" not in draft(admin_client)["parts"]
    assert '<a href="#id_title">Title</a>: This field is required.' in draft(admin_client, title="")["parts"]


# What it is worth, and who may come


def test_an_hour_is_reckoned_by_role_and_held_against_what_others_call_fair(admin_client: Client) -> None:
    found = draft(admin_client, factories.study(), reward="3.40", summary_bonus="0.85", minutes=15)["parts"]
    assert '<th scope="row">Questioner</th><td>$4.25</td><td>17</td><td><strong>$15.00</strong>' in found
    assert '<th scope="row">Answerer</th><td>$3.40</td><td>17</td><td><strong>$12.00</strong>' in found
    assert "$12.00 an hour is below the target of $15." in found
    assert "reached:</span> $12.00, what Prolific recommends" in found, "by the role that gets least"
    assert "below:</span> $15.00" in found
    assert "do not say what was paid" in found


def test_a_study_that_pays_nothing_is_told_so(admin_client: Client) -> None:
    assert "Nothing is paid here" in draft(admin_client, factories.study())["parts"]


def test_the_form_says_in_words_whom_its_recruitments_ask_for(admin_client: Client) -> None:
    study = recruiting.study()
    assert "in a recruitment, once the study is saved" in draft(admin_client, study)["parts"]
    made = recruiting.recruitment(study, masters=True)
    found = draft(admin_client, study)["parts"]
    assert f'href="/admin/hits/recruitment/{made.pk}/change/"' in found
    assert "At least 95 % of their work was approved." in found
    Recruitment.objects.update(countries="Narnia")
    assert "NARNIA" in draft(admin_client, study)["parts"], "what is wrong there is said here"


def test_the_form_of_a_recruitment_says_who_may_work_and_what_it_costs(admin_client: Client) -> None:
    made = recruiting.recruitment(recruiting.study())
    fields = typed(admin_client, f"/admin/hits/recruitment/{made.pk}/change/", dialogs_wanted=10, budget="20")
    found = admin_client.post(f"/desk/drafts/recruitment/{made.pk}/do/", fields | {"countries": "US"}).json()
    assert found["pages"] == []
    assert "They gave an address in US;" in found["parts"]
    assert "Expected for 10 dialogs wanted" in found["parts"]
    assert "is over the study&#x27;s budget of $20.00." in found["parts"]
    made.refresh_from_db()
    assert (made.dialogs_wanted, made.budget) == (5, Decimal(200))


def test_a_recruitment_without_a_study_says_what_is_lacking(admin_client: Client) -> None:
    fields = typed(admin_client, "/admin/hits/recruitment/add/")
    found = admin_client.post("/desk/drafts/recruitment/do/", fields).json()["parts"]
    assert "Choose the study and say how many are wanted" in found
    assert "errorlist" not in found
