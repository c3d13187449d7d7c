"""The front that a person sees: sorted plans, their multiples of the reference, and what they are measured against."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.front.plan_hash import plan_hashes
from heteroopt.search.packing import pack, unpack
from heteroopt.search.plan_set import PlanSet
from heteroopt.search.scales import constant_objectives, multiples
from heteroopt.search.snapshot import FrontSnapshot
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
    ``plans.peak_bytes`` with.
    """

    plans: PlanSet
    hashes: tuple[str, ...]
    feasible: bool
    reference: ReferencePlan
    lower_bound_ps: int
    memory_capacity_bytes: Int64

    @classmethod
    def from_snapshot(cls, snapshot: FrontSnapshot, problem: Problem) -> Front:
        """Return the front of a search's state; ``problem`` is the one searched."""
        plans = snapshot.plans
        hashes = np.array(plan_hashes(problem, plans.orders, plans.devices))
        keys = (hashes, plans.load_variance, plans.energy_pj, plans.time_ps)
        order = np.lexsort(keys if snapshot.feasible else (*keys, plans.overflow_bytes))
        return cls(
            plans=plans.take(order),
            hashes=tuple(str(value) for value in hashes[order]),
            feasible=snapshot.feasible,
            reference=snapshot.reference,
            lower_bound_ps=snapshot.lower_bound_ps,
            memory_capacity_bytes=snapshot.memory_capacity_bytes,
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
    def values(self) -> Float64:
        """float64 [k, 3]: ``exec_time_ms``, ``energy_j``, ``load_balance``."""
        return np.column_stack((self.exec_time_ms, self.energy_j, self.load_balance))

    @property
    def reference_values(self) -> tuple[float, float, float]:
        """The reference plan's ``exec_time_ms``, ``energy_j``, ``load_balance``."""
        reference = self.reference
        return reference.time_ps / PS_PER_MS, reference.energy_pj / PJ_PER_J, reference.load_variance

    @cached_property
    def multiples(self) -> Float64:
        """float64 [k, 3]: values over the reference's, or over the front's range where that is 0; 1 if constant."""
        return multiples(self.values, self.reference_values)

    @cached_property
    def constant(self) -> Bool:
        """bool [3]: objectives with a reference of 0 that do not vary among the plans either."""
        return constant_objectives(self.values, self.reference_values)

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
        }

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {
            **self.plans.arrays(),
            "memory_capacity_bytes": self.memory_capacity_bytes,
            "reference_order": self.reference.order,
            "reference_devices": self.reference.devices,
        }

    @classmethod
    def _from_parts(cls, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Front:
        k, n = len(arrays["time_ps"]), len(arrays["reference_order"])
        shapes = {"orders": (k, n), "devices": (k, n), "peak_bytes": (k, len(arrays["memory_capacity_bytes"]))}
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
        )


_REFERENCE_FIELDS = tuple(name for name in ReferencePlan.__dataclass_fields__ if name not in ("order", "devices"))

_DTYPES = {
    **PlanSet.dtypes(),
    "memory_capacity_bytes": np.int64,
    "reference_order": np.int32,
    "reference_devices": np.int32,
}
