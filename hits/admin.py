"""Recruitments, HITs, assignments and the ledger in the admin, and what a person may do about them.

HITs and assignments are read only, since others made them so. Workers stand here by number; only their own page shows
their id.
"""

import json
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from collector.accounts import log, roles
from collector.accounts.roles import Deed
from collector.lib import clock
from collector.lib.admin import ModelAdmin, ReadOnly, number_of, one_of
from collector.lib.text import dollars
from collector.studies.models import Study
from hits import ledger, statement
from hits.forms import RecruitmentForm
from hits.letters_admin import LetterAdmin as LetterAdmin
from hits.models import Assignment, AssignmentState, EntryState, Hit, LedgerEntry, Recruitment, RecruitmentState

LINKS = [("entry", "On the way in"), ("receipt", "By its receipt"), ("person", "By a person")]


class OfRecruitment(admin.RelatedFieldListFilter):
    """Recruitments by name, which holds their study's: in one query."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        """Return all of them."""
        return [(each.pk, str(each)) for each in Recruitment.objects.select_related("study")]


@admin.register(Recruitment)
class RecruitmentAdmin(ModelAdmin[Recruitment]):
    """How workers are found: the offer and its limits; launching has a page of its own."""

    form = RecruitmentForm
    list_display = ["study", "environment", "state", "dialogs_wanted", "budget", "page"]
    list_filter = ["environment", "state"]
    list_select_related = ["study"]
    exclude = ["created_at", "started_at", "state", "why"]
    fieldsets = [
        (None, {"fields": ["study", "environment", "title", "description", "keywords"]}),
        ("Who may work", {
            "fields": ["percent_approved", "number_approved", "countries", "masters", "adult", "required_types",
                       "excluded_types"]
        }),
        ("How many, and for how much", {
            "fields": ["dialogs_wanted", "pilot_dialogs", "open_at_once", "budget", "worker_day_ceiling", "day_ceiling",
                       "wage_reason"]
        }),
        ("Times", {"fields": ["assignment_minutes", "auto_approval_hours", "approve_after_hours"]}),
        ("When it is offered", {"fields": ["offered_days", "offered_from", "offered_to", "offered_zone"]}),
    ]  # fmt: skip

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, str | list[str]]:
        """Begin with the title that the study's workers read, where its form leads here."""
        begun, asked = super().get_changeform_initial_data(request), request.GET.get("study", "")
        study = Study.objects.filter(pk=asked).first() if asked.isascii() and asked.isdecimal() else None
        if study:
            begun.setdefault("title", study.title)
        return begun

    @admin.display(description="launch and progress")
    def page(self, recruitment: Recruitment) -> SafeString:
        """Return the link to the page that launches."""
        return format_html('<a href="{}">Open</a>', f"/desk/recruiting/{recruitment.pk}/")

    def save_model(self, request: HttpRequest, obj: Recruitment, form: object, change: bool) -> None:
        """Note when it was made."""
        if not change:
            obj.created_at = clock.now()
        super().save_model(request, obj, form, change)

    def get_readonly_fields(self, request: HttpRequest, obj: Recruitment | None = None) -> list[str]:
        """Keep what a running offer is built on as it is."""
        if obj is None or obj.state == RecruitmentState.DRAFT:
            return []
        return ["study", "environment", "title", "description", "keywords", "percent_approved", "number_approved",
                "countries", "masters", "adult", "required_types", "excluded_types", "assignment_minutes",
                "auto_approval_hours"]  # fmt: skip

    def has_delete_permission(self, request: HttpRequest, obj: Recruitment | None = None) -> bool:
        """Only a draft is deleted."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or obj.state == RecruitmentState.DRAFT)

    def response_add(
        self, request: HttpRequest, obj: Recruitment, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Go on to the page that launches."""
        return redirect(f"/desk/recruiting/{obj.pk}/")


class AssignmentInline(ReadOnly, admin.TabularInline[Assignment, Hit]):
    """Who has taken a HIT, and what came of it."""

    model = Assignment
    fields = ["worker", "state", "decision", "first_seen_at", "submitted_at", "auto_approval_at"]
    show_change_link = True


