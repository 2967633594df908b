"""Do workers read all that they must, and can what they are promised be kept? By the study's form and its numbers."""

import re
from collections.abc import Iterable
from decimal import Decimal

from django.conf import settings
from django.core.exceptions import ValidationError
from django.urls import reverse

from collector.desk.preflight.checks import Check, bad, good, unknown, warn
from collector.lib.text import dollars
from collector.studies import defaults, kinds
from collector.studies.models import Kind, Study
from hits import cost

_TEXTS = {
    "title": (Kind.DIALOG, Kind.SUMMARY, Kind.RELEVANCE),
    "instructions": (Kind.DIALOG, Kind.SUMMARY, Kind.RELEVANCE),
    "questioner_instructions": (Kind.DIALOG,),
    "answerer_instructions": (Kind.DIALOG,),
    "summary_instructions": (Kind.DIALOG, Kind.SUMMARY, Kind.RELEVANCE),
}
_CONTACT = re.compile(r"@|://|\d{5}|\+\d")
"""An address, a page or a telephone number."""


def texts(study: Study) -> list[Check]:
    """Look at what is read before and in the task, and at what is agreed to."""
    form = reverse("admin:studies_study_change", args=[study.pk])
    names = [name for name, of in _TEXTS.items() if study.kind in of]
    found = [_written(study, "Texts", names, form), _language(study, names, form)]
    found += [_written(study, "What is agreed to", ["purpose", "risks", "text_licence"], form), _contact(study, form)]
    lacking = _names([name for name in ("institution", "protocol_number") if not getattr(study, name)])
    if lacking:
        said = f"The consent names no {' and no '.join(lacking)}."
        found.append(warn("Who is responsible", said, "Fill it in, unless none is asked of you.", form))
    else:
        found.append(good("Who is responsible", f"{study.institution}, {study.protocol_number}."))
    return [*found, _valid(study, form)]


def _names(fields: Iterable[str]) -> list[str]:
    """Return what the form calls some fields."""
    labels = {field.name: str(field.verbose_name) for field in Study._meta.fields}
    return [labels[name] for name in fields]


def _written(study: Study, about: str, names: list[str], form: str) -> Check:
    empty = _names([name for name in names if not getattr(study, name).strip()])
    if empty:
        return bad(about, f"Empty: {', '.join(empty)}.", "Write it in the form.", form)
    return good(about, f"All {len(names)} are written.")


def _language(study: Study, names: list[str], form: str) -> Check:
    about, primary = "Language", study.language.split("-")[0].lower()
    own = {**vars(defaults), **defaults.OF_KIND.get(study.kind, {})}
    english = {text for text in own.values() if isinstance(text, str)}
    english |= {of_one for _, of_one, of_three in defaults.OF_FRAMES if of_three in english}
    left = _names([name for name in names if getattr(study, name) in english])
    if primary != "en" and left:
        said = f"The study's language is {study.language}, and these are still the English ones: {', '.join(left)}."
        return bad(about, said, "Write them in the study's language.", form)
    if primary not in {code.split("-")[0].lower() for code, _ in settings.LANGUAGES}:
        said = f"Around the study's own texts pages speak English: they have no words in {study.language}."
        return warn(about, said, "Say so to workers, or add the language: docs/languages.md.", form)
    return good(about, f"The study's language is {study.language}, and pages speak it.")


def _contact(study: Study, form: str) -> Check:
    about, fix = "Contact", "Name a person with an address that is read, such as Ada Byron, ada@example.org."
    if not study.researcher.strip():
        return bad(about, "Workers find nobody to write to.", fix, form)
    if not _CONTACT.search(study.researcher):
        return warn(about, f"No address or number is in: {study.researcher}.", fix, form)
    return good(about, f"Workers can write to {study.researcher}.")


def _valid(study: Study, form: str) -> Check:
    """Ask the form's own rules, which a study that was made by a program has not passed."""
    try:
        study.clean_fields()
        study.clean()
    except ValidationError as error:
        return bad("Form", " ".join(error.messages), "Open the form, mend it and save it.", form)
    return good("Form", "All that the form asks for is as it should be.")


def limits(study: Study, *, is_offered: bool) -> list[Check]:
    """Look at times and pay. Where it is offered on a marketplace, the offer's own checks speak of the pay."""
    form = reverse("admin:studies_study_change", args=[study.pk])
    found = [_times(study, form)]
    if not is_offered:
        found += [_pay(study, form), _way_back(study, form)]
    return found


def _times(study: Study, form: str) -> Check:
    wrong = []
    if study.minutes > study.dialog_minutes:
        wrong.append(f"it is announced with {study.minutes} minutes, and is ended after {study.dialog_minutes}")
    if not kinds.of(study.kind).is_alone:
        if study.nudge_minutes >= study.turn_minutes:
            wrong.append(
                f"a turn is over after {study.turn_minutes} minutes, before the nudge after {study.nudge_minutes}"
            )
        if study.dialog_warning_minutes >= study.dialog_minutes:
            wrong.append(f"the warning after {study.dialog_warning_minutes} minutes comes too late")
        if 2 * study.rounds > study.dialog_minutes:
            wrong.append(
                f"{study.rounds} rounds in {study.dialog_minutes} minutes leave less than a minute for each text"
            )
    if wrong:
        said = "; ".join(wrong)
        return warn("Times", f"{said[0].upper()}{said[1:]}.", "Change the numbers in the form.", form)
    return good("Times", f"Announced with {study.minutes} minutes; the whole task may take {study.dialog_minutes}.")


def _pay(study: Study, form: str) -> Check:
    if not study.reward:
        what = f"Workers read instead: {study.pay_note}" if study.pay_note else "Workers read nothing of pay."
        return good("Pay", f"The platform pays nothing. {what}")
    wage = cost.hourly_wage(study.reward, Decimal(study.minutes))
    said = f"{dollars(study.reward)} for {study.minutes} minutes is {dollars(wage)} an hour, paid by hand."
    advice = cost.advice(wage)
    return warn("Pay", f"{said} {advice}", "Raise the reward.", form) if advice else good("Pay", said)


def _way_back(study: Study, form: str) -> Check:
    if study.completion_url:
        said = f"At the end workers go on to {study.completion_url}, which is not asked from here."
        return unknown("At the end", said, "Open it once yourself.", form)
    code = "the code that the study names" if study.completion_code else "a code of their own"
    return good("At the end", f"Workers see {code}.")
