"""Accounts in the admin: who they are, and their role. What a role may do stands in the code."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group, User
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from collector.accounts import giving, log, two_factor
from collector.accounts.roles import Deed, Role, role_of

admin.site.unregister(User)
admin.site.unregister(Group)
for _device in (TOTPDevice, StaticDevice):
    admin.site.unregister(_device)  # their pages show keys and codes

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

    reset_two_factor = forms.BooleanField(
        label="take it away", required=False,
        help_text="For who has lost app and recovery codes: the password alone lets them in, to set up a new one.",
    )  # fmt: skip


class AddForm(WithRole, AdminUserCreationForm[User]):
    """A new account."""


@admin.register(User)
class AccountAdmin(UserAdmin[User]):
    """Who may sign in, and as what. An account is shut out rather than deleted: the log and decisions name it."""

    form = ChangeForm
    add_form = AddForm
    list_display = ["username", "role", "two_factor", "is_active", "last_login"]
    readonly_fields = ["two_factor"]
    list_filter = ["groups", "is_active"]
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Who", {"fields": ["first_name", "last_name", "email"]}),
        ("What they may do", {"fields": ["role", "is_active"]}),
        ("Second factor", {"fields": ["two_factor", "reset_two_factor"]}),
    ]
    add_fieldsets = [(None, {"fields": ["username", "usable_password", "password1", "password2", "role"]})]

    @admin.display(description="role")
    def role(self, user: User) -> str:
        """Return the role."""
        return role_of(user) or "none"

    @admin.display(description="second factor", boolean=True)
    def two_factor(self, user: User) -> bool:
        """Tell whether they have set one up."""
        return bool(user.has_app) if hasattr(user, "has_app") else two_factor.device_of(user) is not None

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Ask for the second factors of a whole list at once."""
        apps = TOTPDevice.objects.filter(user=OuterRef("pk"), confirmed=True)
        return super().get_queryset(request).annotate(has_app=Exists(apps))

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Nobody deletes: what somebody did keeps their name."""
        return False

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Give the role, and log it where it is another."""
        super().save_related(request, form, formsets, change)
        if form.cleaned_data.get("reset_two_factor") and two_factor.take_away(form.instance):
            log.write(request, Deed.RESET_TWO_FACTOR, f"account {form.instance}")
        if "role" not in form.cleaned_data:
            return
        role = Role(form.cleaned_data["role"]) if form.cleaned_data["role"] else None
        before, is_changed = giving.give(form.instance, role)
        if is_changed:
            log.write(request, Deed.ROLE, f"account {form.instance}", said=giving.in_words(before, role))
