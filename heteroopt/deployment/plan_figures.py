"""The figures of one plan beside those of the plan that they are relative to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from heteroopt.simulation.objectives import DEFAULT_KEYS, find_objective
from heteroopt.simulation.reference_plan import ReferencePlan
from heteroopt.simulation.schedule import Schedule
from heteroopt.units import pj_to_j, ps_to_ms

if TYPE_CHECKING:
    from heteroopt.front.front import Front


@dataclass(frozen=True, slots=True)
class PlanFigure:
    """``value`` and ``reference`` in ``unit``; ``multiple`` as of ``front.measures.Measure``, ``None`` where a
    reference of 0 says nothing.
    """

    key: str
    name: str
    unit: str
    direction: str
    value: float
    reference: float
    multiple: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dictionary."""
        return asdict(self)


def figures_of(front: Front, row: int) -> dict[str, PlanFigure]:
    """Return every figure that a front reports of one of its plans, by key."""
    return {
        key: PlanFigure(
            key, entry.name, entry.unit, entry.direction, float(entry.values[row]), entry.reference,
            float(entry.multiples[row]),
        )
        for key, entry in front.measures.items()
    }  # fmt: skip


def figures_alone(schedule: Schedule, reference: ReferencePlan) -> dict[str, PlanFigure]:
    """Return time, energy and load balance of a schedule outside a front."""
    values = (ps_to_ms(schedule.makespan_ps), pj_to_j(schedule.energy_pj), schedule.load_variance)
    scales = (ps_to_ms(reference.time_ps), pj_to_j(reference.energy_pj), reference.load_variance)
    return {key: _figure(key, value, scale) for key, value, scale in zip(DEFAULT_KEYS, values, scales, strict=True)}


def _figure(key: str, value: float, reference: float) -> PlanFigure:
    objective = find_objective(key)
    multiple = value / reference if reference > 0 else None
    return PlanFigure(key, objective.name, objective.unit, objective.direction, value, reference, multiple)
