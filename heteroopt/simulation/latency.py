"""Latency under load: the 99th percentile over random arrivals, the same ones for every plan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import PlanError
from heteroopt.simulation.arrivals_kernel import run_stages
from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.decoder import writable
from heteroopt.simulation.flow import make_flow
from heteroopt.simulation.kernel import simulate, simulate_alone
from heteroopt.simulation.latency_bound import bound_p99, p99_of, waits_p99
from heteroopt.simulation.pipeline import run_pipeline_reference
from heteroopt.simulation.pipeline_kernel import run_flow
from heteroopt.simulation.plan_check import check_plans
from heteroopt.simulation.problem import Float64, Int32, Int64, Problem, ProblemArrays
from heteroopt.simulation.scratch import LEAST_BOTTLENECK_PS, TIME_PS, Scratch, make_scratch
from heteroopt.simulation.stages import make_stages
from heteroopt.units import PS_PER_S

N_ARRIVALS = 1000
SEED = 99
UNLIMITED_PS = 2**62
_TABLE = 384
LOWEST_RATE_PER_S, HIGHEST_RATE_PER_S = 1e-2, 1e9


@dataclass(frozen=True, eq=False)
class LatencyValues:
    """Latencies of P plans at one arrival rate, in picoseconds."""

    p50_ps: Int64
    """[P]"""
    p99_ps: Int64
    """[P] of the arrivals simulated; where there is a shortfall it grows without bound with their number."""
    shortfall: Float64
    """[P] 1 - throughput / arrival rate where the plan is too slow for the rate, else 0: an infeasible plan's
    violation. The throughput is 1 / bottleneck, as if no device slowed another."""


@lru_cache(maxsize=32)
def _gaps_to(rate_per_s: float) -> tuple[int, ...]:
    gaps = np.random.default_rng(SEED).exponential(1.0, N_ARRIVALS)
    return tuple(int(time) for time in np.rint(np.cumsum(gaps) * (PS_PER_S / rate_per_s)))


def check_rate(rate_per_s: object) -> float:
    """The arrival rate itself. Raises :class:`PlanError` ``arrival_rate_out_of_range``."""
    number = isinstance(rate_per_s, (int, float, np.number)) and not isinstance(rate_per_s, bool)
    if not number or not LOWEST_RATE_PER_S <= float(rate_per_s) <= HIGHEST_RATE_PER_S:  # type: ignore[arg-type]
        raise PlanError(
            "arrival_rate_out_of_range",
            f"The arrival rate must be a number from {LOWEST_RATE_PER_S:g} to {HIGHEST_RATE_PER_S:g} items per "
            f"second, not {rate_per_s!r}.",
            low=LOWEST_RATE_PER_S,
            high=HIGHEST_RATE_PER_S,
            value=str(rate_per_s),
        )
    return float(rate_per_s)  # type: ignore[arg-type]


def poisson_arrivals_ps(rate_per_s: float) -> Int64:
    """int64 [1,000]: one fixed sequence of a Poisson process of rate 1, scaled to the rate.

    Raises :class:`PlanError` ``arrival_rate_out_of_range``.
    """
    return np.array(_gaps_to(check_rate(rate_per_s)), np.int64)


@kernel
def run_arrivals(
    p: ProblemArrays,
    s: Scratch,
    orders: Int32,
    devices: Int32,
    arrivals: Int64,
    exact: bool,
    limits: Int64,
    p50: Int64,
    p99: Int64,
    bottleneck: Int64,
) -> None:
    """Decode plan after plan and run the arrivals through it (``exact``), or bound its P99 from below; ``s`` keeps
    transfers. A P99 above ``limits`` [P] may be given as the limit + 1. Results: ``p50`` (with ``exact``, within the
    limit), ``p99`` and ``bottleneck`` [P].
    """
    n_devices, unused = p.op_time_ps.shape[1], np.zeros(p.memory_capacity_bytes.shape[0], np.int64)
    finish = np.empty(arrivals.shape[0], np.int64)
    for k in range(orders.shape[0]):
        if p.contends:
            simulate_alone(p, s, orders[k], devices[k])
        else:
            simulate(p, s, orders[k], devices[k], False)
        flow = make_flow(p, s, orders[k], devices[k])
        bottleneck[k] = max(1, s.result[LEAST_BOTTLENECK_PS])
        # What an item takes alone, unless its own operators slow each other: then no less than this.
        alone = s.result[TIME_PS]
        if not exact:
            p99[k] = bound_p99(flow, n_devices, p.n_channels, alone, arrivals)
            continue
        stages = make_stages(flow, n_devices, p.n_channels, p.blocking_transfers)
        if stages.usable:
            if not run_stages(stages, n_devices, p.n_channels, alone, arrivals, limits[k], finish):
                p99[k] = limits[k] + 1
                continue
        else:
            run_flow(p, flow, arrivals, False, finish, unused)
        for item in range(len(finish)):
            finish[item] -= arrivals[item]
        p99[k] = p99_of(finish)
        finish.sort()
        p50[k] = finish[(len(finish) + 1) // 2 - 1]


def latency_batch(
    problem: Problem, orders: NDArray[np.integer], devices: NDArray[np.integer], arrivals_per_s: float
) -> LatencyValues:
    """Run 1,000 Poisson arrivals through each of P plans (``orders``, ``devices`` [P, n]), by the pipeline's rules.

    Raises :class:`PlanError` if a plan is not legal or the rate out of range.
    """
    p50, p99, bottleneck = _run(problem, orders, devices, arrivals_per_s, exact=True)
    return LatencyValues(p50, p99, shortfall_of(bottleneck, arrivals_per_s))


def latency_bounds(
    problem: Problem, orders: NDArray[np.integer], devices: NDArray[np.integer], arrivals_per_s: float
) -> tuple[Int64, Int64]:
    """Two int64 [P]: what the P99 in ps of :func:`latency_batch` is not below, some 100 times faster, and the busy time
    in ps of the busiest device or channel that the shortfall follows from.

    Raises as that.
    """
    return _run(problem, orders, devices, arrivals_per_s, exact=False)[1:]


def latencies_within(
    problem: Problem,
    orders: NDArray[np.integer],
    devices: NDArray[np.integer],
    arrivals_per_s: float,
    limits_ps: Int64,
) -> Int64:
    """int64 [P]: the P99 in ps of :func:`latency_batch`, or where it is above the plan's limit [P] the limit + 1, which
    may be known long before all arrivals have been run.

    Raises as that.
    """
    p99 = _run(problem, orders, devices, arrivals_per_s, exact=True, limits_ps=limits_ps)[1]
    result: Int64 = np.minimum(p99, limits_ps + 1)
    return result


def shortfall_of(bottleneck_ps: Int64, arrivals_per_s: float) -> Float64:
    """float64 [P]: 1 - throughput / arrival rate of plans that are too slow for the rate, else 0."""
    throughput = PS_PER_S / np.maximum(1, bottleneck_ps)
    shortfall: Float64 = np.maximum(0.0, 1.0 - throughput / arrivals_per_s)
    return shortfall


def waiting_table(arrivals_per_s: float) -> tuple[Float64, float]:
    """P99 waiting times in ps for one server whose service takes 0, 1, ... times the step [ps] that comes second; the
    last one is 1.5 times the mean time between arrivals.
    """
    step = max(1.0, 1.5 * PS_PER_S / arrivals_per_s / _TABLE)
    service = np.rint(np.arange(_TABLE + 1) * step).astype(np.int64)
    wait = np.empty(len(service), np.int64)
    waits_p99(poisson_arrivals_ps(arrivals_per_s), service, wait)
    return wait.astype(np.float64), step


def _run(
    problem: Problem,
    orders: NDArray[np.integer],
    devices: NDArray[np.integer],
    arrivals_per_s: float,
    *,
    exact: bool,
    limits_ps: Int64 | None = None,
) -> tuple[Int64, Int64, Int64]:
    arrivals = poisson_arrivals_ps(arrivals_per_s)
    orders32, devices32 = writable(orders), writable(devices)
    check_plans(problem, orders32, devices32)
    p50, p99, bottleneck = (np.zeros(len(orders32), np.int64) for _ in range(3))
    scratch = make_scratch(problem, with_transfers=True)
    limits = np.full(len(orders32), UNLIMITED_PS, np.int64) if limits_ps is None else limits_ps
    run_arrivals(problem.arrays, scratch, orders32, devices32, arrivals, exact, limits, p50, p99, bottleneck)
    return p50, p99, bottleneck


def p99_reference(problem: Problem, order: Sequence[int], device: Sequence[int], arrivals_per_s: float) -> int:
    """The same percentile in picoseconds from the reference pipeline: slow, and the definition."""
    result, _ = run_pipeline_reference(problem, order, device, poisson_arrivals_ps(arrivals_per_s).tolist())
    ordered = sorted(result.latency_ps.tolist())
    return int(ordered[math.ceil(99 * len(ordered) / 100) - 1])
