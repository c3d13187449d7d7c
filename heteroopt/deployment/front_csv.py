"""All plans of a front as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from heteroopt.deployment.csv_cells import write_csv

COLUMNS: tuple[tuple[str, str], ...] = (
    ("number", "plan"),
    ("exec_time_ms", "execution time (ms)"),
    ("energy_j", "energy (J)"),
    ("load_balance", "load balance (variance)"),
    ("exec_time_x", "execution time (x default)"),
    ("energy_x", "energy (x default)"),
    ("load_balance_x", "load balance (x default)"),
    ("peak_memory_bytes", "peak memory (bytes)"),
    ("transferred_bytes", "transferred (bytes)"),
    ("n_transfers", "transfers"),
    ("overflow_bytes", "overflow (bytes)"),
    ("feasible", "feasible"),
    ("hash", "hash"),
)
"""Key of each column and its heading, with the unit."""


def front_csv(plans: Iterable[Mapping[str, Any]]) -> str:
    """CSV text, one row per plan in the order given; keys that a plan lacks stay empty."""
    return write_csv([heading for _, heading in COLUMNS], ([plan.get(key) for key, _ in COLUMNS] for plan in plans))
