"""The plan that every objective is normalised to: everything on the default device, or what takes its place.

Kernels are imported where a plan is decoded: processes that only read plans start without numba.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from heteroopt.simulation.problem import Float64, Int32, Problem

if TYPE_CHECKING:
    from heteroopt.simulation.decoder import Evaluation

KINDS = ("default", "fastest_single", "least_overflow")


@dataclass(frozen=True, eq=False)
class ReferencePlan:
    """A yardstick, not a candidate: pins and forbidden devices do not change it.

    ``kind``: ``default`` (everything on the default device), ``fastest_single`` (the default plan does not fit or
    its device does not support every operator: the fastest single-device plan that fits), ``least_overflow`` (no
    single-device plan fits). ``n_elsewhere`` counts operators that run on their fastest device because ``device``
    does not support them, which happens only if no device supports all. ``default_problem`` says why the default
    plan was not taken: ``""``, ``"unsupported"`` or ``"exceeds_memory"``, the latter by ``default_overflow_bytes``.
    """

    kind: str
    device: int
    feasible: bool
    n_elsewhere: int
    order: Int32
    devices: Int32
    time_ps: int
    energy_pj: float
    load_variance: float
    overflow_bytes: int
    default_device: int
    default_problem: str
    default_overflow_bytes: int

    @property
    def values(self) -> Float64:
        """float64[3]: time in picoseconds, energy in picojoules, load variance."""
        return np.array([float(self.time_ps), self.energy_pj, self.load_variance])


def single_device_plans(problem: Problem) -> tuple[Int32, Int32]:
    """``(devices int32[D, n], elsewhere int32[D])``: plan d has every operator on device d that d supports.

    The others (``elsewhere`` counts them) are on the device that runs them, or their whole group, fastest. Only
    support counts here, not pins and forbidden devices.
    """
    n, n_devices = problem.n_operators, problem.n_devices
    supported, time = problem.supported.copy(), problem.op_time_ps.astype(np.float64)
    for members in problem.members:
        if members:
            supported[list(members)] = problem.supported[list(members)].all(axis=0)
            time[list(members)] = time[list(members)].sum(axis=0)
    fastest = np.where(supported, time, np.inf).argmin(axis=1)
    devices = np.repeat(np.arange(n_devices, dtype=np.int32)[:, None], n, axis=1)
    devices = np.where(supported.T, devices, fastest[None, :]).astype(np.int32)
    return devices, (~supported).sum(axis=0).astype(np.int32)


def reference_plan(problem: Problem) -> ReferencePlan:
    """Choose the reference as described at :class:`ReferencePlan`; ties go to the lower device index."""
    from heteroopt.simulation.decoder import decode_batch
    from heteroopt.simulation.topology import canonical_order

    devices, elsewhere = single_device_plans(problem)
    order = canonical_order(problem)
    values = decode_batch(unpinned(problem), np.repeat(order[None], len(devices), axis=0), devices, exact_peak=False)
    default = problem.reference_device
    candidates = np.flatnonzero(elsewhere == 0)
    if not len(candidates):
        candidates = np.arange(len(devices))
    fitting = [int(d) for d in candidates if values.overflow_bytes[d] == 0]
    if default in fitting:
        kind, chosen = "default", default
    elif fitting:
        kind, chosen = "fastest_single", min(fitting, key=lambda d: (int(values.time_ps[d]), d))
    else:
        kind = "least_overflow"
        chosen = min(
            (int(d) for d in candidates), key=lambda d: (int(values.overflow_bytes[d]), int(values.time_ps[d]), d)
        )
    return _pack(problem, values, order, devices, elsewhere, kind, chosen)


def unpinned(problem: Problem) -> Problem:
    """The problem without pins and forbidden devices, for which every single-device plan is legal."""
    legal = problem.supported.copy()
    for members in problem.members:
        if members:
            legal[list(members)] = problem.supported[list(members)].all(axis=0)
    return replace(problem, legal=legal)


def _pack(
    problem: Problem, values: Evaluation, order: Int32, devices: Int32, elsewhere: Int32, kind: str, chosen: int
) -> ReferencePlan:
    default = problem.reference_device
    overflow = int(values.overflow_bytes[default])
    trouble = ""
    if kind != "default":
        trouble = "unsupported" if elsewhere[default] > 0 and elsewhere[chosen] == 0 else "exceeds_memory"
    return ReferencePlan(
        kind=kind,
        device=chosen,
        feasible=bool(values.overflow_bytes[chosen] == 0),
        n_elsewhere=int(elsewhere[chosen]),
        order=order,
        devices=devices[chosen].copy(),
        time_ps=int(values.time_ps[chosen]),
        energy_pj=float(values.energy_pj[chosen]),
        load_variance=float(values.load_variance[chosen]),
        overflow_bytes=int(values.overflow_bytes[chosen]),
        default_device=default,
        default_problem=trouble,
        default_overflow_bytes=overflow,
    )
