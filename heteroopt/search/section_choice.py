"""The sections of many plans decoded, and the least costly ones that fit together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.gates import Sections
from heteroopt.search.section_figures import row_width, section_row
from heteroopt.simulation.problem import ProblemArrays
from heteroopt.simulation.scratch import Scratch

Bool = NDArray[np.bool_]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


@kernel
def rows_of_plans(problem: ProblemArrays, scratch: Scratch, sections: Sections, orders: Int32, devices: Int32) -> Int64:
    """Return int64 [k, S, W]: the row of each section of each plan."""
    n_sections = len(sections.first) - 1
    rows = np.empty((len(orders), n_sections, row_width(scratch)), np.int64)
    for plan in range(len(orders)):
        for number in range(n_sections):
            section_row(problem, scratch, sections, number, orders[plan], devices[plan], rows[plan, number])
    return rows


@kernel
def combine(
    sections: Sections, orders: Int32, devices: Int32, rows: Int64, slope: Float64, seen: Bool, n_devices: int,
    new_orders: Int32, new_devices: Int32,
) -> None:  # fmt: skip
    """Fill each new plan [c, n] with the sections of plans [k, n] that it has ``seen`` [c, k] of least cost in all.

    The cost of a section is the sum of its row [W] times the plan's ``slope`` [c, W]. Neighbours agree on the device
    of the gate between them. Every new plan must see at least one.
    """
    first = sections.first
    n_plans, n_sections, width = rows.shape
    before, after = np.zeros((n_plans, n_sections), np.int32), np.empty((n_plans, n_sections), np.int32)
    for plan in range(n_plans):
        for number in range(n_sections):
            after[plan, number] = devices[plan, orders[plan, first[number + 1] - 1]]
            if number > 0:
                before[plan, number] = after[plan, number - 1]
    cost = np.empty((n_sections, n_devices))
    taken = np.empty((n_sections, n_devices), np.int64)
    for child in range(len(new_orders)):
        cost[:] = np.inf
        for number in range(n_sections):
            for plan in range(n_plans):
                if not seen[child, plan]:
                    continue
                value = 0.0
                if number > 0:
                    value = cost[number - 1, before[plan, number]]
                if value == np.inf:
                    continue
                for column in range(width):
                    value += slope[child, column] * rows[plan, number, column]
                gate = after[plan, number]
                if value < cost[number, gate]:
                    cost[number, gate] = value
                    taken[number, gate] = plan
        gate = 0
        for device in range(n_devices):
            if cost[n_sections - 1, device] < cost[n_sections - 1, gate]:
                gate = device
        for number in range(n_sections - 1, -1, -1):
            plan = taken[number, gate]
            for place in range(first[number], first[number + 1]):
                operator = orders[plan, place]
                new_orders[child, place] = operator
                new_devices[child, operator] = devices[plan, operator]
            gate = before[plan, number]
