#!/usr/bin/env python
"""Django's command line."""

import os
import sys


def main() -> None:
    """Run a management command, or say in a sentence which setting cannot be used."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collector.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"The product does not start. {error}")


if __name__ == "__main__":
    main()
