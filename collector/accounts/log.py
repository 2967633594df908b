"""How does a deed come into the log? Pages and commands write it when it is done; the admin's own come by signals."""

from typing import Any
from urllib.parse import urlsplit

from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth.models import User
from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest

from collector.accounts.models import LogLine
from collector.accounts.roles import Deed, role_of
from collector.lib import clock

_ADMINS = {ADDITION: Deed.ADD, CHANGE: Deed.CHANGE, DELETION: Deed.DELETE}


def write(request: HttpRequest, deed: Deed, what: str, study: int | None = None, said: str = "") -> None:
    """Add what the person who asks has done. ``what`` and ``said`` name workers by number, never by id."""
    _add(request.user if isinstance(request.user, User) else None, deed, what, study, _page(request), said)


def write_command(command: str, deed: Deed, what: str, study: int | None = None, said: str = "") -> None:
    """Add what was done from the command line, where nobody has signed in."""
    _add(None, deed, what, study, f"manage.py {command}", said)


def _add(who: User | None, deed: Deed, what: str, study: int | None, page: str, said: str) -> None:
    role = role_of(who) if who else None
    LogLine.objects.create(
        at=clock.now(), who=who, role=role or "", deed=deed, what=what[:200], study=study, page=page[:200],
        said=said[:500],
    )  # fmt: skip


def _page(request: HttpRequest) -> str:
    """Return the path of the page on which a button was pressed, without what follows a question mark."""
    return urlsplit(request.headers.get("Referer", "")).path or request.path


def on_admin(sender: type[LogEntry], instance: LogEntry, created: bool, **_: Any) -> None:
    """Take over what the admin says of its own additions, changes and deletions."""
    if not created or (deed := _ADMINS.get(instance.action_flag)) is None:
        return
    kind = instance.content_type
    about = _object(instance)
    study = int(instance.object_id or 0) if kind and kind.model == "study" else getattr(about, "study_id", None)
    what = f"{kind.name if kind else 'something'} {instance.object_repr}"
    page = instance.get_admin_url() or "/admin/"
    _add(instance.user, deed, what, study, page, instance.get_change_message())


def _object(entry: LogEntry) -> Any:
    try:
        return entry.get_edited_object() if entry.content_type else None
    except ObjectDoesNotExist:
        return None


def on_failed_sign_in(sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    """Note a wrong password for an account that exists; what else was typed may be a password itself."""
    name = credentials.get("username") or ""
    if request is not None and User.objects.filter(username=name).exists():
        _add(None, Deed.SIGN_IN_FAILED, f"account {name}", None, request.path, "")
