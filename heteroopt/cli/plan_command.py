"""``heteroopt plan``: search, choose, write."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from heteroopt.api.goals import MemoryConstraint, Objective, objective_key
from heteroopt.api.result import Result
from heteroopt.api.scheduler import Scheduler
from heteroopt.api.solution import Solution
from heteroopt.cli.devices_command import calibrated_pool, load_pool
from heteroopt.cli.model_option import read_model
from heteroopt.cli.output import NONE_SATISFIES, ProgressBar, fail, print_json
from heteroopt.cli.targets import check_targets
from heteroopt.costs.tables import load_given
from heteroopt.errors import PlanError
from heteroopt.search.columns import annealing_of
from heteroopt.search.constraints import Constraint
from heteroopt.simulation.objectives import DEFAULT_KEYS, find_objective

NEAREST_CODES = ("none_satisfies", "no_feasible")
"""Outcomes that name the nearest plan, which is then written."""
DEFAULT_WEIGHTS = (50.0, 30.0, 20.0)


def execute(options: argparse.Namespace) -> int:
    """Search and report; 3 when no plan fits or satisfies the bounds, after writing the nearest one."""
    from_tables = options.tables is not None
    if (
        from_tables != (options.model is None)
        or from_tables == (options.pool is not None)
        or (from_tables and options.training)
    ):
        print("usage: heteroopt plan MODEL --pool POOL, or heteroopt plan --tables FILE", file=sys.stderr)
        return 2
    if options.weights is not None and len(options.weights) != len(options.objective or DEFAULT_KEYS):
        count = len(options.objective or DEFAULT_KEYS)
        print(
            f"usage: heteroopt plan ... --weights {','.join('W' * count)}: a number for each objective", file=sys.stderr
        )
        return 2
    check_targets(options.out, options.html, options.csv)
    scheduler = _scheduler(options)
    unaimed = [key for key in scheduler.settings.objectives if annealing_of(find_objective(key)) == "none"]
    if unaimed and not options.json:
        print(f"Note: the polish of the best plans cannot work towards {', '.join(unaimed)}, as plugins measure it; "
              "the search finds its best plans without.", file=sys.stderr)  # fmt: skip
    bar = ProgressBar(quiet=options.quiet or options.json)
    try:
        result = scheduler.run(seed=options.seed, progress=bar)
    finally:
        bar.close()
    trouble: PlanError | None = None
    try:
        chosen = result.select(
            options.style,
            default_weights(options.weights, result.front.objectives),
            minimum=dict(options.min),
            maximum=dict(options.max),
        )
    except PlanError as error:
        if error.code not in NEAREST_CODES or not isinstance(error.params["nearest"], int):
            raise
        trouble = error
        chosen = result.pareto_front[error.params["nearest"] - 1]
    written = _write(options, result, chosen)
    _report(options, result, chosen, trouble, written)
    return NONE_SATISFIES if trouble is not None else 0


def default_weights(given: Sequence[float] | None, objectives: Sequence[str]) -> Sequence[float]:
    """Weights of the objectives in their order: 50, 30 and 20 of the default three, else equal ones."""
    if given is not None:
        return given
    return DEFAULT_WEIGHTS if tuple(objectives) == DEFAULT_KEYS else (1.0,) * len(objectives)


def _scheduler(options: argparse.Namespace) -> Scheduler:
    settings: dict[str, Any] = {
        "objectives": None if options.objective is None else [Objective(key) for key in options.objective],
        "constraints": [
            *([] if options.max_memory_gb is None else [MemoryConstraint(options.max_memory_gb)]),
            *(Constraint(objective_key(name), **{end: value}) for name, end, value in options.constraint),
        ],
        "items_in_flight": options.items_in_flight,
        "micro_batches": options.micro_batches,
        "arrival_rate_per_s": options.arrival_rate,
        "population_size": options.population,
        "generations": options.generations,
        "mutation_prob": options.mutation_prob,
        "pins": dict(options.pin),
        "forbidden_devices": options.forbid,
        "warm_start": options.warm_start,
        "islands": options.islands,
    }
    if options.tables is not None:
        given = load_given(Path(options.tables))
        return Scheduler(given.graph, given.pool, costs=given.costs, **settings)
    pool = calibrated_pool(load_pool(options.pool), options.calibration, options.profile)
    return Scheduler(read_model(options), pool, fuse=not options.no_fuse, **settings)


def _write(options: argparse.Namespace, result: Result, chosen: Solution) -> dict[str, str]:
    written = {}
    if options.out is not None:
        chosen.save(options.out)
        written["out"] = options.out
    if options.html is not None:
        result.save_html(options.html, chosen)
        written["html"] = options.html
    if options.csv is not None:
        Path(options.csv).write_text(chosen.to_csv(), "utf-8", newline="")
        written["csv"] = options.csv
    return written


def _report(
    options: argparse.Namespace, result: Result, chosen: Solution, trouble: PlanError | None, written: dict[str, str]
) -> None:
    if options.json:
        print_json(
            {
                "outcome": result.outcome,
                "seed": result.seed,
                "model": result.graph.name,
                "pool": result.pool.name,
                "generation": result.snapshot.generation,
                "evaluations": result.snapshot.evaluations,
                "hypervolume": result.hypervolume,
                "default_plan": result.default_plan,
                "plan": {**chosen.to_dict(), "devices": chosen.devices},
                "front": [solution.to_dict() for solution in result.pareto_front],
                "satisfied": trouble is None,
                "trouble": None if trouble is None else trouble.to_dict(),
                "written": written,
            }
        )
        return
    print(chosen.summary())
    for path in written.values():
        print(f"Wrote {path}")
    if trouble is not None:
        fail(trouble, as_json=False)
