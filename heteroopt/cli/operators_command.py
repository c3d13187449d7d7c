"""``heteroopt operators``: what a runtime of this machine does with every ONNX operator."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from heteroopt.cli.output import print_json, table
from heteroopt.cli.targets import check_targets
from heteroopt.precision.operator_map import OperatorMap, Status, map_operators
from heteroopt.precision.own_device import OwnDevice
from heteroopt.progress import Progress, ProgressCallback


def execute(options: argparse.Namespace) -> int:
    """Run the node tests and print the map; 1 where the device cannot be used."""
    check_targets(options.out)
    only = None if options.only is None else [name.strip() for name in options.only.split(",") if name.strip()]
    with OwnDevice.named(options.runtime, options.device) as device:
        made_at = datetime.now(UTC).isoformat(timespec="seconds")
        found = map_operators(device, only=only, made_at=made_at, progress=show_progress(quiet=options.json))
    if options.out is not None:
        Path(options.out).write_text(json.dumps(found.to_json(), ensure_ascii=False, indent=1) + "\n", "utf-8")
    if options.json:
        print_json(found.to_json())
        return 0
    _print(found, everything=options.all or only is not None)
    if options.out is not None:
        print(f"Wrote {options.out}")
    return 0


def show_progress(*, quiet: bool) -> ProgressCallback | None:
    """Return a callback that draws a line on a terminal, ``None`` elsewhere."""
    if quiet or not sys.stderr.isatty():
        return None

    def show(progress: Progress) -> None:
        end = "" if progress.done < progress.total else "\r\033[K"
        print(f"\r\033[K{progress.done} of {progress.total} {progress.phase}{end}", end="", file=sys.stderr, flush=True)

    return show


def _print(found: OperatorMap, *, everything: bool) -> None:
    rows = [
        (
            row.op_type,
            str(row.status).replace("_", " "),
            row.passed,
            row.failed,
            row.wrong,
            row.skipped,
            " ".join(part for part in (row.reason.code.replace("_", " "), row.reason.says[:80]) if part),
        )
        for row in found.operators
        if everything or row.status != Status.NATIVE
    ]
    if rows:
        print(table(("Operator", "Status", "Passed", "Failed", "Wrong", "Skipped", "Why"), rows, right=(2, 3, 4, 5)))
    counts = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in found.summary().items() if count)
    print(f"{found.label}, {found.device}: {counts} of {len(found.operators)} operators, {found.seconds:.0f} s")
