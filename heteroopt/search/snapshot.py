"""What a search has found so far, ready to be shown or stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from heteroopt.search.plan_set import Int64, PlanSet
from heteroopt.search.settings import SearchSettings
from heteroopt.search.shown import Shown
from heteroopt.simulation.reference_plan import ReferencePlan

OUTCOMES = ("running", "done", "stopped", "no_feasible", "single_plan", "exhausted")
"""``running``; ``done``: all generations; ``stopped`` by the caller; ``no_feasible``: no plan fits, the plans are the
least violating ones; ``single_plan``: one plan is best in everything; ``exhausted``: every possible plan was tried."""


@dataclass(frozen=True, eq=False)
class FrontSnapshot:
    """State of a search after a generation.

    ``hypervolume``: of the whole archive relative to the reference plan, within twice its values.
    ``archive_size``: non-dominated plans met, of which ``plans`` shows at most ``front_size``. ``history``: one
    (generation, hypervolume, plans in the archive) per generation, from the seeds (0) on. ``evaluations``: plans
    decoded. ``memory_capacity_bytes`` int64 [M]: the usable memory that ``plans.peak_bytes`` compares with.
    ``settings``: what was searched for, with every default filled in.
    """

    generation: int
    generations: int
    evaluations: int
    archive_size: int
    hypervolume: float
    history: tuple[tuple[int, float, int], ...]
    outcome: str
    reference: ReferencePlan
    lower_bound_ps: int
    memory_capacity_bytes: Int64
    settings: SearchSettings
    choose: Callable[[], Shown]
    """Cuts the archive of this generation to the plans shown; called once, when ``shown`` is first read."""

    @cached_property
    def shown(self) -> Shown:
        """The plans shown, and what else had to be computed to choose them."""
        return self.choose()

    @property
    def plans(self) -> PlanSet:
        """The plans shown, by time: the front, or where none fits the least violating plans by overflow."""
        return self.shown.plans

    @property
    def feasible(self) -> bool:
        """Whether the plans meet the constraints; if not, they are the least violating ones."""
        return self.archive_size > 0

    def __len__(self) -> int:
        return len(self.plans)


def concluded(outcome: str, archive_size: int) -> str:
    """Return how a search has ended that ``outcome`` ended with so many plans in its archive."""
    if archive_size == 0:
        return "no_feasible"
    return "single_plan" if archive_size == 1 and outcome in ("done", "exhausted") else outcome
