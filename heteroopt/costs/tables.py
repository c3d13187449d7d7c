"""Plain tables as a pool and a cost table: figures that were measured elsewhere, taken as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heteroopt.costs.table import ENERGY_SOURCES, SHARE_UNIT, SOURCE_CODE, UNSUPPORTED, CostTable
from heteroopt.devices.pool import DevicePool
from heteroopt.graph.graph import Graph
from heteroopt.graph.tables import TablesProblem, read_tables
from heteroopt.units import PJ_PER_J, PS_PER_MS

UNSTATED: dict[str, Any] = {"device_type": "GPU", "memory_size_bytes": 10**14}


@dataclass(frozen=True)
class GivenProblem:
    """What a table document describes: the graph, the pool, and the costs with the source "given"."""

    graph: Graph
    pool: DevicePool
    costs: CostTable


def load_given(source: Mapping[str, Any] | str | Path | bytes) -> GivenProblem:
    """Read a table document (see ``docs/plain-tables.md``).

    Raises ``ModelError`` for the document, ``PoolError`` for its devices and links, ``CostError`` for its figures.
    """
    problem = read_tables(source)
    pool = given_pool(problem)
    return GivenProblem(problem.graph, pool, given_costs(problem, pool))


def given_pool(problem: TablesProblem) -> DevicePool:
    """The pool of a table document; a device that says no more than its name is a GPU without a memory limit.

    Raises ``PoolError``.
    """
    devices = [device if "template" in device else {**UNSTATED, **device} for device in problem.devices]
    return DevicePool.from_dict({"name": problem.name, "devices": devices, "links": problem.links, **problem.options})


def given_costs(problem: TablesProblem, pool: DevicePool) -> CostTable:
    """Costs [n, D] of a table document, energies above idle; a pair without a time is not supported.

    Where a time has no energy, the device's power above idle is taken for that time (0 if it states no power).
    Views cost nothing. Raises ``CostError``.
    """
    operators, devices = problem.graph.operators, pool.devices
    time = np.full((len(operators), len(devices)), float(UNSUPPORTED))
    energy = np.zeros_like(time)
    for row, operator in enumerate(operators):
        joules = problem.energy_j.get(operator.name, {})
        for column, device in enumerate(devices):
            time_ms = problem.time_ms[operator.name].get(device.name)
            if operator.is_view:
                time[row, column] = 0.0
            elif time_ms is not None:
                time[row, column] = time_ms * PS_PER_MS
                power_w = device.active_power_w - device.idle_power_w
                given = joules.get(device.name)
                energy[row, column] = power_w * time[row, column] if given is None else given * PJ_PER_J
    share = np.zeros_like(time)
    for row, operator in enumerate(operators):
        for column, device in enumerate(devices):
            share[row, column] = problem.memory_share.get(operator.name, {}).get(device.name, 0.0)
    source = np.full(time.shape, SOURCE_CODE["given"], np.int8)
    source[time == UNSUPPORTED] = SOURCE_CODE["unsupported"]
    source[[operator.is_view for operator in operators]] = SOURCE_CODE["view"]
    return CostTable.from_arrays(
        time,
        energy,
        source=source,
        energy_source=np.full(time.shape, ENERGY_SOURCES.index("given"), np.int8),
        memory_share=np.rint(share * SHARE_UNIT) if share.any() else None,
        operator_names=[operator.name for operator in operators],
        device_names=[device.name for device in devices],
    )
