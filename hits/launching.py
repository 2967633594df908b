"""How does recruiting begin? A draft, its cost and its objections; then an offer, a mark for the cap, the first HITs.

Launching can be interrupted anywhere and started again: what is made carries a token, and what was made is found.
"""

import logging
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string

from collector.lib import clock, languages
from collector.studies import kinds, versions
from collector.studies.models import Kind, State, Study
from collector.studies.pages import texts
from hits import cost, hourly, lifecycle, marking, qualifications
from hits.marketplace import clocks
from hits.marketplace.base import Marketplace, MarketplaceError
from hits.models import Environment, Recruitment, RecruitmentState
from hits.offers import events_address, offer_of, time_needed, wanted_of
from hits.qualifications import BadQualification, Wanted

log = logging.getLogger(__name__)

NOT_CAPPED = "They are below the cap of this collection, and nobody has excluded them."
MARGIN_MINUTES = 15
"""What an assignment must leave, beyond the study's own limits, for reading, practice and submitting."""


class CannotLaunch(Exception):
    """Why recruiting does not begin; the message holds all reasons, a sentence each."""


class Topic(StrEnum):
    """What an objection is about."""

    TIME = "assignment time"
    STUDY = "study"
    REWARD = "reward"
    VIDEOS = "videos"
    EXAMPLE = "example"
    ADDRESS = "address"
    QUALIFICATIONS = "qualifications"
    WAGE = "hourly pay"
    COST = "cost"


class Objection(str):
    """A sentence about what stands against a launch."""

    topic: Topic

    def __new__(cls, topic: Topic, sentence: str) -> "Objection":
        """Return a sentence that knows what it is about."""
        made = super().__new__(cls, sentence)
        made.topic = topic
        return made


@dataclass(frozen=True)
class Preview:
    """What a launch would mean: who may work, what it costs, what an hour is worth, and what stands against it."""

    words: list[str]
    requirements: list[dict[str, object]]
    estimate: cost.Estimate
    wage: Decimal
    is_piloted: bool
    advice: str
    objections: list[Objection]


def preview(recruitment: Recruitment, balance: Decimal | None) -> Preview:
    """Return what launching would mean now."""
    study = recruitment.study
    objections = _objections(recruitment)
    try:
        wanted = wanted_of(recruitment)
    except BadQualification as bad:
        wanted, objections = Wanted(), [*objections, Objection(Topic.QUALIFICATIONS, str(bad))]
    times = hourly.measured(study)
    plan = plan_of(study, recruitment.dialogs_wanted, times.mean_wait, masters=recruitment.masters)
    estimate = cost.estimate(plan, cost.FEES["mturk"])
    wage = hourly.mean(study, times)
    if wage < cost.LEAST_WAGE and not recruitment.wage_reason.strip():
        objections.append(Objection(Topic.WAGE, cost.advice(wage)))
    too_much = cost.objections(estimate.total, recruitment.budget, balance)
    objections += [Objection(Topic.COST, sentence) for sentence in too_much]
    requirements = qualifications.requirements(wanted, recruitment.environment)
    return Preview(
        _in_words(recruitment, wanted),
        requirements,
        estimate,
        wage,
        times.is_piloted,
        cost.advice(wage),
        objections,
    )


def plan_of(study: Study, number: int, mean_wait: Decimal = Decimal(0), *, masters: bool = False) -> cost.Plan:
    """Return what is to be paid for ``number`` dialogs, summaries or annotations of a study."""
    bonus, workers = hourly.bonus_of(study), kinds.of(study.kind).workers
    return cost.Plan(number, study.reward, bonus, study.waiting_pay, mean_wait, masters=masters, workers=workers)


