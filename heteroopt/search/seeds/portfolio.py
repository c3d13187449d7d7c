"""All heuristic seeds of a problem, one genome a placement."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.genome import priority_order
from heteroopt.search.links import Costs, index_order
from heteroopt.search.seeds.bottleneck import bottleneck_plans
from heteroopt.search.seeds.contiguous import MOST_SPLITS, contiguous_plans
from heteroopt.search.seeds.list_schedule import insertion_schedule
from heteroopt.search.seeds.ranks import optimistic_cost, upward_rank
from heteroopt.search.seeds.serial import serial_plans
from heteroopt.search.seeds.single_device import single_device_plans
from heteroopt.search.seeds.weighted_schedule import weight_grid, weighted_schedule
from heteroopt.search.space import cheapest_device
from heteroopt.simulation.problem import Problem

Bool = NDArray[np.bool_]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]

LOOKAHEAD_WEIGHTS = (0.0, 0.5, 1.0)
_MOST_SUBSETS = 24


def heuristic_genomes(
    problem: Problem, costs: Costs, *, few: bool = False, splits: bool = False
) -> tuple[Int32, Int32]:
    """Return ``orders``, ``devices`` int32 [k, n], deterministic, without repeated genomes.

    In this order: every single-device plan, HEFT (all devices), the other list schedules with insertion (device
    subsets x priorities x look-ahead weights, HEFT and PEFT among them), weighted list schedules, the least energy
    and the least time operator by operator, plans best as if all ran one after the other, contiguous splits.
    ``few`` leaves out most of each kind but the first, and keeps HEFT: what a large graph can show at once.
    ``splits`` adds placements with a small bottleneck.
    """
    space = costs.space
    n, n_devices = costs.time.shape
    plain = index_order(space)
    rank = upward_rank(costs, plain)
    table = optimistic_cost(costs, plain)
    by_rank, by_table = np.empty(n, np.int32), np.empty(n, np.int32)
    priority_order(space, -rank, by_rank)
    priority_order(space, -np.where(space.legal, table, 0.0).sum(axis=1) / space.legal.sum(axis=1), by_table)

    genomes: list[tuple[Int32, Int32]] = []
    genomes.extend((plain, device) for device in single_device_plans(space))
    for allowed in device_subsets(n_devices, problem.reference_device)[: 2 if few else None]:
        for priority in (by_rank, by_table, plain)[: 1 if few else None]:
            genomes.extend(
                insertion_genome(costs, priority, table, weight, allowed)
                for weight in LOOKAHEAD_WEIGHTS[:: 2 if few else 1]
            )
    scales = _scales(costs)
    for row, weights in list(enumerate(weight_grid()))[:: 6 if few else 1]:
        device = space.fastest.copy()
        priority = (by_rank, plain)[row % 2]
        weighted_schedule(costs, priority, weights, *scales, device)
        genomes.append((priority, device))
    genomes.append((plain, cheapest_device(problem, costs.energy)))
    genomes.append((by_rank, space.fastest))
    if not few:
        subsets = device_subsets(n_devices, problem.reference_device)
        genomes.extend((plain, device) for device in serial_plans(problem, costs, plain, subsets, *scales))
    genomes.extend((plain, device) for device in contiguous_plans(costs, plain, 8 if few else MOST_SPLITS))
    if splits and not few:
        genomes.extend((order, device) for device in bottleneck_plans(problem) for order in (plain, by_rank))
    return _distinct(genomes)


def insertion_genome(
    costs: Costs, priority: Int32, table: Float64, weight: float, allowed: Bool
) -> tuple[Int32, Int32]:
    """Return the genome of one list schedule with insertion; its order is that of the start times."""
    n = len(priority)
    device, start, order = costs.space.fastest.copy(), np.empty(n), np.empty(n, np.int32)
    insertion_schedule(costs, priority, table, weight, allowed, device, start)
    priority_order(costs.space, start, order)
    return order, device


def device_subsets(n_devices: int, reference: int) -> list[Bool]:
    """Return masks [D], at most 24: all devices first, then pairs with the reference, others by falling size."""
    sizes = [n_devices, *range(n_devices - 1, 1, -1)]
    masks: list[Bool] = []
    pairs_first = [(0, (reference, d)) for d in range(n_devices) if d != reference] if n_devices > 2 else []
    rest = (
        [(1, subset) for size in sizes[1:] for subset in combinations(range(n_devices), size)]
        if n_devices < 9
        else [(1, tuple(d for d in range(n_devices) if d != left)) for left in range(n_devices)]
    )
    seen: set[tuple[int, ...]] = set()
    for _, subset in [(0, tuple(range(n_devices))), *pairs_first, *rest]:
        key = tuple(sorted(subset))
        if key in seen or len(masks) == _MOST_SUBSETS:
            continue
        seen.add(key)
        mask = np.zeros(n_devices, np.bool_)
        mask[list(key)] = True
        masks.append(mask)
    return masks


def _scales(costs: Costs) -> tuple[float, float]:
    """Return what one device would take and spend on everything: the least over the devices, never 0."""
    time = np.where(np.isfinite(costs.time), costs.time, 0.0).sum(axis=0)
    energy = np.where(np.isfinite(costs.energy), costs.energy, 0.0).sum(axis=0)
    return max(float(time.min()), 1.0), max(float(energy.min()), 1.0)


def _distinct(genomes: list[tuple[Int32, Int32]]) -> tuple[Int32, Int32]:
    seen: set[bytes] = set()
    orders, devices = [], []
    for order, device in genomes:
        key = order.tobytes() + device.tobytes()
        if key not in seen:
            seen.add(key)
            orders.append(order)
            devices.append(device)
    return np.array(orders, np.int32), np.array(devices, np.int32)
