"""Does the form of a study say what each field does, in an order in which it can be gone down once?"""

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import reverse

from collector.studies import defaults, fieldsets
from collector.studies.models import Collection, Kind, Study, StudyVideo
from hits.models import Recruitment
from tests import factories

pytestmark = pytest.mark.django_db


def helps(model: type[Model], kind: str = Kind.DIALOG) -> dict[str, str]:
    """Return the help of each field of the form by which a new row is made."""
    request = RequestFactory().get("/", {"kind": kind})
    request.user = User.objects.filter(is_superuser=True).first() or User.objects.create_superuser("owner")
    owner = admin.site.get_model_admin(model)
    forms = [owner.get_form(request), *(each.get_formset(request).form for each in owner.get_inline_instances(request))]
    return {name: str(field.help_text) for form in forms for name, field in form.base_fields.items()}


@pytest.mark.parametrize(("model", "kind"), [
    *((Study, kind) for kind in Kind.values), (Collection, Kind.DIALOG),
    (StudyVideo, Kind.DIALOG), (Recruitment, Kind.DIALOG),
])  # fmt: skip
def test_every_field_says_in_a_sentence_what_it_does(model: type[Model], kind: str) -> None:
    said = helps(model, kind)
    assert len(said) > 1
    without = [name for name, text in said.items() if not text.endswith((".", "?", ")")) or len(text) < 15]
    assert without == [], "say what these do in the form's help_texts"


def test_no_field_of_a_study_is_missing_from_its_form() -> None:
    shown = {name for kind in Kind for _, group in fieldsets.of(kind) for name in group["fields"]}
    made_by_us = {"id", "created_at"}
    assert shown == {field.name for field in (*Study._meta.fields, *Study._meta.many_to_many)} - made_by_us


def test_a_kind_is_not_asked_for_what_it_has_no_use_for() -> None:
    assert {"rounds", "answerer_instructions", "longest_wait_minutes"} <= helps(Study, Kind.DIALOG).keys()
    assert not {"rounds", "answerer_instructions", "longest_wait_minutes"} & helps(Study, Kind.SUMMARY).keys()
    assert "example" in helps(Study, Kind.SUMMARY)
    assert not {"split", "summary_bonus", "summary_minutes"} & helps(Study, Kind.RELEVANCE).keys()


@pytest.mark.parametrize(("model", "name", "value", "words"), [
    (Study, "rounds", 10, "AVSD, VisDial: 10"),
    (Study, "language", "en", "AVSD: English"),
    (Study, "frames_shown", 3, "AVSD: three"),
    (Study, "answerer_sees_script", True, "AVSD: yes"),
    (Study, "dialogs_per_video", 1, "AVSD: 1 dialog"),
    (Collection, "cap", 200, "AVSD: 200"),
    (Recruitment, "percent_approved", 95, "AVSD: 95"),
    (Recruitment, "number_approved", 500, "AVSD: 500"),
    (Recruitment, "countries", "US, CA", "AVSD: North America"),
])  # fmt: skip
def test_what_avsd_chose_is_said_and_is_the_default(model: type[Model], name: str, value: object, words: str) -> None:
    assert words in helps(model)[name]
    assert model._meta.get_field(name).get_default() == value  # type: ignore[union-attr]


def test_four_summaries_and_four_judges_are_said_and_are_the_default() -> None:
    assert "4 summaries (appendix J); Visual Dialog Challenge 2018: 4 people" in helps(Study)["dialogs_per_video"]
    assert {each["dialogs_per_video"] for each in defaults.OF_KIND.values()} == {4}


