"""``heteroopt regress``: single operators, or small trainings, on two runtimes."""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from heteroopt.cli.operators_command import show_progress
from heteroopt.cli.output import figure, print_json, table
from heteroopt.cli.runtimes_option import two_devices
from heteroopt.cli.targets import check_targets
from heteroopt.errors import HeteroOptError
from heteroopt.precision.comparison import run_operator_regression
from heteroopt.precision.regressions import regressions
from heteroopt.precision.training_loss import compare_loss


def execute(options: argparse.Namespace) -> int:
    """Compare, print what is out, and with ``--before`` what got worse."""
    check_targets(options.out)
    before = None if options.before is None else _read(options.before, "loss" if options.loss else "operators")
    left, right = two_devices(options.runtimes)
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    progress = show_progress(quiet=options.json)
    with left, right:
        if options.loss:
            result = compare_loss(left, right, seed=options.seed, made_at=made_at, progress=progress).to_json()
        else:
            run = run_operator_regression(
                left, right, cases=options.cases, seed=options.seed, made_at=made_at, progress=progress
            )
            result = run.to_json()
    if before is not None:
        result["since"] = regressions(before, result)
    if options.out is not None:
        Path(options.out).write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", "utf-8")
    if options.json:
        print_json(result)
    elif options.loss:
        _print_loss(result)
    else:
        _print_operators(result)
    return 0


def _read(path: str, kind: str) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads(Path(path).read_text("utf-8"))
        if data["kind"] == kind:
            return data
    except (ValueError, KeyError, TypeError):
        pass
    raise HeteroOptError(
        "run_invalid", f"{path} holds no run of {kind}.", hint="Use what `heteroopt regress --out` wrote."
    )


def _print_operators(result: dict[str, Any]) -> None:
    rows = [
        (case["key"], case["status"].replace("_", " "), figure(case["scaled_error"]), figure(case["tolerance"]),
         case["suspect"], case["verdict"] or (case["reason"] or {}).get("message", "")[:80])
        for case in result["cases"]
        if case["status"] != "within"
    ]  # fmt: skip
    if rows:
        print(table(("Case", "Status", "Scaled error", "Tolerance", "Suspect", "What mends it"), rows, right=(2, 3)))
    summary = result["summary"]
    print(
        f"{summary['within']} of {summary['cases']} within tolerance, "
        f"{summary['out']} out, {summary['not_run']} not run"
    )
    _print_since(result)


def _print_loss(result: dict[str, Any]) -> None:
    rows = [
        (row["network"], row["status"], row["steps"], figure(row["largest_difference"] or 0.0), row["left_last"],
         row["right_last"])
        for row in result["summary"]["networks"]
    ]  # fmt: skip
    print(table(("Network", "Status", "Steps", "Largest difference", "Last loss", "Other's"), rows, right=(2, 3, 4, 5)))
    _print_since(result)


def _print_since(result: dict[str, Any]) -> None:
    since = result.get("since")
    if since is None:
        return
    for change in since["fingerprints"]:
        print(f"Changed: {change['side']} from {change['before']} to {change['after']}")
    for finding in since["findings"]:
        print(f"Worse: {finding['kind'].replace('_', ' ')} {finding['key']} {finding['side']}: "
              f"{finding['before']} to {finding['after']}")  # fmt: skip
    if not since["findings"]:
        print("Nothing got worse.")
