"""``heteroopt compare``: a model on two runtimes, and where their results part."""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path

from heteroopt.cli.operators_command import show_progress
from heteroopt.cli.output import figure, print_json, table
from heteroopt.cli.runtimes_option import two_devices
from heteroopt.cli.targets import check_targets
from heteroopt.precision.model_drift import ModelDrift, compare_model

MOST_ROWS = 10


def execute(options: argparse.Namespace) -> int:
    """Compare and print; the result is 0 also where the runtimes differ, as that is what was asked."""
    check_targets(options.out)
    model = Path(options.model).read_bytes()
    left, right = two_devices(options.runtimes)
    with left, right:
        made_at = datetime.now(UTC).isoformat(timespec="seconds")
        progress = show_progress(quiet=options.json)
        found = compare_model(model, left, right, seed=options.seed, made_at=made_at, progress=progress)
    if options.out is not None:
        Path(options.out).write_text(json.dumps(found.to_json(), ensure_ascii=False, indent=1) + "\n", "utf-8")
    if options.json:
        print_json(found.to_json())
    else:
        _print(found)
    return 0


def _print(found: ModelDrift) -> None:
    rungs = [
        (
            rung.name.replace("_", " "),
            figure(rung.distance.scaled),
            figure(rung.tolerance),
            "yes" if rung.within else "no",
        )
        for rung in found.ladder
    ]
    print(table(("Results", "Scaled error", "Tolerance", "Within"), rungs, right=(1, 2)))
    summary = found.summary()
    if found.first is None:
        print(f"\nAll {len(found.operators)} operators are within tolerance.")
        return
    print(
        f"\nFirst to drift: {found.first.operator} ({found.first.op_type}); "
        f"{summary['out']} of {len(found.operators)} operators are out of tolerance"
    )
    out = [row for row in found.operators if row.status == "out"][:MOST_ROWS]
    rows = [
        (row.operator, row.op_type, figure(row.distance.scaled), figure(row.before), figure(row.tolerance))
        for row in out
    ]
    print(table(("Operator", "Type", "Scaled error", "Before", "Tolerance"), rows, right=(2, 3, 4)))
    if summary["verdict"]:
        print(f"\nWhat mends it: {summary['verdict']}")
