"""Result: the Pareto front of a search, and choosing from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heteroopt.api.choosing import bound_words, bounds_of, unit_of, weights_of
from heteroopt.api.shortfall import no_feasible
from heteroopt.api.solution import Solution
from heteroopt.deployment.plan import Plan
from heteroopt.deployment.plan_figures import figures_of
from heteroopt.errors import PlanError, SettingsError
from heteroopt.front.front import Front
from heteroopt.front.rules import Selection
from heteroopt.front.selection import PRESETS, knee, select_constrained
from heteroopt.search.settings import SearchSettings
from heteroopt.search.snapshot import FrontSnapshot
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.objectives import DEFAULT_KEYS

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from heteroopt.api.scheduler import Scheduler

STYLES: tuple[str, ...] = ("weighted", "constrained", "knee", *PRESETS)


class Result:
    """What a search found: ``pareto_front`` sorted by execution time, and ``select`` to choose from it.

    ``outcome``: done, stopped, single_plan (one plan is best in everything), exhausted (all plans were tried) or
    no_feasible (no plan fits the memories; the front then holds the plans that miss by least).
    """

    def __init__(self, scheduler: Scheduler, snapshot: FrontSnapshot, settings: SearchSettings) -> None:
        self.scheduler = scheduler
        self.snapshot = snapshot
        self.settings = settings
        self.graph = scheduler.graph
        self.pool = scheduler.pool
        self.costs = scheduler.costs
        self.weights = scheduler.weights

    @cached_property
    def front(self) -> Front:
        """The front as arrays, with multiples of the reference."""
        return Front.from_snapshot(self.snapshot, self.scheduler.problem)

    @cached_property
    def pareto_front(self) -> tuple[Solution, ...]:
        """The plans, by execution time; ``solution.number`` is the position from 1."""
        return tuple(Solution(self, row) for row in range(len(self.front)))

    @property
    def outcome(self) -> str:
        """How the search ended."""
        return self.snapshot.outcome

    @property
    def seed(self) -> int:
        """Seed of the search."""
        return self.settings.seed

    @property
    def hypervolume(self) -> float:
        """Of all plans met, relative to the reference plan, within twice its values."""
        return self.snapshot.hypervolume

    @property
    def default_plan(self) -> dict[str, Any]:
        """The plan that multiples refer to: kind, device, feasible, ``values`` of every measure, ``energy_sources``."""
        from heteroopt.costs.energy_origin import energy_sources

        reference = self.front.reference
        values = {key: entry.reference for key, entry in self.front.measures.items()}
        return {
            "kind": reference.kind,
            "device": self.pool.devices[reference.device].name,
            **{key: values[key] for key in DEFAULT_KEYS},
            "energy_sources": energy_sources(self.costs, reference.devices),
            "feasible": reference.feasible,
            "overflow_bytes": reference.overflow_bytes,
            "values": values,
        }

    def select(
        self,
        style: str = "weighted",
        weights: Mapping[str, float] | Sequence[float] | None = None,
        *,
        minimum: Mapping[str, float] | None = None,
        maximum: Mapping[str, float] | None = None,
    ) -> Solution:
        """Choose a plan.

        style: ``weighted`` (least weighted sum of multiples of the default plan), ``constrained`` (the same; bounds
        are expected), ``knee``, ``fastest``, ``least_energy``, ``most_balanced``. weights: a mapping by the
        key of any measure, or one number per objective of the search; those of the scheduler's objectives by default.
        minimum, maximum: bounds by the key of any measure in its unit (ms, J, variance, ...), or in multiples of the
        default plan with ``_x`` at the end (``{"exec_time_x": 1.2}``).
        Raises ``SettingsError`` for weights, bounds or styles that mean nothing, ``PlanError`` (``none_satisfies``)
        when no plan is within the bounds; its params hold the nearest plan's number and what it misses by.
        When no plan fits at all, ``PlanError`` (``no_feasible``): ``nearest`` is the number of the plan that misses by
        least, ``memory_exceeded`` says which memories it exceeds, by how much, and what would do.
        """
        if style not in STYLES:
            raise SettingsError(
                "style_unknown",
                f"There is no style {style!r} of choosing.",
                hint=f"Styles are {', '.join(STYLES)}.",
                style=str(style),
            )
        bounds_of(minimum, maximum, self.front.measures)
        trouble = no_feasible(self)
        if trouble is not None:
            raise trouble
        if style == "knee" and not (minimum or maximum):
            row = knee(self.front)
            equal = dict.fromkeys(self.front.objectives, 1.0)
            return self.pareto_front[row] if row is not None else self.select("weighted", equal)
        selection = self.selection(PRESETS.get(style, weights), minimum, maximum)
        if selection.index is None:
            raise self._none_satisfies(selection)
        return self.pareto_front[selection.index]

    def selection(
        self,
        weights: Mapping[str, float] | Sequence[float] | None = None,
        minimum: Mapping[str, float] | None = None,
        maximum: Mapping[str, float] | None = None,
    ) -> Selection:
        """Like ``select``, as rows of the front: chosen, passing, removed by each bound, nearest."""
        chosen = weights_of(self.weights if weights is None else weights, self.front.measures)
        bounds = bounds_of(minimum, maximum, self.front.measures)
        return select_constrained(self.front, bounds, chosen)

    def plot(self) -> go.Figure:
        """3-D figure of the front: execution time, energy, load balance, the default plan and the knee."""
        from heteroopt.deployment.figures import front_figure

        return front_figure(self.front, self.pool, title=self.graph.name)

    def plan(self, row: int, *, explain: bool = False) -> Plan:
        """Plan ``row`` decoded, for the exporters; with ``explain`` every operator gets its reason."""
        plans, scheduler = self.front.plans, self.scheduler
        schedule = decode_one(scheduler.problem, plans.orders[row], plans.devices[row])
        reasons = None
        if explain:
            from heteroopt.api.reasons import reasons_of

            reasons = reasons_of(scheduler.problem, self.graph, self.pool, self.costs, schedule)
        return Plan(
            graph=self.graph,
            pool=self.pool,
            costs=self.costs,
            problem=scheduler.problem,
            reference=self.front.reference,
            settings=self.settings,
            schedule=schedule,
            number=row + 1,
            reasons=reasons,
            figures=figures_of(self.front, row),
            pins=scheduler.pins,
            forbidden=scheduler.forbidden_devices,
            memory_caps=scheduler.memory_caps,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-able account of the search: outcome, figures, and every plan with its order and devices."""
        row = knee(self.front)
        return {
            "outcome": self.outcome,
            "generation": self.snapshot.generation,
            "generations": self.snapshot.generations,
            "evaluations": self.snapshot.evaluations,
            "archive_size": self.snapshot.archive_size,
            "hypervolume": self.hypervolume,
            "knee": None if row is None else row + 1,
            "objectives": list(self.front.objectives),
            "measures": [entry.describe() for entry in self.front.measures.values()],
            "front": [
                {
                    **solution.to_dict(),
                    "energy_sources": solution.energy_sources,
                    "order": self.front.plans.orders[solution.number - 1].tolist(),
                    "device": self.front.plans.devices[solution.number - 1].tolist(),
                }
                for solution in self.pareto_front
            ],
        }

    def to_csv(self) -> str:
        """All plans as CSV, units in the headings."""
        from heteroopt.deployment.front_csv import front_csv

        return front_csv(
            {**solution.to_dict(), "energy_source": ", ".join(solution.energy_sources)}
            for solution in self.pareto_front
        )

    def save_html(self, path: str | Path, solution: Solution | None = None) -> None:
        """Write a self-contained report of the front and one plan (the weighted choice by default).

        Where no plan fits, the default is the plan that misses by least.
        """
        from heteroopt.deployment.report_html import report_html

        chosen = solution
        if chosen is None:
            chosen = self.select() if self.front.feasible else self.pareto_front[0]
        text = report_html(self.plan(chosen.number - 1, explain=True), self.front)
        Path(path).write_text(text, "utf-8")

    def __repr__(self) -> str:
        return f"<Result: {len(self.front)} plans, {self.outcome}, seed {self.seed}>"

    def _none_satisfies(self, selection: Selection) -> PlanError:
        nearest = None if selection.nearest is None else selection.nearest + 1
        missed = ", ".join(
            f"{bound_words(key, self.front.measures)} by {value:.4g}{unit_of(key, self.front.measures)}"
            for key, value in (selection.violation or {}).items()
        )
        return PlanError(
            "none_satisfies",
            "No plan is within the bounds.",
            hint=f"The nearest is plan {nearest}; it misses {missed}." if nearest else "",
            nearest=nearest,
            violation=dict(selection.violation or {}),
            removed_by=dict(selection.removed_by),
        )
