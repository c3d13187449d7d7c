"""A plan with everything that it depends on, ready to be written in any format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from heteroopt.costs.table import CostTable
from heteroopt.deployment.plan_figures import PlanFigure, figures_alone
from heteroopt.deployment.segment_figures import partition_of
from heteroopt.devices.pool import DevicePool
from heteroopt.front.plan_hash import plan_hash
from heteroopt.graph.graph import Graph
from heteroopt.partition import Partition
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.reference_plan import ReferencePlan
from heteroopt.simulation.schedule import Schedule


@dataclass(frozen=True, eq=False)
class Plan:
    """One decoded plan and its surroundings.

    graph: the scheduled one (fused, with ``graph.original`` the model's own, or the model itself). ``schedule``
    holds order and device per operator. number: position in its front from 1, ``None`` for a plan outside one.
    reasons: per operator ``{"code", "params"}``, or ``None`` where they were not asked for. figures: by
    the key of each measure, ``None`` for a plan outside a front. pins: operator name to device
    name, forbidden: device names, memory_caps: bytes by device name. approval: who agreed to it, as
    ``deployment.approval`` describes; ``None`` for a plan that nobody approved.
    """

    graph: Graph
    pool: DevicePool
    costs: CostTable
    problem: Problem
    reference: ReferencePlan
    settings: SearchSettings
    schedule: Schedule
    number: int | None = None
    reasons: Sequence[Mapping[str, Any]] | None = None
    figures: Mapping[str, PlanFigure] | None = None
    pins: Mapping[str, str] | None = None
    forbidden: Sequence[str] = ()
    memory_caps: Mapping[str, int] | None = None
    approval: Mapping[str, Any] | None = None

    @property
    def original(self) -> Graph:
        """The graph of the model's own operators, which every placement maps back to."""
        return self.graph.original if self.graph.original is not None else self.graph

    @property
    def content_hash(self) -> str:
        """Hash of the placement and the order in which the schedule runs the operators; the front shows the same."""
        execution = np.lexsort((self.schedule.finish_ps, self.schedule.start_ps)).astype(np.int32)
        return plan_hash(self.schedule.device, execution)

    @cached_property
    def partition(self) -> Partition:
        """The segments of the schedule."""
        return partition_of(self.graph, self.schedule)

    @cached_property
    def measures(self) -> Mapping[str, PlanFigure]:
        """Every figure that is known of the plan, by key: time, energy and load balance first."""
        return figures_alone(self.schedule, self.reference) if self.figures is None else self.figures

    def multiple(self, key: str) -> float | None:
        """Multiple of the reference for the key of a measure; ``None`` over a reference of 0."""
        return self.measures[key].multiple
