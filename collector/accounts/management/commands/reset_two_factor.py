"""Take somebody's second factor away: for the owner who has lost the app and the recovery codes."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from collector.accounts import log, two_factor
from collector.accounts.roles import Deed


class Command(BaseCommand):
    """The way back in where nobody else can open it in the admin."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the account's name."""
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        """Take it away."""
        user = User.objects.filter(username=options["username"]).first()
        if user is None or not two_factor.take_away(user):
            raise CommandError(
                f"There is no account {options['username']!r} with a second factor. Nothing was changed."
            )
        log.write_command("reset_two_factor", Deed.RESET_TWO_FACTOR, f"account {user}")
        self.stdout.write(f"{user}: the password alone lets them in, to set up a new second factor.")
