"""The front that a person sees: sorted plans, their multiples of the reference, and what they are measured against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import HeteroOptError
from heteroopt.front.measures import Measure, basic_measures, further_measures, restored, stored
from heteroopt.front.plan_hash import plan_hashes
from heteroopt.search.constraints import TOLERANCE, Constraint, read_constraints
from heteroopt.search.packing import pack, unpack
from heteroopt.search.plan_set import PlanSet
from heteroopt.search.snapshot import FrontSnapshot
from heteroopt.simulation.objectives import DEFAULT_KEYS
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.reference_plan import ReferencePlan
from heteroopt.units import PJ_PER_J, PS_PER_MS

Bool = NDArray[np.bool_]
Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Front:
    """``k`` plans sorted by time, then energy, load balance and hash; plan number = row + 1.

    ``hashes``: sha256 per plan (see ``plan_hash``). ``feasible``: whether the plans meet all constraints; if not,
    they are the least violating ones, sorted by overflow first. ``reference``: what multiples are relative to.
    ``lower_bound_ps``: no plan can be faster. ``memory_capacity_bytes`` int64 [M]: usable memory, to compare
    ``plans.peak_bytes`` with. ``objectives``: keys of what was searched for, in the order of the axes. ``further``:
    figures beside time, energy and load balance. ``constraints``: bounds that the search was given.
    """

    plans: PlanSet
    hashes: tuple[str, ...]
    feasible: bool
    reference: ReferencePlan
    lower_bound_ps: int
    memory_capacity_bytes: Int64
    objectives: tuple[str, ...] = DEFAULT_KEYS
    further: tuple[Measure, ...] = ()
    constraints: tuple[Constraint, ...] = ()

    @classmethod
    def from_snapshot(cls, snapshot: FrontSnapshot, problem: Problem) -> Front:
        """Return the front of a search's state; ``problem`` is the one searched."""
        settings = snapshot.settings
        front = cls(
            plans=snapshot.plans,
            hashes=plan_hashes(problem, snapshot.plans.orders, snapshot.plans.devices),
            feasible=snapshot.feasible,
            reference=snapshot.reference,
            lower_bound_ps=snapshot.lower_bound_ps,
            memory_capacity_bytes=snapshot.memory_capacity_bytes,
            objectives=settings.objectives,
            further=further_measures(
                problem,
                snapshot.plans,
                snapshot.reference,
                settings,
                finished=snapshot.outcome != "running",
                latencies=snapshot.shown.latencies,
            ),
            constraints=settings.constraints,
        )
        return front.sorted()

    def sorted(self) -> Front:
        """Return the plans by time, energy, load balance and hash; by overflow and missed constraints before, where
        none meets them all.
        """
        plans = self.plans
        keys = [np.array(self.hashes), plans.load_variance, plans.energy_pj, plans.time_ps]
        if not self.feasible:
            keys += [self.total_missed, plans.overflow_bytes]
        order = np.lexsort(keys)
        return replace(
            self,
            plans=plans.take(order),
            hashes=tuple(self.hashes[row] for row in order.tolist()),
            further=tuple(entry.take(order) for entry in self.further),
        )

    def __len__(self) -> int:
        return len(self.plans)

    @property
    def exec_time_ms(self) -> Float64:
        """float64 [k]: makespan in ms."""
        return self.plans.time_ps / PS_PER_MS

    @property
    def energy_j(self) -> Float64:
        """float64 [k]: energy in J."""
        return self.plans.energy_pj / PJ_PER_J

    @property
    def load_balance(self) -> Float64:
        """float64 [k]: population variance of the devices' utilisation."""
        return self.plans.load_variance

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """Every figure by key: time, energy, load balance, then the further ones."""
        return {entry.key: entry for entry in (*basic_measures(self.plans, self.reference), *self.further)}

    @cached_property
    def axes(self) -> tuple[Measure, ...]:
        """The figures of the objectives, in their order."""
        return tuple(self.measures[key] for key in self.objectives)

    @cached_property
    def values(self) -> Float64:
        """float64 [k, m]: the objectives' values."""
        return self._columns([axis.values for axis in self.axes])

    @cached_property
    def costs(self) -> Float64:
        """float64 [k, m]: the same, with 1 / value of maximised objectives: the smaller, the better."""
        return self._columns([axis.costs for axis in self.axes])

    @property
    def reference_values(self) -> tuple[float, ...]:
        """The reference plan's values of the objectives."""
        return tuple(axis.reference for axis in self.axes)

    @cached_property
    def multiples(self) -> Float64:
        """float64 [k, m]: of the objectives, less being better (see ``Measure.multiples``)."""
        return self._columns([axis.multiples for axis in self.axes])

    @cached_property
    def constant(self) -> Bool:
        """bool [m]: objectives with a reference of 0 that do not vary among the plans either."""
        return np.array([axis.constant for axis in self.axes], np.bool_)

    def _columns(self, columns: list[Float64]) -> Float64:
        return np.column_stack(columns) if columns else np.empty((len(self), 0))

    @cached_property
    def total_missed(self) -> Float64:
        """float64 [k]: what each plan misses the constraints by, summed relative to the bounds."""
        total = np.zeros(len(self))
        for constraint in self.constraints:
            values = self.measures[constraint.objective].values
            for sign, limit in ((-1.0, constraint.min), (1.0, constraint.max)):
                if limit is not None:
                    over = sign * (values - limit)
                    total += np.where(over > TOLERANCE * abs(limit), over, 0.0) / (abs(limit) or 1.0)
        return total

    def missed(self, row: int) -> list[tuple[str, str, float, float]]:
        """Return ``(objective, "min" or "max", bound, value)`` of each constraint that plan ``row`` misses."""
        found = []
        for constraint in self.constraints:
            value = float(self.measures[constraint.objective].values[row])
            found += [(constraint.objective, end, limit, value) for end, limit in constraint.missed(value)]
        return found

    @property
    def lower_bound_ms(self) -> float:
        """No plan can take less time, in ms (a relaxation; it may not be reachable)."""
        return self.lower_bound_ps / PS_PER_MS

    def exceeded(self, row: int) -> list[tuple[int, int, int]]:
        """Return ``(memory, peak bytes, usable bytes)`` of each memory that plan ``row`` overflows."""
        peak = self.plans.peak_bytes[row]
        over = np.flatnonzero(peak > self.memory_capacity_bytes)
        return [(int(m), int(peak[m]), int(self.memory_capacity_bytes[m])) for m in over]

    def operators_per_device(self, row: int) -> list[int]:
        """Return how many operators plan ``row`` places on each device."""
        counts = np.bincount(self.plans.devices[row], minlength=self.plans.busy_ps.shape[1])
        return [int(count) for count in counts]

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dictionary that ``from_dict`` reads back exactly."""
        arrays = {name: values.tolist() for name, values in self._arrays().items()}
        return {**self._header(), "arrays": arrays}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Front:
        """Read ``to_dict``'s form."""
        arrays = {name: np.array(values, dtype=_DTYPES.get(name)) for name, values in data["arrays"].items()}
        return cls._from_parts(data, arrays)

    def to_bytes(self) -> bytes:
        """Return the front as a compact block; equal fronts give equal bytes."""
        return pack(self._header(), self._arrays())

    @classmethod
    def from_bytes(cls, data: bytes) -> Front:
        """Read ``to_bytes``' form. Raises ``ValueError`` or ``zipfile.BadZipFile`` for anything else."""
        header, arrays = unpack(data)
        return cls._from_parts(header, arrays)

    def _header(self) -> dict[str, Any]:
        reference = {name: getattr(self.reference, name) for name in _REFERENCE_FIELDS}
        return {
            "hashes": list(self.hashes),
            "feasible": self.feasible,
            "reference": reference,
            "lower_bound_ps": self.lower_bound_ps,
            "objectives": list(self.objectives),
            "measures": stored(self.further)[0],
            "constraints": [constraint.to_dict() for constraint in self.constraints],
        }

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {
            **self.plans.arrays(),
            **stored(self.further)[1],
            "memory_capacity_bytes": self.memory_capacity_bytes,
            "reference_order": self.reference.order,
            "reference_devices": self.reference.devices,
        }

    @classmethod
    def _from_parts(cls, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Front:
        k, n = len(arrays["time_ps"]), len(arrays["reference_order"])
        shapes = {"orders": (k, n), "devices": (k, n), "peak_bytes": (k, len(arrays["memory_capacity_bytes"]))}
        # Fronts that were stored before there were other objectives know nothing of bottlenecks.
        arrays = {"bottleneck_ps": np.zeros(k, np.int64), **arrays}
        plans = {name: arrays[name].reshape(shapes.get(name, arrays[name].shape)) for name in PlanSet.names()}
        reference = ReferencePlan(
            **header["reference"], order=arrays["reference_order"], devices=arrays["reference_devices"]
        )
        return cls(
            plans=PlanSet(**plans),
            hashes=tuple(header["hashes"]),
            feasible=bool(header["feasible"]),
            reference=reference,
            lower_bound_ps=int(header["lower_bound_ps"]),
            memory_capacity_bytes=arrays["memory_capacity_bytes"],
            objectives=tuple(header.get("objectives", DEFAULT_KEYS)),
            further=restored(header.get("measures", ()), arrays),
            constraints=_readable(header.get("constraints", ())),
        )


def _readable(given: Any) -> tuple[Constraint, ...]:
    """Constraints of a stored front; none where a plugin that one is about is no longer installed."""
    try:
        return read_constraints(given)
    except HeteroOptError:
        return ()


_REFERENCE_FIELDS = tuple(name for name in ReferencePlan.__dataclass_fields__ if name not in ("order", "devices"))

_DTYPES = {
    **PlanSet.dtypes(),
    "memory_capacity_bytes": np.int64,
    "reference_order": np.int32,
    "reference_devices": np.int32,
}
