"""``heteroopt explain``: why operators are where they are, and what moving one would change."""

from __future__ import annotations

import argparse
from typing import Any

from heteroopt.api.reasons import explanation_of, reasons_of
from heteroopt.api.shortfall import stored_no_feasible
from heteroopt.api.stored import stored_plan
from heteroopt.cli.output import NONE_SATISFIES, fail, figure, print_json, table
from heteroopt.costs.table import ENERGY_SOURCES
from heteroopt.deployment.plan import Plan
from heteroopt.deployment.plan_reader import read_plan
from heteroopt.deployment.reason_text import reason_text
from heteroopt.simulation.naming import operator_index, unknown_operator
from heteroopt.units import BYTES_PER_MB


def execute(options: argparse.Namespace) -> int:
    """Print the reasons of all operators, or one operator with its alternatives; 3 when no plan of the file fits."""
    document = read_plan(options.plan)
    plan = stored_plan(document, options.number)
    trouble = stored_no_feasible(document, plan)
    fit = {"satisfied": trouble is None, "trouble": None if trouble is None else trouble.to_dict()}
    _print(options, plan, fit)
    if trouble is None:
        return 0
    if not options.json:
        fail(trouble, as_json=False)
    return NONE_SATISFIES


def _print(options: argparse.Namespace, plan: Plan, fit: dict[str, Any]) -> None:
    order = plan.schedule.order.tolist()
    if options.operator is not None:
        index = operator_index(plan.graph)
        if options.operator not in index:
            raise unknown_operator(options.operator)
        entry = explanation_of(plan.problem, plan.graph, plan.pool, plan.costs, plan.schedule, index[options.operator])
        if options.json:
            print_json({**entry, **fit})
        else:
            _one(entry, plan)
        return
    reasons = reasons_of(plan.problem, plan.graph, plan.pool, plan.costs, plan.schedule, at_any_size=True)
    assert reasons is not None
    rows = [
        {
            "operator": plan.graph.operators[operator].name,
            "op_type": plan.graph.operators[operator].op_type,
            "device": plan.pool.devices[int(plan.schedule.device[operator])].name,
            "reason": reasons[operator],
        }
        for operator in order
    ]
    if options.json:
        print_json({"number": plan.number, "operators": rows, **fit})
        return
    shown = [(row["operator"], row["op_type"], row["device"], reason_text(row["reason"])) for row in rows]
    print(table(("Operator", "Type", "Device", "Reason"), shown))


def _one(entry: dict[str, Any], plan: Plan) -> None:
    print(f"{entry['operator']} ({entry['op_type']}) on {entry['device']}: {reason_text(entry['reason'])}")
    rows = []
    row = operator_index(plan.graph)[entry["operator"]]
    for alternative in entry["alternatives"]:
        deltas = (alternative.get("delta_time_ms"), alternative.get("delta_energy_j"))
        source = ENERGY_SOURCES[int(plan.costs.energy_source[row, plan.pool.index(alternative["device"])])]
        balance, moved = alternative.get("delta_load_balance"), alternative.get("delta_transferred_bytes")
        rows.append(
            (
                alternative["device"],
                alternative.get("because") or alternative["code"].replace("_", " "),
                *(
                    "–" if value is None else f"{'+' if value > 0 else ''}{figure(value)}"
                    for value in (*deltas, balance, None if moved is None else moved / BYTES_PER_MB)
                ),
                "–" if deltas[1] is None else source,
            )
        )
    headings = ("Moved to", "Result", "Time (ms)", "Energy (J)", "Balance", "Transferred (MB)", "Energy source")
    print(table(headings, rows, right=(2, 3, 4, 5)))
