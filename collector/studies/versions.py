"""Which words and promises did a worker see? The frozen fields of a study, kept as numbered versions."""

import hashlib
import json
from decimal import Decimal
from typing import Any

from django.db import transaction

from collector.lib import clock
from collector.studies.frozen import FrozenFields
from collector.studies.models import Participation, Study, StudyVersion, Worker

FROZEN = [field.name for field in FrozenFields._meta.fields]


def _plain(value: Any) -> Any:
    """Return a field's value as JSON holds it: amounts as text, so that no cent is lost."""
    return f"{value:.2f}" if isinstance(value, Decimal) else value


DEFAULTS: dict[str, Any] = {field.name: _plain(field.get_default()) for field in FrozenFields._meta.fields}
"""What an older version, made before a field existed, is read with."""
_RULES = (
    "rounds", "language", "answerer_sees_script", "frames_shown", "least_question_words", "least_answer_words",
    "least_summary_words", "longest_text", "longest_summary", "grace_seconds", "grace_rounds", "long_grace_seconds",
    "turn_minutes", "nudge_minutes", "typing_minutes", "summary_minutes", "dialog_minutes", "dialog_warning_minutes",
    "keeps_evidence",
)  # fmt: skip
_CONSENT = (
    "institution", "protocol_number", "researcher", "purpose", "risks", "text_licence", "content_warning",
    "reward", "summary_bonus", "waiting_pay", "ending_pay", "screening_pay", "pay_note", "minutes",
    "keeps_evidence", "withdrawal_days",
)  # fmt: skip


def content_of(version: StudyVersion) -> dict[str, Any]:
    """Return all frozen fields as a worker with this version was shown them."""
    content: dict[str, Any] = version.content
    return DEFAULTS | content


def slots_of(content: dict[str, Any]) -> tuple[int, ...]:
    """Return which frames of a video the Questioner sees; 1 is the beginning, 2 the middle, 3 the end."""
    return (2,) if content["frames_shown"] == 1 else (1, 2, 3)


def _digest(content: dict[str, Any], names: tuple[str, ...] | list[str]) -> str:
    chosen = {name: content[name] for name in sorted(names)}
    return hashlib.sha256(json.dumps(chosen, sort_keys=True).encode()).hexdigest()


def language_of(worker: Worker | int) -> str:
    """Return the tag of the language in which a worker is written to: that of the last study they came to."""
    rows = StudyVersion.objects.filter(participation__worker=worker).order_by("-participation__pk")
    return str(rows.values_list("content__language", flat=True).first() or "")


def preview(study: Study) -> StudyVersion:
    """Return what the study says now, unsaved: reading an invitation makes nothing."""
    return StudyVersion(study=study, content={name: _plain(getattr(study, name)) for name in FROZEN})


def is_known(participation: Participation) -> bool:
    """Tell whether its worker would read and agree to the very same if they took part again now."""
    return participation.version.digest == _digest(preview(participation.study).content, FROZEN)


def current(study: Study) -> StudyVersion:
    """Return the version of what the study says now, made when it is new."""
    content = {name: _plain(getattr(study, name)) for name in FROZEN}
    digest = _digest(content, FROZEN)
    if found := StudyVersion.objects.filter(study=study, digest=digest).first():
        return found
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)  # numbers are given one at a time
        if found := StudyVersion.objects.filter(study=study, digest=digest).first():
            return found
        return StudyVersion.objects.create(
            study=study,
            number=StudyVersion.objects.filter(study=study).count() + 1,
            content=content,
            digest=digest,
            rules_digest=_digest(content, _RULES),
            consent_digest=_digest(content, _CONSENT),
            created_at=clock.now(),
        )
