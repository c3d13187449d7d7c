"""Runs a Django management command with HeteroOpt's settings: ``python -m config COMMAND``."""

from __future__ import annotations

import os
import sys

from config.open_files import allow_many


def main() -> None:
    """Run the command in ``sys.argv``; a wrong environment value ends with a message, not with a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    allow_many()
    if sys.argv[1:] == ["serve"]:
        # The supervisor starts the web process before it loads Django itself, which a management command cannot.
        os.execv(sys.executable, [sys.executable, "-m", "workers"])
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"heteroopt: {error}")


if __name__ == "__main__":
    main()
