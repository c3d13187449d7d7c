"""``heteroopt explain``: why operators are where they are, and what moving one would change."""

from __future__ import annotations

import argparse
from typing import Any

from heteroopt.api.reasons import explanation_of, reasons_of
from heteroopt.api.stored import stored_plan
from heteroopt.cli.output import figure, print_json, table
from heteroopt.deployment.plan_reader import read_plan
from heteroopt.deployment.reason_text import reason_text
from heteroopt.simulation.naming import operator_index, unknown_operator


def execute(options: argparse.Namespace) -> int:
    """Print the reasons of all operators, or one operator with its alternatives."""
    plan = stored_plan(read_plan(options.plan), options.number)
    order = plan.schedule.order.tolist()
    if options.operator is not None:
        index = operator_index(plan.graph)
        if options.operator not in index:
            raise unknown_operator(options.operator)
        return _one(
            explanation_of(plan.problem, plan.graph, plan.pool, plan.costs, plan.schedule, index[options.operator]),
            as_json=options.json,
        )
    reasons = reasons_of(plan.problem, plan.graph, plan.pool, plan.costs, plan.schedule)
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
        print_json({"number": plan.number, "operators": rows})
        return 0
    shown = [(row["operator"], row["op_type"], row["device"], reason_text(row["reason"])) for row in rows]
    print(table(("Operator", "Type", "Device", "Reason"), shown))
    return 0


def _one(entry: dict[str, Any], *, as_json: bool) -> int:
    if as_json:
        print_json(entry)
        return 0
    print(f"{entry['operator']} ({entry['op_type']}) on {entry['device']}: {reason_text(entry['reason'])}")
    rows = []
    for alternative in entry["alternatives"]:
        deltas = (alternative.get("delta_time_ms"), alternative.get("delta_energy_j"))
        balance, moved = alternative.get("delta_load_balance"), alternative.get("delta_transferred_bytes")
        rows.append(
            (
                alternative["device"],
                alternative["code"].replace("_", " "),
                *(
                    "–" if value is None else f"{'+' if value > 0 else ''}{figure(value)}"
                    for value in (*deltas, balance, moved)
                ),
            )
        )
    headings = ("Moved to", "Result", "Time (ms)", "Energy (J)", "Balance", "Transferred (bytes)")
    print(table(headings, rows, right=(2, 3, 4, 5)))
    return 0
