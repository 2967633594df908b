"""Prepare the database, samples, pages and demo study, then run the product's processes until stopped."""

import os
import signal
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from collector.desk import addresses, supervision


class Command(BaseCommand):
    """What ``make run`` runs."""

    help = __doc__
    requires_system_checks = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the one option that make needs."""
        parser.add_argument(
            "--with-parent", action="store_true", help="stop when the process that started this one is gone"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Prepare, print the addresses, run."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, frame: sys.exit(128 + number))
        if options["with_parent"]:
            supervision.stop_with(os.getppid())
        try:
            port = addresses.claim(settings.HOST, settings.PORT)
            self._prepare()
        except addresses.AddressError as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            sys.exit(0)
        self._print_addresses(port)
        supervisor = supervision.Supervisor()
        supervisor.add("web", supervision.web_command(settings.HOST, port))
        supervisor.add("worker", supervision.worker_command())
        if addresses.is_ours_to_serve(settings.LOCALMARKET_URL):
            folder = settings.VAR_DIR / "localmarket"
            supervisor.add("market", supervision.market_command(settings.LOCALMARKET_URL, folder))
        else:
            self.stdout.write(f"  {settings.LOCALMARKET_URL} is served by another program; it is used as it is.")
        sys.exit(supervisor.run())

    def _prepare(self) -> None:
        call_command("prepare", verbosity=0, stdout=self.stdout)
        call_command("load_demo", stdout=self.stdout)
        connections.close_all()  # the processes have their own; a fork must not share ours

    def _print_addresses(self, port: int) -> None:
        found = [settings.PUBLIC_URL] if settings.PUBLIC_URL else addresses.origins(settings.HOST, port)
        for origin in found:
            self.stdout.write("")
            self.stdout.write(f"  Try it (you play both):   {origin}/desk/try/")
            self.stdout.write(f"  Invite a worker:          {origin}/join/demo/")
            self.stdout.write(f"  Local marketplace:        {settings.LOCALMARKET_URL}/worker/")
            self.stdout.write(f"  Admin:                    {origin}/admin/")
        self.stdout.write("\n  Ctrl-C stops it.\n")
        self.stdout.flush()
