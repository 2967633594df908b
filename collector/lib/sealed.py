"""How is an id kept that names somebody elsewhere? Encrypted, with a keyed digest beside it by which it is found.

A field opens what it reads and seals what it writes, so that code around it sees plain text and a dump does not. The
keys are MARKETPLACE_ID_KEYS: the first seals, all open, and ``reseal`` brings rows to the first. What is empty stays.
"""

import hmac
import json
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.apps import apps
from django.conf import settings
from django.db import models, transaction
from django.db.models import TextField, Value
from django.db.models.functions import Cast
from django.db.models.lookups import Exact, In

LENGTH = 32
"""Hexadecimal digits of a digest: 128 bits."""
BATCH = 500
"""So many rows are locked at once."""


class CannotOpen(Exception):
    """What was sealed with a key that is not there, or was changed."""


def seal(text: str) -> str:
    """Return a text as it is stored; an empty one as it is."""
    return _box(tuple(settings.MARKETPLACE_ID_KEYS)).encrypt(text.encode()).decode() if text else ""


def unseal(stored: str) -> str:
    """Return a text that was sealed with one of the keys. Raises CannotOpen."""
    if not stored:
        return ""
    try:
        return _box(tuple(settings.MARKETPLACE_ID_KEYS)).decrypt(stored.encode()).decode()
    except InvalidToken:
        raise CannotOpen(
            "No key of MARKETPLACE_ID_KEYS opens what is stored. Name the key it was sealed with, too: after the first."
        ) from None


def digests(text: str, scope: str) -> list[str]:
    """Return a text's digests by all keys, the first key's first; the same text has another one in another scope."""
    if not text:
        return [""]
    message = f"{scope}:{text}".encode()
    return [hmac.digest(_digest_key(key), message, "sha256").hex()[:LENGTH] for key in settings.MARKETPLACE_ID_KEYS]


