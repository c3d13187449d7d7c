"""The objectives: what each is called, its unit and direction, and how it is measured for many plans at once.

Plugins add to them by an entry point in the group ``heteroopt.objectives`` that names an :class:`Objective` of the
same key. What ships with us is registered in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import HeteroOptError, PlanError
from heteroopt.plugins import Plugins, load_group
from heteroopt.simulation.problem import Float64, Problem
from heteroopt.simulation.reference_plan import ReferencePlan, unpinned
from heteroopt.units import PJ_PER_J, PS_PER_MS

if TYPE_CHECKING:
    from heteroopt.simulation.objective_batch import ObjectiveBatch, ObjectiveOptions

GROUP = "heteroopt.objectives"
DEFAULT_KEYS = ("exec_time_ms", "energy_j", "load_balance")


@dataclass(frozen=True)
class Objective:
    """One objective. The page translates ``key``; ``name`` is English, ``unit`` an SI symbol, ``"bytes"`` or empty."""

    key: str
    name: str
    unit: str
    direction: Literal["min", "max"]
    needs: Literal["decode", "pipeline", "arrivals"]
    """What it costs: one decode; M items in flight; 1,000 arrivals at a rate that the person has to give."""
    measure: Callable[[ObjectiveBatch], Float64]
    """float64 [P] in ``unit``, finite; the batch computes what several objectives share only once."""
    normalise: Literal["reference", "range"] = "reference"
    """Divided by the reference plan's value (that plan counts as 1), or by the range among the plans."""
    violation: Callable[[ObjectiveBatch], Float64] | None = None
    """float64 [P], 0 where the plan is feasible, for objectives that make plans infeasible."""

    @property
    def needs_pipeline(self) -> bool:
        """Whether items in flight have to be simulated."""
        return self.needs != "decode"

    def cost(self, values: Float64) -> Float64:
        """What is minimised: the values, or for a maximised objective 1 / value, so that its multiple of the
        reference is reference / value. A maximised value of 0 or less is infinitely bad.
        """
        if self.direction == "min":
            return values
        return np.divide(1.0, values, out=np.full_like(values, np.inf), where=values > 0)

    def value(self, costs: Float64) -> Float64:
        """The inverse of :meth:`cost`."""
        return costs if self.direction == "min" else np.divide(1.0, costs)

    def to_dict(self) -> dict[str, object]:
        """Return what a page needs to offer it."""
        return {
            "key": self.key,
            "name": self.name,
            "unit": self.unit,
            "direction": self.direction,
            "needs": self.needs,
            "normalise": self.normalise,
        }


def _time(batch: ObjectiveBatch) -> Float64:
    return batch.evaluation.time_ps / PS_PER_MS


def _energy(batch: ObjectiveBatch) -> Float64:
    return batch.evaluation.energy_pj / PJ_PER_J


def _balance(batch: ObjectiveBatch) -> Float64:
    return batch.evaluation.load_variance


def _throughput(batch: ObjectiveBatch) -> Float64:
    return batch.measures.throughput_per_s


def _pipelined(batch: ObjectiveBatch) -> Float64:
    return batch.pipeline.throughput_per_s


def _step(batch: ObjectiveBatch) -> Float64:
    return batch.step.step_time_ps / PS_PER_MS


def _p99(batch: ObjectiveBatch) -> Float64:
    return batch.latency.p99_ps / PS_PER_MS


def _shortfall(batch: ObjectiveBatch) -> Float64:
    return batch.latency.shortfall


def _memory(batch: ObjectiveBatch) -> Float64:
    return batch.measures.peak_memory_bytes.astype(np.float64)


def _moved(batch: ObjectiveBatch) -> Float64:
    return batch.evaluation.transferred_bytes.astype(np.float64)


def _price(batch: ObjectiveBatch) -> Float64:
    return batch.measures.cost_per_hour


EXEC_TIME = Objective("exec_time_ms", "Execution time", "ms", "min", "decode", _time)
ENERGY = Objective("energy_j", "Energy", "J", "min", "decode", _energy)
LOAD_BALANCE = Objective("load_balance", "Load balance (variance of utilisation)", "", "min", "decode", _balance)
THROUGHPUT = Objective("throughput_per_s", "Throughput (1 / bottleneck)", "1/s", "max", "decode", _throughput)
PIPELINE_THROUGHPUT = Objective(
    "pipeline_throughput_per_s", "Throughput of the simulated pipeline", "1/s", "max", "pipeline", _pipelined
)
STEP_TIME = Objective("step_time_ms", "Step time with micro-batches", "ms", "min", "pipeline", _step)
LATENCY_P99 = Objective(
    "latency_p99_ms", "P99 latency at the arrival rate", "ms", "min", "arrivals", _p99, violation=_shortfall
)
PEAK_MEMORY = Objective("peak_memory_bytes", "Peak memory", "bytes", "min", "decode", _memory)
TRANSFERRED = Objective("transferred_bytes", "Transferred bytes", "bytes", "min", "decode", _moved)
COST_PER_HOUR = Objective("cost_per_hour", "Cost per hour", "1/h", "min", "decode", _price)

