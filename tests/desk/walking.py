"""Where are all pages that researchers read? Every address of the desk and every list of the admin, found by itself."""

from collections.abc import Iterator

from django.contrib import admin
from django.contrib.auth.models import User
from django.urls import reverse

from chat.models import Dialog
from collector.desk import urls
from collector.studies.models import Kind, Study, Worker
from collector.summaries.models import Viewing
from hits.models import Recruitment

_ABOUT = {
    "desk/recruiting": Recruitment.objects.all(),
    "desk/statistics": Study.objects.filter(kind=Kind.DIALOG),
    "desk/studies": Study.objects.filter(kind=Kind.DIALOG),
    "desk/preflight": Study.objects.filter(kind=Kind.DIALOG),
    "desk/monitor": Study.objects.filter(kind=Kind.DIALOG),
    "desk/learning": Study.objects.filter(kind=Kind.DIALOG),
    "desk/voices": Study.objects.filter(kind=Kind.DIALOG),
    "desk/quality": Study.objects.filter(kind=Kind.DIALOG),
    "desk/summaries": Study.objects.filter(kind=Kind.SUMMARY),
    "desk/relevance": Study.objects.filter(kind=Kind.RELEVANCE),
    "desk/dialogs": Dialog.objects.all(),
    "desk/replay/dialog": Dialog.objects.all(),
    "desk/replay/viewing": Viewing.objects.all(),
    "desk/workers": Worker.objects.all(),
}
"""What the first number in an address names, by how the address begins; the first that there is, is looked at."""
_OTHERS = {"number": lambda: Dialog.objects.order_by("pk").values_list("pk", flat=True)[0]}
_POSTED = ("/do/", "/make/", "/remove/", "/compare/", "/count/", "/words/", "/decide/")
_DRAFTS = "desk/drafts/"
_ELSEWHERE = ("index", "try", "try-study", "two-factor-code")
"""Pages that lead on, or make what they show at each visit."""
_FILES = ("/file", ":name>")


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the address of every page of the desk that is read, files left out, and the first page."""
    yield "admin index", reverse("admin:index")
    for pattern in urls.urlpatterns:
        route = str(pattern.pattern)
        is_posted = route.endswith(_POSTED) or route.startswith(_DRAFTS)
        if is_posted or route.endswith(_FILES) or pattern.name in _ELSEWHERE:
            continue
        given = {}
        for name in pattern.pattern.converters:
            rows = _ABOUT[route.partition("/<")[0]].order_by("pk") if name == "pk" else None
            given[name] = _OTHERS[name]() if rows is None else rows.values_list("pk", flat=True)[0]
        yield str(pattern.name), reverse(str(pattern.name), kwargs=given)


def researcher() -> User:
    """Return who may see all of them."""
    return User.objects.get(username="researcher")


def lists() -> Iterator[tuple[str, str]]:
    """Yield the name and the address of every list of the admin."""
    for model in admin.site._registry:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        yield f"list of {model._meta.verbose_name_plural}", reverse(f"admin:{name}_changelist")
