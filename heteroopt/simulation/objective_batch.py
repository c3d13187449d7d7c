"""A batch of plans whose decode, pipeline and latencies are each computed once, and only when an objective asks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import PlanError
from heteroopt.simulation.decoder import Evaluation
from heteroopt.simulation.latency import LatencyValues, latency_batch
from heteroopt.simulation.measures import Measures, measure_plans
from heteroopt.simulation.pipeline_decoder import PipelineValues, pipeline_batch
from heteroopt.simulation.pipeline_result import DEFAULT_ITEMS
from heteroopt.simulation.problem import Problem


@dataclass(frozen=True, slots=True)
class ObjectiveOptions:
    """What some objectives need to know: items in flight, how many items arrive per second, micro-batches a step."""

    items: int = DEFAULT_ITEMS
    arrivals_per_s: float | None = None
    micro_batches: int | None = None
    """``None``: as many as items in flight."""


@dataclass(frozen=True, eq=False)
class ObjectiveBatch:
    """P plans (``orders``, ``devices`` [P, n]) of one problem."""

    problem: Problem
    orders: NDArray[np.integer]
    devices: NDArray[np.integer]
    options: ObjectiveOptions

    @cached_property
    def measures(self) -> Measures:
        """From one decode each, with exact peaks."""
        return measure_plans(self.problem, self.orders, self.devices)

    @property
    def evaluation(self) -> Evaluation:
        """The decode itself."""
        return self.measures.evaluation

    @cached_property
    def pipeline(self) -> PipelineValues:
        """With ``options.items`` items in flight."""
        return pipeline_batch(self.problem, self.orders, self.devices, self.options.items)

    @cached_property
    def step(self) -> PipelineValues:
        """With as many items as ``options`` has micro-batches."""
        items = self.options.micro_batches or self.options.items
        if items == self.options.items:
            return self.pipeline
        return pipeline_batch(self.problem, self.orders, self.devices, items)

    @cached_property
    def latency(self) -> LatencyValues:
        """At ``options.arrivals_per_s``. Raises :class:`PlanError` ``arrival_rate_missing`` without it."""
        if self.options.arrivals_per_s is None:
            raise PlanError(
                "arrival_rate_missing",
                "P99 latency needs an arrival rate.",
                hint="Say how many items arrive per second.",
            )
        return latency_batch(self.problem, self.orders, self.devices, self.options.arrivals_per_s)
