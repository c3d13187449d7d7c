"""All plans of a front as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from heteroopt.deployment.approval import NOT_APPROVED
from heteroopt.deployment.csv_cells import write_csv

COLUMNS: tuple[tuple[str, str], ...] = (
    ("number", "plan"),
    ("exec_time_ms", "execution time (ms)"),
    ("energy_j", "energy (J)"),
    ("load_balance", "load balance (variance)"),
    ("exec_time_x", "execution time (x default)"),
    ("energy_x", "energy (x default)"),
    ("load_balance_x", "load balance (x default)"),
    ("energy_source", "energy source"),
    ("peak_memory_bytes", "peak memory (bytes)"),
    ("transferred_bytes", "transferred (bytes)"),
    ("n_transfers", "transfers"),
    ("overflow_bytes", "overflow (bytes)"),
    ("feasible", "feasible"),
    ("hash", "hash"),
    ("approval", "approval"),
)
"""Key of each column and its heading, with the unit."""


_SHOWN = frozenset((*(key for key, _ in COLUMNS), "exec_time_ms", "energy_j", "load_balance"))


def front_csv(plans: Iterable[Mapping[str, Any]]) -> str:
    """CSV text, one row per plan in the order given; keys that a plan lacks stay empty.
    ``approval`` is a text, by default that nobody approved the plan.

    Further measures (``values`` and ``multiples`` by key) follow in columns of their own, named by key.
    """
    rows = list(plans)
    further = list(dict.fromkeys(key for plan in rows for key in plan.get("values", {}) if key not in _SHOWN))
    times = [key for key in dict.fromkeys(k for plan in rows for k in plan.get("multiples", {})) if key not in _BASIC]
    headings = [heading for _, heading in COLUMNS] + further + [f"{key} (x default)" for key in times]
    return write_csv(
        headings,
        (
            [plan.get(key, NOT_APPROVED if key == "approval" else None) for key, _ in COLUMNS]
            + [plan.get("values", {}).get(key) for key in further]
            + [plan.get("multiples", {}).get(key) for key in times]
            for plan in rows
        ),
    )


_BASIC = frozenset(("exec_time_ms", "energy_j", "load_balance"))
