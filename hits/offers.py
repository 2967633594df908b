"""What is offered to workers of a marketplace? A recruitment's fields as the marketplace takes them."""

from datetime import timedelta
from decimal import Decimal

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext

from collector.lib import languages
from collector.studies import kinds, promises, versions
from collector.studies.models import Study
from hits import qualifications
from hits.marketplace.base import Offer
from hits.models import Environment, Recruitment
from hits.qualifications import Wanted


def wanted_of(recruitment: Recruitment) -> Wanted:
    """Return who may work. Raises BadQualification."""
    return Wanted(
        percent_approved=recruitment.percent_approved,
        number_approved=recruitment.number_approved,
        countries=tuple(code.upper() for code in _listed(recruitment.countries)),
        masters=recruitment.masters,
        adult=recruitment.adult,
        required=_listed(recruitment.required_types),
        excluded=((recruitment.mark_id,) if recruitment.mark_id else ()) + _listed(recruitment.excluded_types),
    )


def _listed(written: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in written.split(",") if each.strip())


def base_reward(study: Study) -> Decimal:
    """Return the reward a HIT is published with: what coming is worth in any case; the rest is paid as a bonus."""
    return study.ending_pay or promises.screening_pay(versions.preview(study).content) or study.reward


def _pay_in_words(study: Study) -> str:
    """Return what the list's reward alone does not say; empty when it says all."""
    base = base_reward(study)
    if base == study.reward:
        return ""
    with languages.speaking(study.language):
        said = gettext("Pays {all} in all for a whole task: {base} at once, the rest as a bonus.")
        return said.format(all=languages.dollars(study.reward), base=languages.dollars(base))


def offer_of(recruitment: Recruitment) -> Offer:
    """Return the offer; equal ones are one group on the marketplace."""
    return Offer(
        title=recruitment.title,
        description=f"{recruitment.description} {_pay_in_words(recruitment.study)}".strip(),
        keywords=recruitment.keywords,
        reward=base_reward(recruitment.study),
        duration=60 * recruitment.assignment_minutes,
        auto_approval=3600 * recruitment.auto_approval_hours,
        requirements=tuple(qualifications.requirements(wanted_of(recruitment), recruitment.environment)),
    )


def time_needed(study: Study) -> timedelta:
    """Return the longest that somebody may need from the waiting room on: the study's own limits, all used up."""
    if kinds.of(study.kind).is_alone:
        return timedelta(minutes=study.dialog_minutes)  # nobody is waited for, and a summary is part of it
    return timedelta(minutes=study.longest_wait_minutes + study.dialog_minutes + study.summary_minutes)


def task_url(recruitment: Recruitment) -> str:
    """Return the address that a HIT shows in its frame."""
    return our_origin() + reverse("task", args=[recruitment.study.slug, recruitment.environment])


def events_address(environment: str) -> str:
    """Return where events are to be posted; empty where we cannot be reached: Amazon posts to its own queues only."""
    local = environment == Environment.LOCAL
    return our_origin() + reverse("event", args=[settings.EVENTS_SECRET]) if local else ""


def our_origin() -> str:
    """Return where workers reach our pages, without a trailing slash."""
    return str(settings.PUBLIC_URL) or f"http://{settings.HOST}:{settings.PORT}"
