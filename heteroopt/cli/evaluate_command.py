"""``heteroopt evaluate``: a placement made by hand, decoded and checked like any plan."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from heteroopt.api.goals import MemoryConstraint
from heteroopt.api.placement import Evaluation, evaluate
from heteroopt.cli.devices_command import calibrated_pool, load_pool
from heteroopt.cli.model_option import read_model
from heteroopt.cli.output import NONE_SATISFIES, print_json
from heteroopt.cli.targets import check_targets
from heteroopt.costs.tables import load_given


def execute(options: argparse.Namespace) -> int:
    """Evaluate and report; 3 when the placement does not fit, after writing it all the same."""
    from_tables = options.tables is not None
    if (
        from_tables != (options.model is None)
        or from_tables == (options.pool is not None)
        or (from_tables and options.training)
    ):
        print(
            "usage: heteroopt evaluate MODEL --pool POOL --placement FILE, or with --tables FILE in place of both",
            file=sys.stderr,
        )
        return 2
    check_targets(options.out, options.csv)
    evaluation = _evaluate(options)
    written = {}
    if options.out is not None:
        evaluation.save(options.out)
        written["out"] = options.out
    if options.csv is not None:
        Path(options.csv).write_text(evaluation.to_csv(), "utf-8", newline="")
        written["csv"] = options.csv
    if options.json:
        print_json(
            {
                "model": evaluation.result.graph.name,
                "pool": evaluation.result.pool.name,
                "default_plan": evaluation.result.default_plan,
                "plan": {**evaluation.to_dict(), "devices": evaluation.devices},
                "operators": evaluation.operators,
                "written": written,
            }
        )
    else:
        print(evaluation.summary())
        for path in written.values():
            print(f"Wrote {path}")
    return 0 if evaluation.feasible else NONE_SATISFIES


def _evaluate(options: argparse.Namespace) -> Evaluation:
    settings: dict[str, Any] = {
        "constraints": [] if options.max_memory_gb is None else [MemoryConstraint(options.max_memory_gb)]
    }
    placement = Path(options.placement)
    if options.tables is not None:
        given = load_given(Path(options.tables))
        return evaluate(given.graph, given.pool, placement, costs=given.costs, **settings)
    pool = calibrated_pool(load_pool(options.pool), options.calibration, options.profile)
    return evaluate(read_model(options), pool, placement, fuse=not options.no_fuse, **settings)
