"""Will a marketplace take and keep the offer? It is asked itself; what stands against a launch is said by launching."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

from django.urls import reverse

from collector.desk.preflight.checks import Check, bad, good, unknown, warn
from collector.lib.text import dollars, many
from collector.studies import kinds, videos
from hits import cost, launching, qualifications
from hits.launching import Preview, Topic
from hits.marketplace import clocks, environments
from hits.marketplace.base import Marketplace, MarketplaceError
from hits.models import HitState, Recruitment
from hits.offers import base_reward, wanted_of
from hits.qualifications import BadQualification

_READ_BACK = "Qualifications, read back"
_ASKED = "The marketplace has to answer first."


def checks(recruitment: Recruitment) -> list[Check]:
    """Look at one offer."""
    page = reverse("recruiting", args=[recruitment.pk])
    form = reverse("admin:hits_recruitment_change", args=[recruitment.pk])
    try:
        market: Marketplace = environments.adapter(recruitment.environment)
        balance = market.balance()
    except MarketplaceError as error:
        fix = "Mend what the sentence names; its keys and addresses stand in the environment (.env.example)."
        asked = [bad("Marketplace", error.sentence, fix), unknown("Qualifications, read back", _ASKED)]
        return [
            *asked,
            unknown("Clock", _ASKED),
            *_offer(recruitment, launching.preview(recruitment, None), form),
        ]
    known = f"{dollars(balance)} can be spent" if balance is not None else "it has no account"
    found = [good("Marketplace", f"{market.endpoint} answers, and {known}."), _clock(market)]
    if recruitment.trouble:
        found.append(bad("Recruiting", recruitment.trouble, "It is tried again by itself; its page says more.", page))
    found += _offer(recruitment, launching.preview(recruitment, balance), form)
    return found + list(_read_back(recruitment, market, form))


def _clock(market: Marketplace) -> Check:
    ahead = market.ahead()
    if ahead is None:
        return unknown("Clock", "The marketplace does not tell its time.")
    if said := clocks.objection(ahead):
        return bad("Clock", said, "Set the clock.")
    apart = abs(ahead) // timedelta(seconds=1)
    return good(
        "Clock",
        f"Ours and the marketplace's differ by {many(apart, 'second')}; up to {clocks.APART.seconds} do no harm.",
    )


def _offer(recruitment: Recruitment, seen: Preview, form: str) -> Iterator[Check]:
    """Yield what launching finds, well or not."""
    study, about = recruitment.study, kinds.of(recruitment.study.kind)
    study_form = reverse("admin:studies_study_change", args=[study.pk])
    needed = launching.least_minutes(study)
    well = {
        Topic.STUDY: (f"It is {study.get_state_display().lower()}.", study_form, "Open it when all else is well."),
        Topic.TIME: (
            f"{recruitment.assignment_minutes} minutes an assignment; the study needs {needed} at most.", form,
            "Give an assignment more time, or the study less.",
        ),
        Topic.REWARD: (_price(recruitment), study_form, "Set the reward in the study's form."),
        Topic.QUALIFICATIONS: (" ".join(seen.words), form, "Mend them in the recruitment's form."),
        Topic.WAGE: (
            f"{dollars(seen.wage)} an hour, {'measured' if seen.is_piloted else 'by the announced minutes'}.",
            study_form,
            "Change the reward in the study's form, or give the reason in the recruitment's.",
        ),
        Topic.COST: (
            f"{recruitment.dialogs_wanted} {about.units} are expected to cost {dollars(seen.estimate.total)}, fees "
            f"included, of a budget of {dollars(recruitment.budget)}.", form,
            "Raise the budget, add money to the account, or want fewer.",
        ),
    }  # fmt: skip
    for topic, (said, place, fix) in well.items():
        name = topic.capitalize()
        if stands := [each for each in seen.objections if each.topic == topic]:
            judge = warn if topic == Topic.STUDY else bad
            yield judge(name, " ".join(stands), fix, place)
        elif topic == Topic.WAGE and seen.advice:
            yield warn(name, seen.advice, fix, place)
        else:
            yield good(name, said)
    yield _number(recruitment, form)
    yield _ceiling(recruitment, form)


def _price(recruitment: Recruitment) -> str:
    study, fee = recruitment.study, cost.FEES["mturk"]
    base = base_reward(study)
    listed = f"The list shows {dollars(base)}" + (
        f", of {dollars(study.reward)} in all" if base != study.reward else ""
    )
    charged = fee.of(study.reward, masters=recruitment.masters)
    return f"{listed}; the marketplace takes {dollars(charged)} on top of a whole reward."


def _number(recruitment: Recruitment, form: str) -> Check:
    """Tell whether a study's videos give as many as are wanted."""
    study, about, units = recruitment.study, "Number", kinds.of(recruitment.study.kind).units
    wanted = recruitment.dialogs_wanted
    rows = videos.unseen_by(study, simulated=True)
    each = [row or 0 for row in rows.values_list("wanted", flat=True)]
    if rows.filter(wanted=None).exists() or sum(each) >= wanted:
        return good(about, f"{wanted} {units} are wanted, and the study's videos give as many.")
    said = f"{wanted} {units} are wanted, and {many(len(each), 'video')} give {sum(each)}."
    return warn(about, said, "Want fewer, add videos, or ask for more of each in the study's form.", form)


