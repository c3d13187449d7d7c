"""The operator table of a plan as CSV."""

from __future__ import annotations

import json
from collections.abc import Sequence

from heteroopt.deployment.approval import approval_text
from heteroopt.deployment.csv_cells import write_csv
from heteroopt.deployment.plan import Plan
from heteroopt.deployment.reason_text import reason_text
from heteroopt.deployment.tables import operator_rows, outputs_of

COLUMNS: tuple[tuple[str, str], ...] = (
    ("order", "order"),
    ("index", "index"),
    ("name", "name"),
    ("op_type", "op_type"),
    ("device", "device"),
    ("start_ms", "start (ms)"),
    ("end_ms", "end (ms)"),
    ("time_ms", "time (ms)"),
    ("energy_j", "energy (J)"),
    ("cost_source", "cost source"),
    ("energy_source", "energy source"),
    ("precision", "precision"),
    ("reason_code", "reason code"),
    ("reason", "reason"),
    ("members", "model operators"),
    ("member_indices", "model indices"),
    ("member_outputs", "model outputs"),
    ("model_hash", "model hash"),
    ("segment", "segment"),
    ("approval", "approval"),
)
"""Key of each column and its heading, with the unit."""


def members_text(names: Sequence[str]) -> str:
    """Names as JSON array text, from which each can be read back whatever characters it has."""
    return json.dumps(list(names), ensure_ascii=False)


def operator_csv(plan: Plan) -> str:
    """CSV text, one row per scheduled operator in the order of execution; model operators as JSON arrays of their
    names, of their indices and of the names of their outputs.
    """
    rows, approval = [], approval_text(plan.approval)
    for row in operator_rows(plan):
        reason = row["reason"] or {}
        row["reason_code"] = reason.get("code")
        row["reason"] = reason_text(reason) if reason else None
        members = plan.graph.operators[row["index"]].members
        row["members"] = members_text(row["members"])
        row["member_indices"] = json.dumps(members)
        row["member_outputs"] = json.dumps([outputs_of(plan, member) for member in members], ensure_ascii=False)
        row["model_hash"] = plan.original.content_hash
        row["approval"] = approval
        rows.append([row[key] for key, _ in COLUMNS])
    return write_csv([heading for _, heading in COLUMNS], rows)
