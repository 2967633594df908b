"""Accounts in the admin: who they are, and their role. What a role may do stands in the code."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from collector.accounts import giving, log
from collector.accounts.roles import Deed, Role, role_of

admin.site.unregister(User)
admin.site.unregister(Group)

ABOUT = {
    Role.VIEWER: "sees how studies go; no ids of workers, changes nothing",
    Role.REVIEWER: "also reviews and takes out of the data",
    Role.RESEARCHER: "also runs studies, pays, and may see ids",
    Role.OWNER: "also gives roles, and deletes",
}
_CHOICES = [("", "none: may not sign in here"), *((role.value, f"{role}: {about}") for role, about in ABOUT.items())]


class WithRole(forms.ModelForm[User]):
    """A form of an account that asks for its role."""

    role = forms.ChoiceField(choices=_CHOICES, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "role" in self.fields and self.instance.pk:
            self.fields["role"].initial = role_of(self.instance) or ""

    def clean(self) -> dict[str, Any]:
        """Keep the last owner."""
        cleaned = super().clean() or {}
        role = Role(cleaned["role"]) if cleaned.get("role") else None
        is_shut_out = "is_active" in cleaned and not cleaned["is_active"]
        try:
            if self.instance.pk:
                giving.check(User.objects.get(pk=self.instance.pk), None if is_shut_out else role)
        except giving.CannotGive as refused:
            raise forms.ValidationError(str(refused)) from refused
        return cleaned


class ChangeForm(WithRole, UserChangeForm[User]):
    """An account that is there."""


class AddForm(WithRole, AdminUserCreationForm[User]):
    """A new account."""


@admin.register(User)
class AccountAdmin(UserAdmin[User]):
    """Who may sign in, and as what. An account is shut out rather than deleted: the log and decisions name it."""

    form = ChangeForm
    add_form = AddForm
    list_display = ["username", "role", "is_active", "last_login"]
    list_filter = ["groups", "is_active"]
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Who", {"fields": ["first_name", "last_name", "email"]}),
        ("What they may do", {"fields": ["role", "is_active"]}),
    ]
    add_fieldsets = [(None, {"fields": ["username", "usable_password", "password1", "password2", "role"]})]

    @admin.display(description="role")
    def role(self, user: User) -> str:
        """Return the role."""
        return role_of(user) or "none"

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Nobody deletes: what somebody did keeps their name."""
        return False

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Give the role, and log it where it is another."""
        super().save_related(request, form, formsets, change)
        if "role" not in form.cleaned_data:
            return
        role = Role(form.cleaned_data["role"]) if form.cleaned_data["role"] else None
        before, is_changed = giving.give(form.instance, role)
        if is_changed:
            log.write(request, Deed.ROLE, f"account {form.instance}", said=giving.in_words(before, role))
