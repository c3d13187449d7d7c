"""A set of plans as parallel arrays: genomes and what their decoding gave."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class PlanSet:
    """``k`` plans of ``n`` operators on ``D`` devices with ``M`` memories; row ``i`` of every array is plan ``i``.

    ``orders`` int32 [k, n] (each row a topological permutation), ``devices`` int32 [k, n] (by operator index),
    ``time_ps`` int64, ``energy_pj`` float64, ``load_variance`` float64 (population variance of utilisation),
    ``overflow_bytes`` int64 (0 = fits), ``peak_bytes`` int64 [k, M], ``busy_ps`` int64 [k, D],
    ``transferred_bytes`` int64, ``n_transfers`` int64, ``bottleneck_ps`` int64 (of the busiest device or channel).
    """

    orders: Int32
    devices: Int32
    time_ps: Int64
    energy_pj: Float64
    load_variance: Float64
    overflow_bytes: Int64
    peak_bytes: Int64
    busy_ps: Int64
    transferred_bytes: Int64
    n_transfers: Int64
    bottleneck_ps: Int64

    def __len__(self) -> int:
        return len(self.time_ps)

    def objectives(self) -> Float64:
        """Return float64 [k, 3]: time in ps, energy in pJ, load variance."""
        return np.column_stack((self.time_ps.astype(np.float64), self.energy_pj, self.load_variance))

    def take(self, rows: NDArray[np.intp] | list[int]) -> PlanSet:
        """Return the plans at the given rows, in that order."""
        index = np.asarray(rows, dtype=np.intp)
        return PlanSet(**{name: values[index] for name, values in self.arrays().items()})

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by field name."""
        return {name: getattr(self, name) for name in self.names()}

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the arrays."""
        return tuple(field.name for field in fields(cls))

    @staticmethod
    def dtypes() -> dict[str, type[np.generic]]:
        """Return the type of each array by name."""
        narrow = {"orders": np.int32, "devices": np.int32}
        real = {"energy_pj": np.float64, "load_variance": np.float64}
        return {name: narrow.get(name) or real.get(name) or np.int64 for name in PlanSet.names()}


def joined(first: PlanSet, second: PlanSet) -> PlanSet:
    """Return the plans of both sets, the first ones first."""
    other = second.arrays()
    return PlanSet(**{name: np.concatenate((values, other[name])) for name, values in first.arrays().items()})
