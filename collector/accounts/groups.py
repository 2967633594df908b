"""Django's groups of the roles, and what each may do in the admin's own pages; in line after every migration."""

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db.models import Q

from collector.accounts.roles import Role

OURS = ("catalogue", "studies", "chat", "summaries", "relevance", "learning", "hits", "exports", "quality", "releases")
PRIVATE = ("letter", "message")
"""What workers and we wrote to each other."""
REPORTS = ("report", "videoreport")
EDITED = ("collection", "study", "studyvideo", "recruitment", "video", "script")
DELETED = ("collection", "study", "recruitment")


def _named(prefix: str, models: tuple[str, ...]) -> Q:
    return Q(content_type__app_label__in=OURS, codename__in=[f"{prefix}_{model}" for model in models])


def _permissions() -> dict[Role, Q]:
    """Return what each role may do beyond those before it."""
    ours = Q(content_type__app_label__in=OURS, codename__startswith="view_")
    accounts = Q(content_type__app_label="auth", codename__in=["view_user", "add_user", "change_user"])
    locked_out = Q(content_type__app_label="axes", codename__regex="^(view|delete)_")
    return {
        Role.VIEWER: ours & ~_named("view", PRIVATE),
        Role.REVIEWER: _named("change", REPORTS),
        Role.RESEARCHER: _named("view", PRIVATE) | _named("add", EDITED) | _named("change", EDITED)
        | _named("delete", ("studyvideo",)),
        Role.OWNER: _named("delete", DELETED) | accounts | locked_out,
    }  # fmt: skip


def bring_in_line(**_: Any) -> None:
    """Make the groups, and give and take their permissions; nothing is written where all is as it should be."""
    found = set(Group.objects.values_list("name", flat=True))
    Group.objects.bulk_create([Group(name=role) for role in Role if role not in found])
    groups = {group.name: group for group in Group.objects.filter(name__in=list(Role))}
    wanted = Q(pk__in=[])
    for role, more in _permissions().items():
        wanted |= more
        group, there = groups[role], set(Permission.objects.filter(wanted).values_list("pk", flat=True))
        if there != set(group.permissions.values_list("pk", flat=True)):
            group.permissions.set(there)
