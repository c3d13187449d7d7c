"""Latency under load: the 99th percentile over random arrivals, the same ones for every plan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import PlanError
from heteroopt.simulation.pipeline import run_pipeline_reference
from heteroopt.simulation.pipeline_decoder import run_plans
from heteroopt.simulation.problem import Float64, Int64, Problem
from heteroopt.units import PS_PER_S

N_ARRIVALS = 1000
SEED = 99
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
    violation. The throughput is 1 / bottleneck."""


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


def nearest_rank(latencies_ps: Int64, percent: int) -> Int64:
    """[P] the percentile of each row of [P, K] by nearest rank: the ceil(percent / 100 x K)-th smallest."""
    rank = math.ceil(percent * latencies_ps.shape[1] / 100) - 1
    result: Int64 = np.partition(latencies_ps, rank, axis=1)[:, rank]
    return result


def latency_batch(
    problem: Problem, orders: NDArray[np.integer], devices: NDArray[np.integer], arrivals_per_s: float
) -> LatencyValues:
    """Run 1,000 Poisson arrivals through each of P plans (``orders``, ``devices`` [P, n]), by the pipeline's rules.

    Raises :class:`PlanError` if a plan is not legal or the rate out of range.
    """
    arrivals = poisson_arrivals_ps(arrivals_per_s)
    finish, _, bottleneck = run_plans(problem, orders, devices, arrivals, with_memory=False)
    latencies = finish - arrivals
    throughput = PS_PER_S / bottleneck
    return LatencyValues(
        p50_ps=nearest_rank(latencies, 50),
        p99_ps=nearest_rank(latencies, 99),
        shortfall=np.maximum(0.0, 1.0 - throughput / arrivals_per_s),
    )


def p99_reference(problem: Problem, order: Sequence[int], device: Sequence[int], arrivals_per_s: float) -> int:
    """The same percentile in picoseconds from the reference pipeline: slow, and the definition."""
    result, _ = run_pipeline_reference(problem, order, device, poisson_arrivals_ps(arrivals_per_s).tolist())
    ordered = sorted(result.latency_ps.tolist())
    return int(ordered[math.ceil(99 * len(ordered) / 100) - 1])
