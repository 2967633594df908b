"""The doors: how workers come in from a marketplace, and how they leave."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from collector.lib import tokens
from collector.studies import kept as studies_kept
from collector.studies import kinds, promises, versions
from collector.studies.admission import Code, Identity, NotAdmitted, access_participation, admit, check_open
from collector.studies.models import Study
from collector.studies.pages import in_language_of, worker_page
from hits import again, feedback, frames, heard, mine, tasks, withdrawing
from hits.invitations import NOT_TICKED, address_of, arrived_at, invitation
from hits.marketplace import link
from hits.models import Feedback


@worker_page
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what the study is and ask for consent. Only the POST that confirms it makes anything."""
    with in_language_of(slug):
        return _join(request, slug)


@worker_page
@require_safe
def kept(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what is kept, why and for how long: for who has not agreed yet, so nothing is asked of them."""
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        return _refuse(request, NotAdmitted(Code.UNKNOWN_LINK))
    with in_language_of(slug):
        context = {
            "rules": studies_kept.of_workers(),
            "version": studies_kept.current(),
            "researcher": study.researcher,
        }
        return render(request, "hits/kept_table.html", context)


def _join(request: HttpRequest, slug: str) -> HttpResponse:
    study = Study.objects.select_related("collection").filter(slug=slug).first()
    try:
        if study is None:
            raise NotAdmitted(Code.UNKNOWN_LINK)
        given = request.POST if request.method == "POST" else request.GET
        participant = given.getlist("participant")[-1] if "participant" in given else ""
        if participant:
            link.entry(participant)  # a wrong id is refused before anything is read or agreed to
        program = link.simulated(participant, given.get("simulated", ""))
        if request.method == "POST":
            return _confirm(request, study, program or link.entry(participant), participant)
        check_open(study, simulated=program is not None)
    except NotAdmitted as refusal:
        return _refuse(request, refusal)
    return invitation(request, study, {"participant": participant})


def _refuse(request: HttpRequest, refusal: NotAdmitted) -> HttpResponse:
    status = {Code.UNKNOWN_LINK: 404, Code.TOO_MANY: 429}.get(refusal.code, 403)
    context = {"heading": gettext("You cannot take part now"), "sentence": refusal.sentence}
    return render(request, "studies/message.html", context, status=status)


def _confirm(request: HttpRequest, study: Study, identity: Identity, participant: str) -> HttpResponse:
    if request.POST.get("consent") != "yes":
        return invitation(request, study, {"participant": participant}, gettext(NOT_TICKED))
    address = address_of(request, is_counted=not identity.is_simulated)
    admitted = admit(study, identity, address=address, arrived_at=arrived_at(request))
    return redirect(kinds.page_of(admitted.participation), admitted.token)


@worker_page
@require_http_methods(["GET", "HEAD", "POST"])
def finish(request: HttpRequest, token: str) -> HttpResponse:
    """Say how it ended, what is paid, and where to go. A POST withdraws, or says how it was."""
    participation = access_participation(token)
    study = participation.study
    if participation.ended_at is None:
        return redirect(kinds.page_of(participation), token)
    if request.method == "POST":
        if request.POST.get("withdraw") == "yes":
            withdrawing.by_themselves(participation)
        feedback.take(participation, request.POST.get("stars", ""), request.POST.get("line", ""))
        return redirect("finish", token)
    content = versions.content_of(participation.version)
    form = frames.submit_form(participation)
    context = {
        "form": form,
        "outcome": participation.outcome,
        "session": mine.session(participation),
        "code": "" if study.completion_url or form else participation.completion_code,
        "url": "" if form else study.completion_url,
        "left": again.left(participation),
        "may_go_on": again.may_go_on(participation),
        "token": token,
        "contact": content["researcher"],
        "withdraw_until": withdrawing.until(participation),
        "withdraw_for": withdrawing.time_left(participation),
        "zone": settings.TIME_ZONE,
        "kind": content["kind"],
        "pays": promises.pays(content),
        "mine": tokens.mint_for_worker(participation.worker_id, participation.pk),
        "feedback": Feedback.objects.filter(participation=participation).first(),
        "stars": feedback.STARS,
    }
    response = render(request, "hits/finish.html", context)
    if form:
        frames.allow_submitting(response, form)
    return response


@worker_page
@require_POST
def once_more(request: HttpRequest, token: str) -> HttpResponse:
    """Begin the next task of a worker who has agreed to the same before; the same post again finds it begun."""
    try:
        admitted = again.begin(access_participation(token), address_of(request))
    except NotAdmitted as refusal:
        return _refuse(request, refusal)
    if admitted is None:
        return redirect("finish", token)
    return redirect(kinds.page_of(admitted.participation), admitted.token)


@csrf_exempt
@require_POST
def event(request: HttpRequest, secret: str) -> HttpResponse:
    """Take in what a marketplace tells; all it does is to have the marketplace asked soon."""
    if not constant_time_compare(secret, settings.EVENTS_SECRET):
        raise Http404
    try:
        if heard.take(request.body):
            tasks.look_after_hits_in(heard.GATHER)
    except heard.BadEvent:
        return HttpResponseBadRequest("This is no event document.", content_type="text/plain")
    return HttpResponse(status=204)