@admin.register(Hit)
class HitAdmin(ReadOnly, ModelAdmin[Hit]):
    """The seats that were offered, the newest first."""

    list_display = ["id", "recruitment", "state", "reward_in_dollars", "pending", "submitted", "expires_at",
                    "trouble"]  # fmt: skip
    list_filter = ["state", "environment", ("recruitment", OfRecruitment)]
    list_select_related = ["recruitment__study"]
    search_fields = ["=external_id"]
    search_help_text = "The marketplace's id of a HIT."
    ordering = ["-pk"]
    inlines = [AssignmentInline]
    fields = ["recruitment", "environment", "endpoint", "state", "external_id", "reward", "planned_at", "published_at",
              "expires_at", "synced_at", "pending", "trouble"]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Hit]:
        """Count what was submitted in one query."""
        theirs = Assignment.objects.exclude(state=AssignmentState.SEEN)
        return super().get_queryset(request).annotate(submitted=number_of(theirs, "hit"))

    @admin.display(description="reward", ordering="reward")
    def reward_in_dollars(self, hit: Hit) -> str:
        """Return the reward with its currency."""
        return dollars(hit.reward)

    @admin.display(description="submitted")
    def submitted(self, hit: Hit) -> int:
        """Return how many submissions it has."""
        return int(getattr(hit, "submitted", 0))


@admin.register(Assignment)
class AssignmentAdmin(ReadOnly, ModelAdmin[Assignment]):
    """Who took a seat, whether it was submitted, what was decided, by whom, and what is kept of it."""

    list_display = ["id", "whose", "study", "outcome", "state", "decision", "submitted_at",
                    "auto_approval_at"]  # fmt: skip
    list_filter = ["state", "decision", one_of("linked_by", LINKS), "hit__environment",
                   ("hit__recruitment", OfRecruitment), "submitted_at"]  # fmt: skip
    list_select_related = ["hit__recruitment__study", "participation"]
    search_fields = ["=external_id"]
    search_help_text = "The marketplace's id of an assignment."
    ordering = ["-pk"]
    fields = [
        "external_id", "hit", "whose", "participation", "linked_by", "state", "first_seen_at", "submitted_at",
        "auto_approval_at", "approve_at", "decision", "decided_at", "decided_by", "decision_note", "kept",
    ]  # fmt: skip

    def get_fields(self, request: HttpRequest, obj: Assignment | None = None) -> list[Any]:
        """Leave the marketplace's own words, which lead to a person there, to who may see workers' ids."""
        may_see = roles.may(request.user, Deed.REVEAL)
        return [name for name in self.fields if may_see or name not in ("external_id", "kept")]

    def get_search_fields(self, request: HttpRequest) -> list[str]:
        """Search by an assignment's id for who may see it."""
        return self.search_fields if roles.may(request.user, Deed.REVEAL) else []

    @admin.display(description="worker", ordering="worker")
    def whose(self, assignment: Assignment) -> SafeString:
        """Return the link to the worker's page."""
        address = reverse("worker", args=[assignment.worker_id])
        return format_html('<a href="{}">worker {}</a>', address, assignment.worker_id)

    @admin.display(description="recruitment", ordering="hit__recruitment")
    def study(self, assignment: Assignment) -> str:
        """Return whose offer it was."""
        return str(assignment.hit.recruitment)

    @admin.display(description="outcome", ordering="participation__outcome")
    def outcome(self, assignment: Assignment) -> str:
        """Say how the participation ended."""
        part = assignment.participation
        return "not known" if part is None else part.get_outcome_display() or "under way"

    @admin.display(description="as the marketplace gave it")
    def kept(self, assignment: Assignment) -> SafeString:
        """Show what the marketplace last said of it, but for the ids, which are kept apart."""
        if not assignment.document:
            return format_html("{}", "Nothing yet: it is not submitted.")
        return format_html("<pre>{}</pre>", json.dumps(assignment.document, indent=2, ensure_ascii=False))


