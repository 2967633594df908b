"""The researcher's pages."""

import secrets

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from collector.accounts.roles import Deed, allowed
from collector.studies import kinds
from collector.studies.models import State, Study


def index(request: HttpRequest) -> HttpResponse:
    """Send a researcher to where the work is."""
    return redirect("admin:index")


@csp_update({"frame-src": ["'self'"]})
@allowed(Deed.TRY)
def try_it(request: HttpRequest, slug: str = "demo") -> HttpResponse:
    """Show both workers of a dialog side by side, two new ones at each visit."""
    study = Study.objects.filter(slug=slug).first()
    if study is None or study.state != State.OPEN:
        context = {
            "heading": "This study cannot be tried",
            "sentence": f"There is no open study with the short name {slug!r}. Open one in the admin first.",
        }
        return render(request, "studies/message.html", context, status=404)
    visit = secrets.token_hex(4)
    join = reverse("join", args=[study.slug])
    left, right = (f"{join}?participant=try-{visit}-{side}" for side in ("a", "b"))
    right = right if kinds.of(study.kind).workers == 2 else ""
    return render(request, "desk/try.html", {"study": study, "left_url": left, "right_url": right})
