"""Studies in the admin: what is asked, how far it is, and the invitation link."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.forms import BaseInlineFormSet, CheckboxSelectMultiple, ModelForm
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from collector.lib import clock
from collector.lib.admin import ModelAdmin, ReadOnly, one_of
from collector.lib.text import many
from collector.studies import defaults, fieldsets, videos
from collector.studies.forms import CollectionForm, StudyForm, StudyVideoForm
from collector.studies.models import Collection, Kind, Participation, Study, StudyVideo, Worker

MARKETPLACES = [("mturk", "Mechanical Turk"), ("link", "Invitation link")]
MOST_ROWS = 100
"""So many videos stand in the form of their study; more have a list of their own, or it would be too large to send."""
ENVIRONMENTS = [("live", "Live"), ("sandbox", "Sandbox"), ("local", "Local")]


@admin.register(Collection)
class CollectionAdmin(ModelAdmin[Collection]):
    """Datasets."""

    form = CollectionForm
    list_display = ["name", "cap"]


class NamedFields(BaseInlineFormSet[StudyVideo, Study, ModelForm[StudyVideo]]):
    """Rows whose fields have names of their own: a column's head names none for who does not see it."""

    def add_fields(self, form: Any, index: int | None) -> None:
        """Name every field, that for deleting included."""
        super().add_fields(form, index)
        for field in form.fields.values():
            field.widget.attrs["aria-label"] = field.label


class StudyVideoInline(admin.TabularInline[StudyVideo, Study]):
    """The videos of a study."""

    model = StudyVideo
    form = StudyVideoForm
    formset = NamedFields
    extra = 0
    raw_id_fields = ["video"]
    readonly_fields = ["started"]


@admin.register(Study)
class StudyAdmin(ModelAdmin[Study]):
    """What a researcher asks for. Saving brings the video rows in line with split and number."""

    list_display = [
        "name",
        "kind",
        "state",
        "collection",
        "begun",
        "invitation",
        "desk",
    ]
    list_filter = ["kind", "state", "collection"]
    form = StudyForm
    raw_id_fields = ["example"]
    list_select_related = ["collection"]
    prepopulated_fields = {"slug": ["name"]}
    inlines = [StudyVideoInline]
    save_as = True

    def get_fieldsets(self, request: HttpRequest, obj: Study | None = None) -> Any:
        """Leave out what the study's kind has no use for."""
        return fieldsets.of(_kind(request, obj))

    def get_inlines(self, request: HttpRequest, obj: Study | None) -> Any:
        """Leave out the rows of videos where they are too many for a form."""
        has_many = obj is not None and obj.study_videos.order_by()[MOST_ROWS:].exists()
        return [] if has_many else self.inlines

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        """Sum what the rows of its videos count: no dialog is read."""
        mine = StudyVideo.objects.filter(study=OuterRef("pk")).order_by().values("study")
        started = Subquery(mine.annotate(sum=Sum("started")).values("sum"))
        return super().get_queryset(request).annotate(started=Coalesce(started, 0))

    @admin.display(description="complete or under way", ordering="started")
    def begun(self, study: Study) -> int:
        """Return the number of dialogs, summaries or annotations by people that are complete or under way."""
        return getattr(study, "started", 0)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, str | list[str]]:
        """Begin with the texts and numbers of the kind and the language that are asked for.

        A new study checks the device: who cannot hear finds out before somebody waits for them.
        """
        own = defaults.of(_kind(request, None), request.GET.get("language", ""))
        begun = {"device_check": "on"} | {name: str(value) for name, value in own.items()}
        return begun | super().get_changeform_initial_data(request)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer the videos of studies in which people talk."""
        if db_field.name == "videos_of":
            kwargs["queryset"] = Study.objects.filter(kind=Kind.DIALOG)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Let other studies be ticked: the admin's list with two sides cannot be used by everybody."""
        return super().formfield_for_manytomany(db_field, request, widget=CheckboxSelectMultiple, **kwargs)

    @admin.display(description="invitation")
    def invitation(self, study: Study) -> SafeString:
        """Return the link that workers open."""
        address = reverse("join", args=[study.slug])
        return format_html('<a href="{}">{}</a>', address, address)

    @admin.display(description="desk")
    def desk(self, study: Study) -> SafeString:
        """Return the link to how the study stands, from where all its other pages are led to."""
        return format_html('<a href="{}">Open</a>', reverse("monitor", args=[study.pk]))

    def save_model(self, request: HttpRequest, obj: Study, form: object, change: bool) -> None:
        """Note when the study was made."""
        if not change:
            obj.created_at = clock.now()
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: object, formsets: object, change: bool) -> None:
        """Bring the video rows in line once they are saved."""
        super().save_related(request, form, formsets, change)
        videos.refresh(form.instance)  # type: ignore[attr-defined]


@admin.register(StudyVideo)
class StudyVideoAdmin(ModelAdmin[StudyVideo]):
    """The videos of studies, for a study that has too many for its form."""

    form = StudyVideoForm
    list_display = ["video", "study", "wanted", "started", "is_held"]
    list_filter = ["is_held", "study"]
    list_select_related = ["video", "study"]
    search_fields = ["=video__image_id"]
    search_help_text = "The id of a video."
    raw_id_fields = ["video"]
    readonly_fields = ["started"]
    actions = ["release"]

    @admin.action(description="Release what is held")
    def release(self, request: HttpRequest, rows: QuerySet[StudyVideo]) -> None:
        """Let reported videos be given again."""
        number = rows.count()
        videos.release(rows)
        self.message_user(request, f"{many(number, 'video')} may be given again.")


def _kind(request: HttpRequest, study: Study | None) -> Kind:
    """Return the kind of the study that a form is about; what is sent, or the address, says that of a new one."""
    asked = request.POST.get("kind") or request.GET.get("kind")
    return Kind(study.kind) if study else Kind(asked) if asked in Kind.values else Kind.DIALOG


@admin.register(Participation)
class ParticipationAdmin(ReadOnly, ModelAdmin[Participation]):
    """Who took part, by pseudonymous number; read only."""

    list_display = ["id", "study", "outcome", "fault", "confirmed_at", "ended_at"]
    list_filter = ["study", "outcome", "is_simulated"]
    list_select_related = ["study"]
    exclude = ["network", "entry"]  # one means something only beside the partner's, the other holds the worker's id


@admin.register(Worker)
class WorkerAdmin(ReadOnly, ModelAdmin[Worker]):
    """Who came, by pseudonymous number; the page of each, and only that, shows the id."""

    list_display = ["id", "marketplace", "environment", "is_simulated", "created_at", "page"]
    list_filter = [one_of("marketplace", MARKETPLACES), one_of("environment", ENVIRONMENTS), "is_simulated"]
    fields = ["marketplace", "environment", "is_simulated", "created_at", "page"]

    @admin.display(description="history and actions")
    def page(self, worker: Worker) -> SafeString:
        """Return the link to the worker's page."""
        return format_html('<a href="/desk/workers/{}/">Open</a>', worker.pk)
