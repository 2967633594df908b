"""Markup in every text that the database holds: what workers and researchers could have written anywhere."""

import uuid
from collections.abc import Iterator
from contextlib import suppress
from html.parser import HTMLParser
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.db import IntegrityError, models, transaction

from collector.accounts.groups import OURS
from collector.lib import clock
from collector.studies.models import Study, StudyVersion

MEANT = {
    "key", "language", "slug", "endpoint", "offered_days", "offered_zone", "countries", "keywords", "required_types",
    "excluded_types", "external_id", "completion_url", "consent_digest", "quiz_digest", "quiz",
}  # fmt: skip
"""Names of fields whose texts the code reads, or validates: no worker can write markup there."""
SHORTEST = 40
"""A field with less room holds codes and digests."""


def markup(number: int) -> str:
    """Return what leaves an attribute, a script and a text, where it is not escaped; ``number`` names its field."""
    return f"\"' x-{number}=1></script><x-{number}>"


def text_fields() -> Iterator[tuple[type[models.Model], str]]:
    """Yield every field of free text there is."""
    for model in apps.get_models():
        for field in model._meta.concrete_fields if model._meta.app_label in (*OURS, "accounts") else ():
            is_text = isinstance(field, models.CharField | models.TextField) and not field.choices
            if is_text and field.name not in MEANT and (field.max_length or SHORTEST) >= SHORTEST:
                yield model, field.name


def add(*names: str) -> None:
    """Add a row to each of these tables, without knowing what it is for."""
    for model in apps.get_models():
        if model.__name__ in names:
            needed = (
                field for field in model._meta.concrete_fields if not field.primary_key and not field.has_default()
            )
            model._default_manager.create(**{field.name: _value(field) for field in needed})


def _value(field: "models.Field[Any, Any]") -> Any:
    if isinstance(field, models.ForeignKey):
        return field.remote_field.model._default_manager.first()
    if field.null:
        return None
    if field.choices:
        return field.flatchoices[0][0]
    texts, times = models.CharField | models.TextField | models.FileField, models.DateTimeField
    return "x" if isinstance(field, texts) else clock.now() if isinstance(field, times) else _number(field)


def _number(field: "models.Field[Any, Any]") -> Any:
    return uuid.uuid4() if isinstance(field, models.UUIDField) else 1


def plant() -> dict[int, str]:
    """Write markup into every text of every row; return each field by its number."""
    planted = {}
    for number, (model, name) in enumerate(text_fields(), 1):
        rows = model._base_manager.all()  # of the plain kind: the log's own refuses
        if first := rows.order_by("pk").first():
            is_unique = getattr(model._meta.get_field(name), "unique", False)
            with suppress(IntegrityError), transaction.atomic():  # such as a draft that an ended row may not have
                (rows.filter(pk=first.pk) if is_unique else rows).update(**{name: markup(number)})
                planted[number] = f"{model.__name__}.{name}"
    for version in StudyVersion.objects.all():
        planted |= _plant_version(version)
    return planted


def _plant_version(version: StudyVersion) -> dict[int, str]:
    """Write markup into what workers read of a study: its versions hold it as JSON."""
    planted, content = {}, dict(version.content)
    for number, (name, said) in enumerate(sorted(content.items()), 1000):
        if isinstance(said, str) and name not in MEANT and _is_text(name):
            content[name] = markup(number)
            planted[number] = f"version.{name}"
    StudyVersion.objects.filter(pk=version.pk).update(content=content)
    return planted


def _is_text(name: str) -> bool:
    try:
        field = Study._meta.get_field(name)
    except FieldDoesNotExist:
        return False
    return isinstance(field, models.CharField | models.TextField) and not field.choices


class Found(HTMLParser):
    """What of the planted markup a browser would take for markup, and where a link would run something."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.broken: set[str] = set()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a planted element or attribute."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.broken |= {name for name in {tag} | self.attributes if name.startswith("x-") and name[2:].isdigit()}
        for name, value in attrs:
            if name in ("href", "src", "action", "formaction") and (value or "").strip().lower().startswith(
                "javascript"
            ):
                self.broken.add(f"{name}={value}")
