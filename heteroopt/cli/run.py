"""Parses a command line, runs its command, and turns errors into messages and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from heteroopt.cli.output import NONE_SATISFIES, fail
from heteroopt.cli.parser import COMMANDS, make_parser
from heteroopt.cli.termination import Terminated
from heteroopt.errors import HeteroOptError

INTERRUPTED = 130
NO_PLAN_CODES = frozenset(("none_satisfies", "operator_unsupported", "no_feasible"))

WEB_COMMANDS = {"serve": "serve", "signin-url": "signin_url"}
"""Commands that the web application has, by the names of ours."""


def run(argv: Sequence[str] | None) -> int:
    """Exit code of one call; everything a person must know is printed."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in WEB_COMMANDS:
        return of_the_web(WEB_COMMANDS[arguments[0]], arguments[1:])
    try:
        options = make_parser().parse_args(arguments)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    try:
        command = import_module(f"heteroopt.cli.{COMMANDS[options.command]}")
        code: int = command.execute(options)
        sys.stdout.flush()
        return code
    except HeteroOptError as error:
        fail(error, as_json=options.json)
        return NONE_SATISFIES if error.code in NO_PLAN_CODES else 1
    except BrokenPipeError:
        # The reader of a pipe went away (| head): not an error, and nothing more can be printed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        says = f"{error.filename or 'A file'}: {error.strerror}."
        hint = "Check the path, and whether you may read or write there."
        fail(HeteroOptError("file", says, hint=hint), as_json=options.json)
        return 1
    except Terminated as told:
        print(f"Ended by {told}.", file=sys.stderr)
        return told.code
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return INTERRUPTED


def of_the_web(command: str, arguments: Sequence[str]) -> int:
    """Hand over to a command of the web application (``manage.py COMMAND``), which is not part of the engine."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        management = import_module("django.core.management")
        import_module("config.settings")
    except ModuleNotFoundError as error:
        missing = HeteroOptError(
            "web_unavailable",
            f"The web application is not installed: there is no module {error.name}.",
            hint="Install the heteroopt package with its web application, or start it with ./run in a checkout.",
        )
        fail(missing, as_json=False)
        return 1
    management.execute_from_command_line(["heteroopt", command, *arguments])
    return 0