def cost_of_seats(recruitment: Recruitment, seats: int) -> Decimal:
    """Return what so many seats come to when all are taken and their work is done, in US dollars, fees included."""
    number = -(-seats // kinds.of(recruitment.study.kind).workers)
    plan = plan_of(recruitment.study, number, masters=recruitment.masters)
    return cost.estimate(replace(plan, lost_share=Decimal(0)), cost.FEES["mturk"]).total


def _in_words(recruitment: Recruitment, wanted: Wanted) -> list[str]:
    """Return who may work; before the launch the mark that keeps others away has no id yet."""
    said = qualifications.in_words(wanted, {recruitment.mark_id: NOT_CAPPED})
    before = ", ".join(study.name for study in recruitment.study.not_after.all())
    return [*said, f"They did not take part in {before}."] if before else said


def least_minutes(study: Study) -> int:
    """Return the minutes that an assignment must last: all that the study allows, and a margin."""
    return time_needed(study) // timedelta(minutes=1) + MARGIN_MINUTES


def _objections(recruitment: Recruitment) -> list[Objection]:
    study = recruitment.study
    found = []
    needed = least_minutes(study)
    if recruitment.assignment_minutes < needed:
        allowed = (
            f"{study.dialog_minutes} for the task"
            if kinds.of(study.kind).is_alone
            else f"{study.longest_wait_minutes} for waiting, {study.dialog_minutes} for the dialog and "
            f"{study.summary_minutes} for the summary"
        )
        said = (
            f"Assignment minutes: {recruitment.assignment_minutes} are too few. The study allows {allowed}; with "
            f"{MARGIN_MINUTES} for the rest that is {needed}."
        )
        found.append(Objection(Topic.TIME, said))
    found += objections_to(study)
    if not study.reward:
        found.append(Objection(Topic.REWARD, "The study has no reward."))
    if recruitment.environment == Environment.LIVE and not settings.PUBLIC_URL.startswith("https://"):
        found.append(Objection(Topic.ADDRESS, "Workers' pages must be reached over https: set PUBLIC_URL."))
    return found


def objections_to(study: Study) -> list[Objection]:
    """Return what stands against letting anybody into a study, however they come."""
    found = []
    if study.state != State.OPEN:
        said = f"The study's state is {study.get_state_display().lower()}; set it to open in the study's form."
        found.append(Objection(Topic.STUDY, said))
    if not study.study_videos.exists():
        comes = " They come with its items; make_relevance_items makes them." if study.kind == Kind.RELEVANCE else ""
        found.append(Objection(Topic.VIDEOS, f"The study has no videos.{comes}"))
    if study.kind == Kind.SUMMARY and study.example is None:
        said = "The study has no example video; choose one whose script shows how full a summary is to be."
        found.append(Objection(Topic.EXAMPLE, said))
    return found


def launch(recruitment: Recruitment, market: Marketplace) -> int:
    """Begin recruiting, or go on where an earlier launch was interrupted; return how many HITs are open.

    Raises CannotLaunch with all that stands against it, MarketplaceError where the marketplace does not answer.
    """
    seen = preview(recruitment, market.balance())
    apart = clocks.objection(market.ahead())
    if objections := [*seen.objections, *([apart] if apart else [])]:
        raise CannotLaunch(" ".join(objections))
    if not recruitment.mark_id:
        name = f"Done enough: {recruitment.study.slug}, {recruitment.environment}"
        recruitment.mark_id = market.make_mark(name, "Has done as many of these tasks as one person may.")
        recruitment.save(update_fields=["mark_id"])
    marking.carry_out(recruitment, market)  # before anything is offered: who is excluded never sees it
    recruitment.type_id = market.offer(offer_of(recruitment))
    recruitment.save(update_fields=["type_id"])
    _listen(recruitment, market)
    write_preview(recruitment)
    if recruitment.state == RecruitmentState.DRAFT:
        recruitment.state, recruitment.started_at = RecruitmentState.PILOT, clock.now()
        recruitment.save(update_fields=["state", "started_at"])
    lifecycle.top_up(recruitment, market)
    return lifecycle.open_hits(recruitment).count()


def _listen(recruitment: Recruitment, market: Marketplace) -> None:
    """Ask to be told of events; without them, news comes with the next question, so trouble here stops nothing."""
    if not (address := events_address(recruitment.environment)):
        return
    try:
        market.tell(recruitment.type_id, address)
    except MarketplaceError as error:
        log.warning("Recruiting for %s goes on without events: %s", recruitment, error.sentence)


def preview_path(slug: str, environment: str) -> Path:
    """Return where the text is that people see before they accept: no database is asked for it."""
    return Path(settings.VAR_DIR) / "previews" / f"{slug}.{environment}.html"


def preview_page(study: Study) -> str:
    """Return what people see before they accept, as the study is now."""
    with languages.speaking(study.language):
        return render_to_string("hits/preview.html", {"version": texts(versions.preview(study))})


def write_preview(recruitment: Recruitment) -> None:
    """Write down what people see before they accept."""
    path = preview_path(recruitment.study.slug, recruitment.environment)
    path.parent.mkdir(exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(preview_page(recruitment.study))
    fresh.replace(path)