@admin.register(LedgerEntry)
class LedgerAdmin(ReadOnly, ModelAdmin[LedgerEntry]):
    """Append only: amounts and reasons are never edited; a person may try again, or say what was paid by hand."""

    list_display = ["id", "study", "whose", "kind", "dollars", "colour", "why", "at", "trouble"]
    list_filter = ["state", "kind", "study", "at"]
    list_select_related = ["study", "worker"]
    actions = ["try_again", "paid_by_hand", "download"]
    actions_selection_counter = True

    def has_retry_permission(self, request: HttpRequest) -> bool:
        """Tell who sees this action."""
        return roles.may(request.user, Deed.RETRY)

    def has_paid_by_hand_permission(self, request: HttpRequest) -> bool:
        """Tell who sees this action."""
        return roles.may(request.user, Deed.PAID_BY_HAND)

    def has_load_ids_permission(self, request: HttpRequest) -> bool:
        """Tell who sees this action."""
        return roles.may(request.user, Deed.LOAD_IDS)

    @admin.display(description="amount", ordering="amount")
    def dollars(self, entry: LedgerEntry) -> str:
        """Return the amount with its currency."""
        return dollars(entry.amount)

    @admin.display(description="worker", ordering="worker")
    def whose(self, entry: LedgerEntry) -> SafeString:
        """Return the link to the worker's page."""
        return format_html('<a href="/desk/workers/{}/">{}</a>', entry.worker_id, entry.worker)

    @admin.display(description="state", ordering="state")
    def colour(self, entry: LedgerEntry) -> SafeString:
        """Return the state, marked so that trouble is seen."""
        mark = {EntryState.FAILED: "✗", EntryState.UNKNOWN: "?", EntryState.PAID: "✓"}.get(EntryState(entry.state), "")
        return format_html("<strong>{}</strong> {}", mark, entry.get_state_display())

    @admin.action(description="Try failed payments again", permissions=["retry"])
    def try_again(self, request: HttpRequest, entries: QuerySet[LedgerEntry]) -> None:
        """Plan failed payments again."""
        failed = list(entries.filter(state=EntryState.FAILED))
        for entry in failed:
            ledger.retry(entry, _person(request))
            _log(request, Deed.RETRY, entry)
        self.message_user(request, f"{len(failed)} failed payments are tried again.")

    @admin.action(description="I have paid these by hand", permissions=["paid_by_hand"])
    def paid_by_hand(self, request: HttpRequest, entries: QuerySet[LedgerEntry]) -> None:
        """Mark entries as paid outside the platform."""
        moment = f"{clock.now():%Y-%m-%d}"
        paid = [entry for entry in entries if ledger.paid_by_hand(entry, _person(request), moment)]
        for entry in paid:
            _log(request, Deed.PAID_BY_HAND, entry)
        self.message_user(request, f"{len(paid)} entries are marked as paid by hand.")

    @admin.action(description="Download as CSV (holds worker ids, and is logged)", permissions=["load_ids"])
    def download(self, request: HttpRequest, entries: QuerySet[LedgerEntry]) -> HttpResponse:
        """Return the chosen entries as a statement."""
        response = HttpResponse(
            content_type="text/csv", headers={"Content-Disposition": "attachment; filename=statement.csv"}
        )
        number = statement.write(entries.select_related("worker", "study").order_by("pk"), response)  # type: ignore[arg-type]
        log.write(request, Deed.LOAD_IDS, f"a statement, {number} of the ledger's entries")
        return response

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:
        """Say in the page's title what is owed and paid in all."""
        sums = dict(LedgerEntry.objects.values_list("state").annotate(sum=Sum("amount")).order_by())
        said = ", ".join(f"{dollars(sums[state])} {state.label.lower()}" for state in EntryState if state in sums)
        return super().changelist_view(request, {"subtitle": said or "Nothing is owed."} | (extra_context or {}))


def _log(request: HttpRequest, deed: Deed, entry: LedgerEntry) -> None:
    what = f"ledger entry {entry.pk} of worker {entry.worker_id}"
    log.write(request, deed, what, entry.study_id, dollars(entry.amount))


def _person(request: HttpRequest) -> User:
    return User.objects.get(username=request.user.get_username())
