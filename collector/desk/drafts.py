"""What would a form mean that is not saved yet? What workers would see, who may come, what an hour is worth.

The form is read as the admin reads it, and shown by the templates that workers get. Nothing is stored.
"""

from decimal import Decimal
from typing import Any, TypeVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.html import strip_tags
from django.views.decorators.http import require_POST

from collector.accounts.roles import Deed, allowed
from collector.desk import samples
from collector.studies import kinds
from collector.studies.models import Study
from collector.studies.versions import FROZEN
from hits import hourly, launching, qualifications
from hits.models import Recruitment
from hits.offers import wanted_of
from hits.qualifications import BadQualification

Row = TypeVar("Row", bound=Model)


@allowed(Deed.CHANGE)
@require_POST
def study(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Answer with the pages of workers, and the parts of the form that follow from what was typed."""
    form, errors = _read(request, Study, pk)
    draft = form.instance
    draft.take_on_choices()
    context = {
        "errors": [each for each in errors if each["name"] in FROZEN or not each["is_missing"]],
        "who": _who(draft, form.cleaned_data.get("not_after", [])),
        "recruitments": _offers(draft),
        "hours": _hours(draft),
    }
    parts = render_to_string("desk/study_draft.html", context)
    return JsonResponse({"parts": parts, "pages": samples.pages(request, draft)})


@allowed(Deed.CHANGE)
@require_POST
def recruitment(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """Answer with who may work, what it costs and what stands against a launch."""
    form, errors = _read(request, Recruitment, pk)
    draft, seen = form.instance, None
    if draft.study_id is not None and draft.dialogs_wanted is not None:
        seen = launching.preview(draft, draft.balance)
    shown = [each for each in errors if not each["is_missing"]]
    context = {"errors": shown, "seen": seen, "recruitment": draft}
    if seen:
        context["about"] = kinds.of(draft.study.kind)
    return JsonResponse({"parts": render_to_string("desk/recruitment_draft.html", context), "pages": []})


def _read(request: HttpRequest, model: type[Row], pk: int | None) -> tuple[ModelForm[Row], list[dict[str, Any]]]:
    """Return the form that was typed, and what is wrong in it; a wrong field has what was there before.

    Who may not save it may not try it, either.
    """
    row = None if pk is None else get_object_or_404(model, pk=pk)
    owner = admin.site.get_model_admin(model)
    if not (owner.has_change_permission(request, row) if row else owner.has_add_permission(request)):
        raise PermissionDenied
    form = owner.get_form(request, row, change=row is not None)(request.POST, instance=row)
    columns = {field.name: field.attname for field in model._meta.concrete_fields}
    before = {column: getattr(form.instance, column) for column in columns.values()}
    form.is_valid()
    for name in form.errors:
        if name in columns:
            setattr(form.instance, columns[name], before[columns[name]])
    return form, [error for name in form.errors for error in _errors(form, name)]


def _errors(form: ModelForm[Row], name: str) -> list[dict[str, Any]]:
    field = form.fields.get(name)
    return [
        {
            "name": name,
            "label": field.label if field else "",
            "field_id": form[name].id_for_label if field else "",
            "sentence": strip_tags(sentence),
            "is_missing": error.code == "required",
        }
        for error in form.errors[name].as_data()
        for sentence in error.messages
    ]


def _who(draft: Study, not_after: Any) -> list[str]:
    """Return who may take part, whatever marketplace they come from."""
    said = ["They say that they are 18 or over, and agree to the consent."]
    if draft.collection_id is not None:
        said.append(f"They have fewer than {draft.collection.cap} complete dialogs in {draft.collection}.")
    if before := ", ".join(str(each) for each in not_after):
        said.append(f"They did not take part in {before}.")
    return said


def _offers(draft: Study) -> list[tuple[Recruitment, list[str]]]:
    """Return the study's recruitments, each with who may work by it."""
    found = []
    for each in Recruitment.objects.select_related("study").filter(study_id=draft.pk):
        try:
            said = qualifications.in_words(wanted_of(each), {each.mark_id: launching.NOT_CAPPED})
        except BadQualification as bad:
            said = [str(bad)]
        found.append((each, said))
    return found


def _hours(draft: Study) -> dict[str, Any]:
    """Return what an hour is worth by role, and what others call fair, measured by the role that gets least."""
    times = hourly.measured(draft)
    hours = hourly.hours(draft, times)
    least = min(hour.wage for hour in hours)
    in_vain = hourly.in_vain(draft)
    return {
        "times": times,
        "rows": [*hours, *([in_vain] if in_vain else [])],
        "least": least,
        "advice": next((hour.advice for hour in hours if hour.wage == least), ""),
        "marks": [(mark, least >= mark.wage) for mark in hourly.MARKS],
        "collected_for": hourly.COLLECTED_FOR,
        "pays": any(hour.pay > Decimal(0) for hour in hours),
    }