def _ceiling(recruitment: Recruitment, form: str) -> Check:
    about, study = "Ceilings", recruitment.study
    most = study.reward + study.summary_bonus + study.waiting_pay * Decimal(study.longest_wait_minutes)
    lowest = min(recruitment.worker_day_ceiling, recruitment.day_ceiling or recruitment.worker_day_ceiling)
    if lowest < most:
        one = f"One {kinds.of(study.kind).unit} may come to {dollars(most)} for a worker"
        said = f"{one}; a ceiling of a day is {dollars(lowest)}."
        return bad(about, said, "Raise the ceiling, or it holds back what was earned.", form)
    return good(about, f"A worker may earn {dollars(recruitment.worker_day_ceiling)} a day.")


def _read_back(recruitment: Recruitment, market: Marketplace, form: str) -> Iterator[Check]:
    """Compare what the marketplace has stored with what is asked for: own marks by name, and a HIT's requirements."""
    about = _READ_BACK
    try:
        wanted = wanted_of(recruitment)
    except BadQualification as error:
        yield unknown(about, str(error), "Mend them first.", form)
        return
    for mark in (*wanted.required, *wanted.excluded):
        try:
            yield good(f"Own type {mark}", f"The marketplace knows it as “{market.mark_name(mark)}”.")
        except MarketplaceError as error:
            yield bad(f"Own type {mark}", error.sentence, "Correct the id in the recruitment's form.", form)
    hit = (
        recruitment.hits.filter(state__in=[HitState.OPEN, HitState.CLOSED])
        .exclude(external_id="")
        .order_by("-pk")
        .first()
    )
    if hit is None:
        said = "A marketplace tells what it has stored only of a HIT, and none is published yet."
        yield unknown(about, said, "Nothing: the first one is read back by itself, and a difference stops the launch.")
        return
    try:
        stored = list(market.look(hit.external_id).requirements)
    except MarketplaceError as error:
        yield unknown(about, error.sentence, "The next HIT is read back when it is published.")
        return
    if said := "; ".join(
        qualifications.differences(qualifications.requirements(wanted, recruitment.environment), stored)
    ):
        fix = "What was changed since the launch holds for the next launch: pause, and launch again."
        yield bad(
            about, f"HIT {hit.external_id} has others: {said}.", fix, reverse("recruiting", args=[recruitment.pk])
        )
    else:
        yield good(about, f"HIT {hit.external_id} has those that are asked for.")
