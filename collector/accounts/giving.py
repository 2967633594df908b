"""How does somebody get a role, or lose it? On the page of their account, and by the command ``give_role``."""

from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Q

from collector.accounts.roles import Role, role_of


class CannotGive(Exception):
    """Why a role was not given, in a sentence."""


def check(user: User, role: Role | None) -> None:
    """Raise CannotGive where nobody would be left who can give roles."""
    others = User.objects.filter(Q(is_superuser=True) | Q(is_staff=True, groups__name=Role.OWNER), is_active=True)
    if role != Role.OWNER and role_of(user) == Role.OWNER and not others.exclude(pk=user.pk).exists():
        raise CannotGive("This is the only owner left. Make somebody else an owner first.")


def give(user: User, role: Role | None) -> tuple[Role | None, bool]:
    """Give an account this role and no other, or none; return what it was, and whether that is a change."""
    before = role_of(user)
    check(user, role)
    with transaction.atomic():
        user.groups.remove(*Group.objects.filter(name__in=list(Role)))
        if role is not None:
            user.groups.add(Group.objects.get(name=role))
        user.is_staff, user.is_superuser = role is not None, user.is_superuser and role == Role.OWNER
        user.save(update_fields=["is_staff", "is_superuser"])
    return before, before != role


def in_words(before: Role | None, after: Role | None) -> str:
    """Say what a role was and is."""
    return f"{before or 'none'} before, now {after or 'none'}"
