"""``heteroopt select``: another plan from the front in a plan file."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from heteroopt.api.choosing import bound_words, bounds_of, unit_of
from heteroopt.api.reasons import reasons_of
from heteroopt.api.shortfall import stored_no_feasible
from heteroopt.api.stored import stored_front, stored_measures, stored_plan
from heteroopt.cli.output import NONE_SATISFIES, fail, figure, print_json, with_unit
from heteroopt.cli.plan_command import default_weights
from heteroopt.cli.targets import check_targets
from heteroopt.deployment.plan_json import plan_document, write_document
from heteroopt.deployment.plan_reader import read_plan
from heteroopt.errors import PlanError
from heteroopt.front.measures import Measure
from heteroopt.front.rules import Bound, Selection
from heteroopt.front.selection import PRESETS, choose, knee_row


def execute(options: argparse.Namespace) -> int:
    """Choose, print, and write the chosen plan; 3 when nothing fits or is within the bounds."""
    check_targets(options.out)
    document = read_plan(options.plan)
    front = stored_front(document)
    objectives, measures = stored_measures(document)
    bounds = bounds_of(dict(options.min), dict(options.max), measures)
    selection, trouble = _select(options, objectives, measures, bounds), _no_feasible(document, front)
    if trouble is not None:
        selection = Selection(None, (), selection.removed_by, 0)
    row = selection.index if selection.index is not None else selection.nearest
    chosen = None if row is None else {key: front[row][key] for key in front[row] if key not in ("order", "device")}
    if options.out is not None and row is not None:
        _write(options.out, document, front[row]["number"])
    if options.json:
        print_json(
            {
                "satisfied": selection.index is not None,
                "plan": chosen,
                "passing": [front[index]["number"] for index in selection.passing],
                "removed_by": selection.removed_by,
                "violation": selection.violation or {},
                "trouble": None if trouble is None else trouble.to_dict(),
            }
        )
    else:
        if trouble is not None:
            fail(trouble, as_json=False)
        _print(selection, chosen, measures, row, fits=trouble is None)
        if options.out is not None and row is not None:
            print(f"Wrote {options.out}")
    return 0 if selection.index is not None else NONE_SATISFIES


def _no_feasible(document: dict[str, Any], front: list[dict[str, Any]]) -> PlanError | None:
    """The error of a file whose search found no plan that fits; its first plan misses by least."""
    if document["search"]["outcome"] != "no_feasible" and any(plan["feasible"] for plan in front):
        return None
    return stored_no_feasible(document, stored_plan(document, front[0]["number"]))


def _select(
    options: argparse.Namespace, objectives: tuple[str, ...], measures: dict[str, Measure], bounds: dict[str, Bound]
) -> Selection:
    if options.style == "knee" and not bounds:
        row = knee_row(np.column_stack([measures[key].costs for key in objectives]))
        if row is not None:
            return Selection(row, tuple(range(len(measures[objectives[0]].values))), {})
    weights = PRESETS.get(options.style) or default_weights(options.weights, objectives)
    return choose(measures, objectives, bounds, weights)


def _write(path: str, document: dict[str, Any], number: int) -> None:
    from dataclasses import replace

    plan = stored_plan(document, number)
    reasons = reasons_of(plan.problem, plan.graph, plan.pool, plan.costs, plan.schedule)
    chosen = replace(plan, reasons=reasons)
    write_document(path, plan_document(chosen, search=document["search"], with_inputs=True))


def _print(
    selection: Selection, chosen: dict[str, Any] | None, measures: dict[str, Measure], row: int | None, *, fits: bool
) -> None:
    if chosen is None or row is None:
        print("The front holds no plan.", file=sys.stderr)
        return
    if selection.index is None and fits:
        print("No plan is within the bounds; the nearest:", file=sys.stderr)
        for bound, amount in (selection.violation or {}).items():
            print(f"  misses {bound_words(bound, measures)} by {figure(amount)}{unit_of(bound, measures)}",
                  file=sys.stderr)  # fmt: skip
    within = f"; {len(selection.passing)} within the bounds" if fits else ", which does not fit"
    count = len(next(iter(measures.values())).values)
    print(f"Plan {chosen['number']} of {count}{within}")
    width = max(13, *(len(key) for key in measures))
    for key, entry in measures.items():
        if key == "cost_per_hour" and not np.any(entry.values):
            continue  # the pool states no prices
        value, unit = with_unit(float(entry.values[row]), entry.unit)
        print(f"  {key:<{width}} {value:>12} {unit:<5} {entry.multiples[row]:.3f} x".rstrip())
    for bound, removed in selection.removed_by.items():
        print(f"  {bound_words(bound, measures)} removes {removed}")
