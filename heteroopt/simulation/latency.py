"""Latency under load: the 99th percentile over random arrivals, the same ones for every plan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import PlanError
from heteroopt.simulation.arrival_runs import BEFORE, BOUND, ESTIMATE, EXACT, run_arrivals
from heteroopt.simulation.decoder import writable
from heteroopt.simulation.latency_bound import waits_p99
from heteroopt.simulation.pipeline import run_pipeline_reference
from heteroopt.simulation.plan_check import check_plans
from heteroopt.simulation.problem import Float64, Int64, Problem
from heteroopt.simulation.scratch import make_scratch
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


def latency_batch(
    problem: Problem, orders: NDArray[np.integer], devices: NDArray[np.integer], arrivals_per_s: float
) -> LatencyValues:
    """Run 1,000 Poisson arrivals through each of P plans (``orders``, ``devices`` [P, n]), by the pipeline's rules.

    Raises :class:`PlanError` if a plan is not legal or the rate out of range.
    """
    p50, p99, bottleneck = _run(problem, orders, devices, arrivals_per_s, EXACT)
    return LatencyValues(p50, p99, shortfall_of(bottleneck, arrivals_per_s))


def latency_bounds(
    problem: Problem, orders: NDArray[np.integer], devices: NDArray[np.integer], arrivals_per_s: float
) -> tuple[Int64, Int64]:
    """Two int64 [P]: what the P99 in ps of :func:`latency_batch` is not below, some 100 times faster, and the busy time
    in ps of the busiest device or channel that the shortfall follows from.

    Raises as that.
    """
    return _run(problem, orders, devices, arrivals_per_s, BOUND)[1:]


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
    p99 = _run(problem, orders, devices, arrivals_per_s, EXACT, limits_ps)[1]
    result: Int64 = np.minimum(p99, limits_ps + 1)
    return result


def latency_estimates(
    problem: Problem,
    orders: NDArray[np.integer],
    devices: NDArray[np.integer],
    arrivals_per_s: float,
    limits_ps: Int64 | None = None,
) -> Int64:
    """int64 [P]: about the P99 in ps of :func:`latency_batch`, from its busiest stretches alone
    (:mod:`heteroopt.simulation.arrival_runs`), where above the plan's limit [P] the limit + 1.

    Raises as that.
    """
    return _run(problem, orders, devices, arrivals_per_s, ESTIMATE, limits_ps)[1]


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
    mode: int,
    limits_ps: Int64 | None = None,
) -> tuple[Int64, Int64, Int64]:
    arrivals = poisson_arrivals_ps(arrivals_per_s)
    orders32, devices32 = writable(orders), writable(devices)
    check_plans(problem, orders32, devices32)
    p50, p99, bottleneck = (np.zeros(len(orders32), np.int64) for _ in range(3))
    scratch = make_scratch(problem, with_transfers=True)
    limits = np.full(len(orders32), UNLIMITED_PS, np.int64) if limits_ps is None else limits_ps
    run_arrivals(problem.arrays, scratch, orders32, devices32, arrivals, mode, limits, p50, p99, bottleneck)
    return p50, p99, bottleneck


def p99_reference(problem: Problem, order: Sequence[int], device: Sequence[int], arrivals_per_s: float) -> int:
    """The same percentile in picoseconds from the reference pipeline: slow, and the definition."""
    result, _ = run_pipeline_reference(problem, order, device, poisson_arrivals_ps(arrivals_per_s).tolist())
    ordered = sorted(result.latency_ps.tolist())
    return int(ordered[math.ceil(99 * len(ordered) / 100) - 1])


def p99_estimate_reference(problem: Problem, order: Sequence[int], device: Sequence[int], arrivals_per_s: float) -> int:
    """What :func:`latency_estimates` gives in picoseconds, from the reference pipeline: slow, and the definition."""
    arrivals = poisson_arrivals_ps(arrivals_per_s).tolist()
    count, rank = len(arrivals), math.ceil(99 * len(arrivals) / 100)
    alone, _ = run_pipeline_reference(problem, order, device, [0])
    service = min(int(alone.finish_ps[0]), max(1, alone.bottleneck_ps, 7 * arrivals[-1] // (10 * count)))
    waits = [0]
    for before, after in pairwise(arrivals):
        waits.append(max(0, waits[-1] + service - (after - before)))
    needed: set[int] = set()
    for item in sorted(range(count), key=lambda k: -waits[k])[: 3 * (count - rank + 1) // 2]:
        since = max(k for k in range(item + 1) if waits[k] == 0)
        needed.update(range(max(0, since - BEFORE), item + 1))
    latencies: list[int] = []
    for begin in (k for k in needed if k - 1 not in needed):
        end = next(k for k in range(begin, count + 1) if k not in needed)
        stretch, _ = run_pipeline_reference(problem, order, device, arrivals[begin:end])
        latencies += stretch.latency_ps.tolist()
    return sorted(latencies)[rank - count - 1]
