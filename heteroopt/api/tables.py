"""Problems in plain tables: graph, pool and costs from one JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from heteroopt.api.graph import Graph
from heteroopt.api.pool import DevicePool
from heteroopt.costs.table import CostTable
from heteroopt.costs.tables import load_given


class Tables(NamedTuple):
    """Arguments of a Scheduler: ``Scheduler(tables.graph, tables.pool, costs=tables.costs)``."""

    graph: Graph
    pool: DevicePool
    costs: CostTable


def load_tables(source: Mapping[str, Any] | str | Path | bytes) -> Tables:
    """Read a plain-tables document given as data, path or bytes (docs/plain-tables.md)."""
    given = load_given(source)
    return Tables(Graph.of(given.graph), DevicePool.from_dict(given.pool.to_dict()), given.costs)
