"""See the package's own docstring."""

from axes import apps as axes
from django.apps import AppConfig
from django.contrib.auth.signals import user_login_failed
from django.db.models.signals import post_migrate, post_save


class SigningInConfig(axes.AppConfig):  # type: ignore[misc]
    """Who may not sign in for a while after wrong passwords, under a name that says so."""

    default = False
    verbose_name = "Signing in, and wrong passwords"


class AccountsConfig(AppConfig):
    """The accounts app; the last of the installed, so that every permission is there when its groups get theirs."""

    name = "collector.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Keep the groups in line, and hear what the admin writes down."""
        from django.contrib.admin.models import LogEntry

        from collector.accounts import groups, log

        post_migrate.connect(groups.bring_in_line, sender=self, dispatch_uid="accounts")
        post_save.connect(log.on_admin, sender=LogEntry, dispatch_uid="accounts")
        user_login_failed.connect(log.on_failed_sign_in, dispatch_uid="accounts")
