"""The ``heteroopt`` command."""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; exit codes: 0 done, 1 error, 2 usage, 3 no plan fits or is within bounds, 130 interrupted."""
    from heteroopt.cli.run import run

    return run(argv)
