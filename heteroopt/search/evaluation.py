"""Decoding many genomes into a plan set, and how far each plan breaks the constraints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.plan_set import PlanSet
from heteroopt.simulation.decoder import Evaluation, decode_batch
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.reference_plan import ReferencePlan
from heteroopt.simulation.scratch import Scratch

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]

LEAST_VIOLATING = 8
"""How many plans are kept to show while none fits."""


def evaluate(
    problem: Problem, orders: Int32, devices: Int32, scratch: Scratch | None = None, *, exact_peak: bool = False
) -> PlanSet:
    """Decode ``orders`` and ``devices`` [k, n], legal by construction, and return them with their values.

    Peaks are exact where a plan does not fit; where it fits they may be upper bounds unless ``exact_peak`` is set.
    """
    return _plan_set(
        orders,
        devices,
        decode_batch(problem, orders, devices, exact_peak=exact_peak, scratch=scratch, known_legal=True),
    )


def exact(problem: Problem, orders: Int32, devices: Int32) -> PlanSet:
    """As ``evaluate`` for any plans, with every peak exact: for plans that are shown.

    Raises ``PlanError`` if a plan is not legal.
    """
    return _plan_set(orders, devices, decode_batch(problem, orders, devices))


def violations(plans: PlanSet, cap_ps: float, capacity_bytes: float, missed: Float64 | None = None) -> Float64:
    """Return float64 [k]: 0 = meets all constraints; a plan that does not fit is always above 1, and so behind others.

    A plan slower than ``cap_ps`` gets x / (1 + x) < 1 with x its excess relative to the cap, plus what it misses
    other constraints by, relative to their bounds (``missed`` [k]); a plan that overflows gets 1 + overflow /
    ``capacity_bytes``, in proportion to the overflow (R17).
    """
    time = plans.time_ps.astype(np.float64)
    excess = np.zeros(len(plans))
    if np.isfinite(cap_ps):
        excess = np.maximum(0.0, (time - cap_ps) / max(cap_ps, 1.0))
    if missed is not None:
        excess += missed
    result = excess / (1.0 + excess)
    over = plans.overflow_bytes > 0
    result[over] = 1.0 + plans.overflow_bytes[over] / capacity_bytes
    return result


def least_violating(plans: PlanSet, violation: Float64) -> PlanSet:
    """Return at most ``LEAST_VIOLATING`` plans of different placements, the least violation first, then the fastest."""
    rows: list[int] = []
    seen: set[bytes] = set()
    for row in np.lexsort((plans.time_ps, violation)).tolist():
        key = plans.devices[row].tobytes()
        if key not in seen:
            seen.add(key)
            rows.append(row)
        if len(rows) == LEAST_VIOLATING:
            break
    return plans.take(rows)


def _plan_set(orders: Int32, devices: Int32, values: Evaluation) -> PlanSet:
    return PlanSet(
        orders=orders,
        devices=devices,
        time_ps=values.time_ps,
        energy_pj=values.energy_pj,
        load_variance=values.load_variance,
        overflow_bytes=values.overflow_bytes,
        peak_bytes=values.peak_bytes,
        busy_ps=values.busy_ps,
        transferred_bytes=values.transferred_bytes,
        n_transfers=values.n_transfers,
        bottleneck_ps=values.bottleneck_ps,
    )


def makespan_cap_ps(plans: PlanSet, reference: ReferencePlan, multiple: float) -> float | None:
    """Return ``multiple`` times the reference's makespan, or times that of the fastest plan that fits if it is longer.

    ``None`` where none of ``plans`` fits. The reference need not fit, and where devices are forbidden no plan may come
    near it.
    """
    fitting = plans.time_ps[plans.overflow_bytes == 0]
    if len(fitting) == 0:
        return None
    reference_ps = float(reference.time_ps) if reference.feasible else 0.0
    return multiple * max(reference_ps, float(fitting.min()))
