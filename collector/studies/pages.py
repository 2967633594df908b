"""How is a worker's page served? In a marketplace's frame, without cookies, without telling where it came from."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from decimal import Decimal
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language_from_request, gettext_lazy, override
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt

from collector.lib import languages, markdown, tokens
from collector.lib.tokens import BadToken
from collector.studies import promises, versions
from collector.studies.models import Participation, Study, StudyVersion

log = logging.getLogger(__name__)

View = TypeVar("View", bound=Callable[..., Any])

BAD_LINK = {
    "heading": gettext_lazy("This link is not valid"),
    "sentence": gettext_lazy("It may have been cut on its way. Open the invitation again to go on where you were."),
}
BUSY = {
    "heading": gettext_lazy("We are busy for a moment"),
    "sentence": gettext_lazy(
        "What you wrote is kept. This page tries again by itself in a few seconds; you can also reload it."
    ),
    "retry_seconds": 5,
}
_DATABASE_AWAY = (OperationalError, InterfaceError)


def _refuse(request: HttpRequest) -> HttpResponse:
    return render(request, "studies/message.html", BAD_LINK, status=404)


def _busy(request: HttpRequest) -> HttpResponse:
    log.warning("A worker's page could not be served: the database does not answer.", exc_info=True)
    response = render(request, "studies/message.html", BUSY, status=503)
    response["Retry-After"] = str(BUSY["retry_seconds"])
    return response


def _language(request: HttpRequest, token: str) -> str:
    """Return the language of the study that a participation's or a worker's token belongs to, else the browser's."""
    with suppress(*_DATABASE_AWAY):
        if tag := _tag(token):
            return languages.of(tag)
    return get_language_from_request(request)


def _tag(token: str) -> str | None:
    with suppress(BadToken):
        found = Participation.objects.filter(pk=tokens.read(token).participation)
        return found.values_list("version__content__language", flat=True).first()
    with suppress(BadToken):
        return versions.language_of(tokens.read_of_worker(token).worker)
    return None


def in_language_of(slug: str) -> AbstractContextManager[None]:
    """Speak the language of a study inside, for pages of people who have no token yet."""
    tag = Study.objects.filter(slug=slug).values_list("language", flat=True).first()
    return languages.speaking(tag) if tag else nullcontext()


def _mark(response: HttpResponseBase) -> HttpResponseBase:
    # What csp.decorators.csp_replace does; that one cannot decorate asynchronous views.
    replaced = getattr(response, "_csp_replace", {}) | {"frame-ancestors": settings.FRAME_ANCESTORS}
    response._csp_replace = replaced  # type: ignore[attr-defined]
    response["Referrer-Policy"] = "no-referrer"
    if "Cache-Control" not in response:
        response["Cache-Control"] = "no-store"
    return response


def worker_page(view: View) -> View:
    """Allow the marketplaces' frames, need no cookie (a token or an identity says who it is), and send no referrer.

    Inside, the language of the study is spoken that the token belongs to; not in asynchronous views, which are for
    media and frames: a frame's words are in the language of its page (``chat.page``).

    A page whose view raises BadToken says that its link is not valid; one without a database tries again by itself.
    Media are asynchronous and refuse links on their own.
    """
    if iscoroutinefunction(view):

        @wraps(view)
        async def wrapped_async(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            try:
                return _mark(await view(request, *args, **kwargs))
            except _DATABASE_AWAY:
                return _mark(_busy(request))

        wrapped: Any = wrapped_async
    else:

        @wraps(view)
        def wrapped_sync(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            with override(_language(request, kwargs.get("token", ""))):
                try:
                    return _mark(view(request, *args, **kwargs))
                except BadToken:
                    return _mark(_refuse(request))
                except _DATABASE_AWAY:
                    return _mark(_busy(request))

        wrapped = wrapped_sync
    result: View = csrf_exempt(xframe_options_exempt(wrapped))
    return result


def _own_language(html: SafeString, tag: str) -> SafeString:
    """Return a researcher's text, marked where it is in another language than the page."""
    if languages.of(tag) in (tag.lower(), tag.lower().split("-")[0]):
        return html
    return format_html('<div lang="{}" dir="auto">{}</div>', tag, html)


def texts(version: StudyVersion) -> dict[str, Any]:
    """Return a version's fields for templates, with its Markdown rendered as ``*_html``."""
    content = versions.content_of(version)

    def rendered(name: str) -> SafeString:
        return _own_language(markdown.render(content[name]), content["language"])

    return content | {
        "instructions_html": rendered("instructions"),
        "questioner_html": rendered("questioner_instructions"),
        "answerer_html": rendered("answerer_instructions"),
        "pay": promises.pay(content),
        "hourly": promises.hourly(content),
        "reviewed": promises.reviewed(content),
        "pays": promises.pays(content),
        "waiting_pays": Decimal(content["waiting_pay"]) > 0,
        "pays_waiting": promises.pays_waiting(content),
        "teaches": promises.teaches(content),
        "pay_rules": promises.pay_rules(content),
        "promises": promises.in_words(content),
        "withdrawal": promises.withdrawal(content),
        "summary_html": rendered("summary_instructions"),
    }