SHIPPED: Mapping[str, Objective] = {
    objective.key: objective
    for objective in (
        EXEC_TIME, ENERGY, LOAD_BALANCE, THROUGHPUT, PIPELINE_THROUGHPUT, LATENCY_P99, STEP_TIME, PEAK_MEMORY,
        TRANSFERRED, COST_PER_HOUR,
    )
}  # fmt: skip


def load_objectives(found: Iterable[EntryPoint] | None = None) -> Plugins[Objective]:
    """All objectives by key, ours first, and the plugins that are unavailable with their reasons."""
    return load_group(GROUP, _accept, shipped=SHIPPED, found=found)


@cache
def objectives() -> Plugins[Objective]:
    """The installed objectives, loaded once per process."""
    return load_objectives()


def _accept(name: str, loaded: object) -> Objective:
    if not isinstance(loaded, Objective):
        raise TypeError(f"{name!r} is a {type(loaded).__name__}, not an Objective.")
    if loaded.key != name:
        raise ValueError(f"The entry point is called {name!r}, its objective {loaded.key!r}.")
    return loaded


def find_objective(key: str) -> Objective:
    """Raises :class:`PlanError` ``objective_unknown`` with the known keys, or ``objective_unavailable`` with why."""
    installed = objectives()
    if key in installed.available:
        return installed.available[key]
    for plugin in installed.unavailable:
        if plugin.name == key:
            raise PlanError(
                "objective_unavailable",
                f"The objective {key!r} is installed but cannot be used: {plugin.message}",
                objective=key,
                reason=plugin.message,
            )
    known = list(installed.available)
    raise PlanError(
        "objective_unknown", f"There is no objective {key!r}.", hint=f"Use one of {', '.join(known)}.",
        objective=key, known=known,
    )  # fmt: skip


def measure_batch(
    problem: Problem,
    orders: NDArray[np.integer],
    devices: NDArray[np.integer],
    keys: Sequence[str] = DEFAULT_KEYS,
    options: ObjectiveOptions | None = None,
) -> dict[str, Float64]:
    """float64 [P] by key, in the objective's unit, for P plans (``orders``, ``devices`` [P, n]).

    Raises :class:`PlanError` for an unknown key, an illegal plan, or an arrival rate that is needed and missing.
    """
    from heteroopt.simulation.objective_batch import ObjectiveBatch, ObjectiveOptions

    batch = ObjectiveBatch(problem, orders, devices, options or ObjectiveOptions())
    return {key: measured(find_objective(key), batch) for key in keys}


def measured(objective: Objective, batch: ObjectiveBatch) -> Float64:
    """float64 [P] of one objective. Raises :class:`PlanError` ``objective_failed`` where a plugin's raises, or gives
    another shape or numbers that are not finite; our own errors pass.
    """
    try:
        values = np.asarray(objective.measure(batch), np.float64)
    except HeteroOptError:
        raise
    except Exception as error:
        raise _failed(objective, f"{type(error).__name__}: {error}") from error
    if values.shape != (len(batch.orders),):
        raise _failed(objective, f"it gives the shape {values.shape} for {len(batch.orders)} plans")
    if not np.isfinite(values).all():
        raise _failed(objective, "it gives numbers that are not finite")
    return values


def _failed(objective: Objective, reason: str) -> PlanError:
    return PlanError(
        "objective_failed",
        f"The objective {objective.key} cannot be measured: {reason}.",
        hint="Leave it out, or report this to whoever maintains its plugin.",
        objective=objective.key,
        reason=reason,
    )


def measure_reference(
    problem: Problem,
    reference: ReferencePlan,
    keys: Sequence[str] = DEFAULT_KEYS,
    options: ObjectiveOptions | None = None,
) -> dict[str, float]:
    """The reference plan's values, which pins and forbidden devices do not change."""
    values = measure_batch(unpinned(problem), reference.order[None], reference.devices[None], keys, options)
    return {key: float(column[0]) for key, column in values.items()}
