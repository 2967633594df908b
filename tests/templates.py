"""Compile every template of the project: a tag that does not exist is found before a page is opened."""

import os
import sys
from pathlib import Path

import django
from django.conf import settings
from django.template import TemplateDoesNotExist, TemplateSyntaxError
from django.template.loader import get_template

BASE_DIR = Path(__file__).resolve().parent.parent
MARKET = BASE_DIR / "hits" / "localmarket"
"""The local marketplace is a product of its own, with its own settings."""


def broken() -> list[str]:
    """Return a line for each template that cannot be compiled, of the product whose settings are set up."""
    lines = []
    is_market = settings.SETTINGS_MODULE == "hits.localmarket.settings"
    for path in sorted(BASE_DIR.glob("*/**/templates/**/*.*")):
        if not path.is_file() or path.is_relative_to(settings.VAR_DIR) or ".venv" in str(path):
            continue
        if path.is_relative_to(MARKET) != is_market:
            continue
        name = str(path).rpartition("/templates/")[2]
        try:
            get_template(name)
        except (TemplateSyntaxError, TemplateDoesNotExist) as error:
            lines.append(f"{path}: {error}")
    return lines


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collector.settings")
    django.setup()
    sys.exit("\n".join(broken()) or None)