@lru_cache(maxsize=8)
def _box(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


@lru_cache(maxsize=32)
def _digest_key(key: str) -> bytes:
    """Return a key for digests alone, derived so that neither it nor a digest helps to open anything."""
    return hmac.digest(urlsafe_b64decode(key), b"collector.lib.sealed.digest", "sha256")


_Set = TypeVar("_Set")
_Got = TypeVar("_Got")


class Secret(TextField[_Set, _Got]):
    """What is encrypted at rest. ``by`` names the Digest by which rows are found: exactly, and no other way."""

    def __init__(self, *args: Any, by: str = "", **options: Any) -> None:
        self.by = by
        super().__init__(*args, **options)

    def deconstruct(self) -> Any:
        """Name the digest for migrations."""
        name, path, args, options = super().deconstruct()
        return name, path, args, options | ({"by": self.by} if self.by else {})

    def get_lookup(self, lookup_name: str) -> Any:
        """Offer what a digest can answer; without one, only whether it is empty."""
        found = {"exact": _IsOne, "iexact": _IsOne, "in": _IsIn} if self.by else {"exact": _IsEmpty}
        return found.get(lookup_name)

    def get_transform(self, lookup_name: str) -> None:
        """Offer none: nothing can be asked of a part of it."""
        return


class Sealed(Secret[str, str]):
    """A text that is encrypted at rest."""

    def from_db_value(self, value: str | None, *_: Any) -> str:
        """Open what is read."""
        return unseal(value or "")

    def get_prep_value(self, value: Any) -> str:
        """Seal what is written."""
        return seal(str(value))


class SealedJSON(Secret[Any, Any]):
    """A dictionary that is encrypted at rest; it cannot be searched."""

    _pyi_private_set_type: Any  # what mypy's plugin takes the type of the attribute from

    def from_db_value(self, value: str | None, *_: Any) -> Any:
        """Open what is read."""
        return json.loads(unseal(value or "") or "{}")

    def get_prep_value(self, value: Any) -> Any:
        """Seal what is written."""
        return seal(json.dumps(value)) if value else ""

    def to_python(self, value: Any) -> Any:
        """Return it as it is."""
        return value

    def value_to_string(self, obj: models.Model) -> Any:
        """Return it as it is, too: serializers write a dictionary, and read it back as one."""
        return self.value_from_object(obj)


class Digest(models.CharField[str, str]):
    """The keyed digest of a Sealed field, written with it when a row is saved whole."""

    def __init__(self, *args: Any, of: str, **options: Any) -> None:
        self.of = of
        plain: dict[str, Any] = {"max_length": LENGTH, "blank": True, "default": "", "editable": False}
        super().__init__(*args, **plain | options)

    def deconstruct(self) -> Any:
        """Name the field it is made of for migrations."""
        name, path, args, options = super().deconstruct()
        return name, path, args, options | {"of": self.of}

    def all_of(self, text: str) -> list[str]:
        """Return what may be stored for a text: by each of the keys."""
        return digests(text, f"{self.model._meta.label_lower}.{self.of}")

    def pre_save(self, instance: models.Model, add: bool) -> str:
        """Make it of what is being saved."""
        made = self.all_of(getattr(instance, self.of))[0]
        setattr(instance, self.attname, made)
        return made


class _IsIn(In):
    """Compare digests in the place of texts."""

    def __init__(self, lhs: Any, rhs: Any) -> None:
        if not isinstance(rhs, Iterable) or isinstance(rhs, models.QuerySet):
            raise TypeError(f"{lhs.target}: give texts to find it by.")
        digest = lhs.target.model._meta.get_field(lhs.target.by)
        super().__init__(digest.get_col(lhs.alias), [made for text in rhs for made in digest.all_of(str(text))])


class _IsOne(_IsIn):
    """The same for one text."""

    def __init__(self, lhs: Any, rhs: Any) -> None:
        super().__init__(lhs, [rhs])


class _IsEmpty(Exact):
    """Compare with the empty text, which is stored as it is."""

    def get_prep_lookup(self) -> Any:
        """Refuse any other."""
        if self.rhs != "":
            raise TypeError(f"{self.lhs.target}: it can only be asked whether it is empty.")
        return self.rhs


def fields() -> Iterator[tuple[type[models.Model], list[Secret[Any, Any]]]]:
    """Yield every model that seals something, with the fields that do."""
    for model in apps.get_models():
        if found := sealed_of(model):
            yield model, found


def sealed_of(model: type[models.Model]) -> list[Secret[Any, Any]]:
    """Return the fields of a model that are sealed."""
    return [field for field in model._meta.fields if isinstance(field, Secret)]


def reseal(model: type[models.Model]) -> int:
    """Seal with the first key what was sealed with another; return how many rows. Raises CannotOpen."""

    def change(stored: str) -> str | None:
        return None if _is_first(stored) else unseal(stored)

    return _rewrite(model, change)


def seal_all(model: type[models.Model]) -> int:
    """Seal what is stored in plain, as it was before these fields were; return how many rows."""

    def change(stored: str) -> str | None:
        return None if _is_sealed(stored) else stored

    return _rewrite(model, change)


def unseal_all(model: type[models.Model]) -> int:
    """Store in plain what is sealed, for going back to before; return how many rows. Raises CannotOpen."""

    def change(stored: str) -> str | None:
        return unseal(stored) if _is_sealed(stored) else None

    return _rewrite(model, change, is_sealing=False)


def _rewrite(model: type[models.Model], change: Callable[[str], str | None], *, is_sealing: bool = True) -> int:
    """Store anew what ``change`` returns a text for; return how many rows were changed.

    A batch is one transaction: stopped between two, it goes on with what is left.
    """
    sealed, rows, done, last = sealed_of(model), model._default_manager.order_by("pk"), 0, 0
    names = [field.name for field in sealed]
    while batch := list(rows.filter(pk__gt=last).values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            locked = raw(rows.filter(pk__in=batch).select_for_update(of=("self",)), names)
            for pk, *stored in locked.values_list("pk", *(f"raw_{name}" for name in names)):
                texts = {field: change(text) for field, text in zip(sealed, stored, strict=True) if text}
                changes = _changes({field: text for field, text in texts.items() if text is not None}, is_sealing)
                done += bool(changes) and rows.filter(pk=pk).update(**changes)
        last = batch[-1]
    return done


def _changes(texts: dict[Secret[Any, Any], str], is_sealing: bool) -> dict[str, Any]:
    changes: dict[str, Any] = {
        field.name: Value(seal(text) if is_sealing else text, output_field=TextField()) for field, text in texts.items()
    }
    for field, text in texts.items():
        if field.by and is_sealing:
            digest = field.model._meta.get_field(field.by)
            changes[field.by] = digest.all_of(text)[0]  # type: ignore[union-attr]
    return changes


def raw(rows: "models.QuerySet[Any]", names: Iterable[str]) -> Any:
    """Return rows with ``raw_<name>``: what is stored, as it is stored."""
    return rows.annotate(**{f"raw_{name}": Cast(name, TextField()) for name in names})


def _is_first(stored: str) -> bool:
    return _opens((settings.MARKETPLACE_ID_KEYS[0],), stored)


def _is_sealed(stored: str) -> bool:
    return _opens(tuple(settings.MARKETPLACE_ID_KEYS), stored)


def _opens(keys: tuple[str, ...], stored: str) -> bool:
    try:
        _box(keys).decrypt(stored.encode())
    except InvalidToken:
        return False
    return True
