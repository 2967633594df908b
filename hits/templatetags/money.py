"""How does a page show an amount? As everywhere else: ``{{ amount|dollars }}``."""

from decimal import Decimal

from django import template

from collector.lib import text

register = template.Library()


@register.filter
def dollars(amount: Decimal | int | None) -> str:
    """Return an amount as people read it; of what is not there, nothing is owed."""
    return text.dollars(amount or 0)
