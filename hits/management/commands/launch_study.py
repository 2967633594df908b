"""Begin recruiting for a study on a marketplace: ``manage.py launch_study SLUG --environment local``."""

from argparse import ArgumentParser, ArgumentTypeError
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from collector.accounts import log
from collector.accounts.roles import Deed
from collector.lib import clock
from collector.studies.models import Study
from hits import launching
from hits.marketplace import environments
from hits.marketplace.base import MarketplaceError
from hits.models import Environment, Recruitment


def dollars(text: str) -> Decimal:
    """Return an amount in US dollars that was typed."""
    try:
        amount = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not (amount.is_finite() and 0 < amount < 10**8 and amount == amount.quantize(Decimal("0.01"))):
        raise ArgumentTypeError(f"{text!r} is no amount of US dollars above 0, such as 150 or 99.50.")
    return amount


def number(text: str) -> int:
    """Return a number of dialogs that was typed."""
    if not text.isdecimal() or not 0 < int(text) < 10**6:
        raise ArgumentTypeError(f"{text!r} is no number of dialogs, such as 10.")
    return int(text)


class Command(BaseCommand):
    """Show what it means, then launch; started again it goes on where it was interrupted."""

    help = "Show who may work, the cost and the wage, then publish the first HITs. Safe to run again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("study", metavar="SLUG")
        parser.add_argument("--environment", default="local", choices=Environment.values)
        parser.add_argument("--dialogs", type=number, help="wanted in all (default: what is stored, or 10)")
        parser.add_argument("--budget", type=dollars, help="US dollars with fees (default: what is stored, or 100)")
        parser.add_argument("--dry-run", action="store_true", help="show everything, publish nothing")
        parser.add_argument("--live", default="", metavar="DIALOGS", help="live only: repeat the number of dialogs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Preview and launch."""
        recruitment = self._recruitment(options)
        if options["environment"] == Environment.LIVE and options["live"] != str(recruitment.dialogs_wanted):
            raise CommandError(f"Live costs real money: repeat the number with --live {recruitment.dialogs_wanted}.")
        try:
            market = environments.adapter(recruitment.environment)
            self._show(launching.preview(recruitment, market.balance()))
            if not options["dry_run"]:
                opened = launching.launch(recruitment, market)
                what = f"recruiting for {recruitment}"
                log.write_command("launch_study", Deed.LAUNCH, what, recruitment.study_id)
                self.stdout.write(f"{opened} HITs are open in {recruitment.environment}.")
        except (launching.CannotLaunch, MarketplaceError) as error:
            raise CommandError(str(error)) from None

    def _recruitment(self, options: dict[str, Any]) -> Recruitment:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)[:20])
            raise CommandError(f"There is no study {options['study']!r}. The studies are: {known or 'none yet'}.")
        found, _ = Recruitment.objects.get_or_create(
            study=study,
            environment=options["environment"],
            defaults={
                "title": study.title,
                "description": study.purpose,
                "dialogs_wanted": options["dialogs"] or 10,
                "budget": options["budget"] or Decimal(100),
                "created_at": clock.now(),
            },
        )
        for name, value in (("dialogs_wanted", options["dialogs"]), ("budget", options["budget"])):
            if value is not None:
                setattr(found, name, value)
        found.save()
        return found

    def _show(self, seen: launching.Preview) -> None:
        self.stdout.write("Who may work:")
        for sentence in seen.words:
            self.stdout.write(f"  {sentence}")
        cost = seen.estimate
        self.stdout.write(
            f"Expected cost: ${cost.total:.2f} (rewards {cost.rewards:.2f}, bonuses {cost.bonuses:.2f}, waiting "
            f"{cost.waiting:.2f}, lost dialogs {cost.lost:.2f}, fees {cost.fees:.2f})"
        )
        source = "measured" if seen.is_piloted else "by the study's own estimate"
        self.stdout.write(f"Hourly wage: ${seen.wage:.2f}, {source}. {seen.advice}")
