"""Give an account a role: viewer, reviewer, researcher or owner; none shuts it out."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from collector.accounts import giving, log
from collector.accounts.roles import Deed, Role


class Command(BaseCommand):
    """The way to a role where nobody can give one in the admin yet."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the account's name and the role."""
        parser.add_argument("username")
        parser.add_argument("role", choices=[*Role, "none"])

    def handle(self, *args: Any, **options: Any) -> None:
        """Give it, and say what it was before."""
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            name = options["username"]
            raise CommandError(f"There is no account {name!r}. Make it: admin, Users, Add.")
        role = None if options["role"] == "none" else Role(options["role"])
        try:
            before, is_changed = giving.give(user, role)
        except giving.CannotGive as refused:
            raise CommandError(str(refused)) from refused
        said = giving.in_words(before, role)
        if is_changed:
            log.write_command("give_role", Deed.ROLE, f"account {user}", said=said)
        self.stdout.write(f"{user}: {said}.")