def test_the_form_of_another_kind_begins_with_its_texts(admin_client: Client) -> None:
    form = admin_client.get("/admin/studies/study/add/?kind=summary").context["adminform"].form
    assert form["kind"].value() == "summary"
    assert form["title"].value() == defaults.SUMMARY_STUDY["title"]
    assert form["minutes"].value() == str(defaults.SUMMARY_STUDY["minutes"])
    assert form["device_check"].value() == "on"
    form = admin_client.get("/admin/studies/study/add/?kind=dialog&language=es").context["adminform"].form
    assert form["language"].value() == "es"
    assert form["instructions"].value() == defaults.of(Kind.DIALOG, "es")["instructions"] != defaults.INSTRUCTIONS
    assert admin_client.get("/admin/studies/study/add/?kind=none").status_code == 200


def test_what_a_kind_is_not_asked_for_is_kept() -> None:
    study = factories.study(kind=Kind.SUMMARY, rounds=7)
    request = RequestFactory().post("/", {"name": "Another name"})
    request.user = User.objects.create_superuser("owner")
    form = admin.site.get_model_admin(Study).get_form(request, study, change=True)(request.POST, instance=study)
    form.is_valid()
    assert form.instance.name == "Another name"
    assert form.instance.rounds == 7


def test_rows_of_videos_say_what_they_do() -> None:
    assert {"video", "wanted", "is_held"} <= helps(Study).keys()
    assert StudyVideo._meta.get_field("wanted").help_text == "", "the form alone says it"


def test_more_videos_than_fit_into_a_form_have_a_list_of_their_own(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("collector.studies.admin.MOST_ROWS", 2)
    study, path = factories.study(), "/admin/studies/study/{}/change/"
    rows = [StudyVideo.objects.create(study=study, video=factories.video()) for _ in range(2)]
    assert "study_videos-1-wanted" in admin_client.get(path.format(study.pk)).content.decode()
    rows.append(StudyVideo.objects.create(study=study, video=factories.video()))
    shown = admin_client.get(path.format(study.pk)).content.decode()
    assert "study_videos-1-wanted" not in shown
    listed = f"/admin/studies/studyvideo/?study__id__exact={study.pk}"
    assert f'href="{listed}"' in shown
    assert all(row.video.image_id in admin_client.get(listed).content.decode() for row in rows)
    StudyVideo.objects.update(is_held=True)
    chosen = {"action": "release", "_selected_action": [rows[0].pk]}
    said = admin_client.post("/admin/studies/studyvideo/", chosen, follow=True).content.decode()
    assert "1 video may be given again." in said
    assert list(StudyVideo.objects.filter(is_held=False)) == [rows[0]]


@pytest.mark.parametrize("typed", ["number", " SCN01 "])
def test_a_row_of_a_study_takes_a_video_by_its_number_and_by_its_id(admin_client: Client, typed: str) -> None:
    study, video = factories.study(), factories.video(image_id="SCN01")
    row = {"study": study.pk, "video": video.pk if typed == "number" else typed, "wanted": 1}
    admin_client.post(reverse("admin:studies_studyvideo_add"), row)
    assert list(study.study_videos.values_list("video", "wanted")) == [(video.pk, 1)]


@pytest.mark.parametrize(("typed", "said"), [
    ("SCN99", "No video has the id SCN99. Import it, or look one up by the glass."),
    ("99999999", "Select a valid choice."), ("", "This field is required."),
])  # fmt: skip
def test_a_video_that_is_not_there_is_refused_in_words(admin_client: Client, typed: str, said: str) -> None:
    row = {"study": factories.study().pk, "video": typed, "wanted": 1}
    assert said in admin_client.post(reverse("admin:studies_studyvideo_add"), row).content.decode()
    assert not StudyVideo.objects.exists()


@pytest.mark.parametrize(("asked", "begins"), [("the study", "Watch it together"), ("9" * 30, ""), ("²", ""), ("", "")])
def test_a_recruitment_begins_with_its_studys_title(admin_client: Client, asked: str, begins: str) -> None:
    study = factories.study(title="Watch it together")
    answer = admin_client.get(reverse("admin:hits_recruitment_add"), {"study": study.pk if begins else asked})
    assert (answer.context["adminform"].form["title"].value() or "") == begins
