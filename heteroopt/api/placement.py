"""Evaluating a placement that somebody made by hand, as a plan like any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from heteroopt.api.goals import MemoryConstraint
from heteroopt.api.result import Result
from heteroopt.api.scheduler import Scheduler
from heteroopt.api.solution import Solution
from heteroopt.costs.table import CostTable
from heteroopt.deployment.placement import BY_RANK, Genome, Unfused, needs_unfused, place
from heteroopt.deployment.placement_reader import PlacedOperator, placement_of, read_placement
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.front.measures import basic_measures
from heteroopt.graph.graph import Graph
from heteroopt.search.constraints import Constraint
from heteroopt.search.evaluation import exact
from heteroopt.search.hypervolume import hypervolume
from heteroopt.search.shown import Shown
from heteroopt.search.snapshot import FrontSnapshot
from heteroopt.simulation.lower_bound import makespan_lower_bound_ps
from heteroopt.simulation.reference_plan import reference_plan

EVALUATED = "evaluated"
"""Outcome of a result that holds one placement and no search."""


class Evaluation(Solution):
    """A placement decoded, checked and explained; everything that a ``Solution`` offers.

    ``order_source``: ``given``, or ``critical_path_rank`` where the placement has no order and ready operators run
    by the longest path that remains. ``unfused``: whether it was evaluated on the model's own operators although
    fusion is on; ``split_operators`` names the fused operators that it splits (none where it comes from a table of
    operators that were not fused).
    """

    def __init__(self, result: Result, genome: Genome, unfused: Unfused | None) -> None:
        super().__init__(result, 0)
        self.order_source = genome.order_source
        self.unfused = unfused is not None
        self.split_operators = () if unfused is None else unfused.clusters

    @property
    def result(self) -> Result:
        """A result whose front is this plan alone: reference plan, ``save_html``, ``plot``."""
        return self._result

    def summary(self) -> str:
        """As of any plan, and how the placement was read."""
        lines = super().summary().splitlines()
        lines[0] = f"Placement of {self._result.graph.name} on {self._result.pool.name or 'a pool'}"
        if self.order_source == BY_RANK:
            lines.append("  no order given: ready operators run by the longest path that remains")
        if self.split_operators:
            lines.append(
                f"  evaluated without fusion: it splits {len(self.split_operators)} fused operators, "
                f"{self.split_operators[0]} first"
            )
        elif self.unfused:
            lines.append("  evaluated without fusion, as the table that it comes from")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Values as of any plan, with ``order_source``, ``unfused`` and ``split_operators``."""
        return {
            **super().to_dict(),
            "order_source": self.order_source,
            "unfused": self.unfused,
            "split_operators": list(self.split_operators),
        }


def evaluate(
    graph: Graph,
    pool: DevicePool | Sequence[DeviceSpec],
    placement: Mapping[str, str] | Sequence[Mapping[str, Any]] | str | Path | bytes,
    *,
    constraints: Sequence[MemoryConstraint | Constraint] = (),
    fuse: bool = True,
    costs: CostTable | None = None,
    pins: Mapping[str, str] | None = None,
    forbidden_devices: Sequence[str] = (),
) -> Evaluation:
    """Decode a placement of ``graph`` on ``pool``: its times, energy, balance, memory, reasons.

    placement: operator name to device name; or rows with ``operator``, ``device`` and ``order``; or a CSV or JSON
    file (path or bytes), among them the operator table and the plan file that we write. It names every operator of
    the model, or every one that is placed after fusion. A placement that splits a fused operator is evaluated on the
    model's own operators. Other arguments as of :class:`Scheduler`. A placement that does not fit is evaluated all
    the same: see ``overflow_bytes``.
    Raises ``PlanError`` with a code ``placement_...`` that names what is wrong.
    """
    rows = read_placement(placement) if isinstance(placement, (str, Path, bytes)) else placement_of(_plain(placement))
    return evaluate_rows(
        graph,
        pool,
        rows,
        fuse=fuse,
        costs=costs,
        constraints=constraints,
        pins=pins,
        forbidden_devices=forbidden_devices,
    )


def evaluate_rows(
    graph: Graph,
    pool: DevicePool | Sequence[DeviceSpec],
    rows: Sequence[PlacedOperator],
    *,
    fuse: bool = True,
    **options: Any,
) -> Evaluation:
    """The same for rows that were read already; ``options`` go to the :class:`Scheduler`."""
    scheduler = Scheduler(graph, pool, fuse=fuse, **options)
    unfused = needs_unfused(scheduler.graph, rows)
    if unfused is not None:
        scheduler = Scheduler(scheduler.graph.original or graph, pool, fuse=False, **options)
    genome = place(scheduler.graph, scheduler.pool, scheduler.problem, rows)
    return Evaluation(_alone(scheduler, genome), genome, unfused)


def _plain(placement: Mapping[str, str] | Sequence[Mapping[str, Any]]) -> Any:
    return dict(placement) if isinstance(placement, Mapping) else list(placement)


def _alone(scheduler: Scheduler, genome: Genome) -> Result:
    """A result that holds the one plan."""
    problem = scheduler.problem
    plans = exact(problem, genome.order[None], genome.device[None])
    reference = reference_plan(problem)
    fits = bool(plans.overflow_bytes[0] == 0)
    relative = np.column_stack([entry.multiples for entry in basic_measures(plans, reference)])
    volume = hypervolume(relative) if fits else 0.0
    snapshot = FrontSnapshot(
        generation=0,
        generations=0,
        evaluations=1,
        archive_size=int(fits),
        hypervolume=volume,
        history=((0, volume, int(fits)),),
        outcome=EVALUATED,
        reference=reference,
        lower_bound_ps=makespan_lower_bound_ps(problem),
        memory_capacity_bytes=problem.memory_capacity_bytes,
        settings=scheduler.settings,
        choose=lambda: Shown(plans, None),
    )
    return Result(scheduler, snapshot, scheduler.settings)
