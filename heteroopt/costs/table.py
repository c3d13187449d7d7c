"""CostTable: time and energy of every operator on every device, and where each figure comes from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from heteroopt.devices.precisions import PRECISIONS
from heteroopt.errors import CostError

Int64Array = npt.NDArray[np.int64]
Int16Array = npt.NDArray[np.int16]
Int8Array = npt.NDArray[np.int8]

COST_SOURCES: tuple[str, ...] = (
    "roofline", "measured", "learned", "given", "unsupported", "view", "fitted", "profiled", "trial",
)  # fmt: skip
"""Where a time is from: ``roofline`` (the device's data sheet), ``measured`` (this very operator on this device),
``learned`` (trees on the residual of the fitted roofline), ``fitted`` (a roofline fitted to the device's measurements),
``profiled`` (the operator's share of a run of this very model on this device), ``trial`` (its share of a segment of a
plan of this very model that was run for real).
"""
ENERGY_SOURCES: tuple[str, ...] = ("template", "estimated", "measured", "given")
"""Where an energy is from: figures of the data sheet, power times a calibrated time, a counter of joules, a person."""
BOUNDS: tuple[str, ...] = ("compute", "memory", "overhead")
SOURCE_CODE: dict[str, int] = {name: code for code, name in enumerate(COST_SOURCES)}
UNSUPPORTED = -1
LARGEST_TIME_PS = 10**16
SHARE_UNIT = 1024
"""A memory share of 1."""
LARGEST_ENERGY_PJ = 2**60
"""Of one operator: 2.8 hours, 1.15 MJ."""
LARGEST_LAUNCH_PS = 10**13
"""Of one segment: ten seconds."""
LARGEST_TOTAL_PS = 2**62
"""Of all operators one after another, each on its slowest device (53 days): sums stay inside int64."""


@dataclass(frozen=True, eq=False)
class CostTable:
    """Arrays of shape [n operators, D devices].

    time_ps, low_ps, high_ps: picoseconds, ``-1`` where the device cannot run the operator; low <= time <= high.
    energy_pj: picojoules above idle, 0 where unsupported. source: index into ``COST_SOURCES``. bound: index into
    ``BOUNDS`` (what limits it). precision: index into ``PRECISIONS``, ``-1`` unknown. energy_source: index into
    ``ENERGY_SOURCES``; without one, "template". segment_launch_ps: int64 [D], what a segment costs each device before
    its first operator; empty where nothing is said of it, so that the pool's own figures hold. memory_share: share of
    the time that moving bytes takes, per 1,024; empty where the pool's devices do not slow each other.
    Raises ``CostError``, naming operator and device, for NaN, infinite, negative or absurdly large entries.
    """

    time_ps: Int64Array
    energy_pj: Int64Array
    source: Int8Array
    low_ps: Int64Array
    high_ps: Int64Array
    bound: Int8Array
    precision: Int8Array
    energy_source: Int8Array = field(default_factory=lambda: np.zeros((0, 0), np.int8))
    memory_share: Int16Array = field(default_factory=lambda: np.zeros((0, 0), np.int16))
    operator_names: tuple[str, ...] = ()
    device_names: tuple[str, ...] = ()
    segment_launch_ps: Int64Array = field(default_factory=lambda: np.zeros(0, np.int64))
    content_hash: str = field(init=False, default="")

    def __post_init__(self) -> None:
        time = np.asarray(self.time_ps)
        if time.ndim != 2:
            raise CostError(
                "cost_shape", f"Times must be a table of operators by devices, not {time.ndim}-dimensional."
            )
        unsupported = time == UNSUPPORTED
        for name in ("time_ps", "low_ps", "high_ps", "energy_pj"):
            highest = _LARGEST.get(name, LARGEST_TIME_PS)
            self._settle(name, np.int64, time.shape, unsupported, highest=highest)
        if not np.asarray(self.energy_source).size:
            object.__setattr__(self, "energy_source", np.zeros(time.shape, np.int8))
        for name, codes in _CODES:
            self._settle(name, np.int8, time.shape, None, highest=len(codes) - 1)
        if np.asarray(self.memory_share).size:
            self._settle("memory_share", np.int16, time.shape, None, highest=SHARE_UNIT)
            self._refuse(self.memory_share < 0, "memory_share", self.memory_share, "is negative")
        self._refuse(~unsupported & (self.low_ps > self.time_ps), "low_ps", self.low_ps, "is above the time itself")
        self._refuse(~unsupported & (self.high_ps < self.time_ps), "high_ps", self.high_ps, "is below the time itself")
        if self.time_ps.size and float(self.time_ps.max(axis=1).astype(float).sum()) > LARGEST_TOTAL_PS:
            raise CostError(
                "cost_total", "The operators together take more than 53 days.", hint="Check the unit of time."
            )
        self._settle_launches()
        object.__setattr__(self, "content_hash", self._hash())

    @property
    def n_operators(self) -> int:
        """Number of operators (rows)."""
        return int(self.time_ps.shape[0])

    @property
    def n_devices(self) -> int:
        """Number of devices (columns)."""
        return int(self.time_ps.shape[1])

    @property
    def supported(self) -> npt.NDArray[np.bool_]:
        """Boolean [n, D]: the device can run the operator."""
        supported: npt.NDArray[np.bool_] = self.time_ps != UNSUPPORTED
        return supported

    def shares(self) -> Int16Array:
        """[n, D] memory shares per 1,024: as the table says, else all of what memory bounds, nothing of the rest."""
        if self.memory_share.size:
            return self.memory_share
        return np.where(self.bound == BOUNDS.index("memory"), SHARE_UNIT, 0).astype(np.int16)

    def coverage(self) -> dict[str, float]:
        """Share of the table's entries by source; the shares add up to 1."""
        total = max(1, self.source.size)
        counts = np.bincount(self.source.ravel(), minlength=len(COST_SOURCES))
        return {name: float(counts[code]) / total for code, name in enumerate(COST_SOURCES) if counts[code]}

    @classmethod
    def from_arrays(
        cls,
        time_ps: npt.ArrayLike,
        energy_pj: npt.ArrayLike,
        *,
        source: str | npt.ArrayLike = "given",
        low_ps: npt.ArrayLike | None = None,
        high_ps: npt.ArrayLike | None = None,
        bound: npt.ArrayLike | None = None,
        precision: npt.ArrayLike | None = None,
        energy_source: npt.ArrayLike | None = None,
        memory_share: npt.ArrayLike | None = None,
        operator_names: Sequence[str] = (),
        device_names: Sequence[str] = (),
        segment_launch_ps: npt.ArrayLike = (),
    ) -> CostTable:
        """Table from times (picoseconds, ``-1`` = unsupported) and energies (picojoules above idle), each [n, D].

        Fractions are rounded to whole units. Without an interval low = high = time; without a bound, compute.
        """
        time = np.array(time_ps)
        energy = np.array(energy_pj)
        if time.ndim != 2 or time.shape != energy.shape:
            raise CostError(
                "cost_shape", f"Times have the shape {time.shape} and energies {energy.shape}; both must be [n, D]."
            )
        unsupported = time == UNSUPPORTED
        if isinstance(source, str):
            codes = np.full(time.shape, SOURCE_CODE[source], np.int8)
            codes[unsupported] = SOURCE_CODE["unsupported"]
        else:
            codes = np.asarray(source, np.int8)
        return cls(
            time_ps=time,
            energy_pj=np.where(unsupported, 0, energy),
            source=codes,
            low_ps=time if low_ps is None else np.asarray(low_ps),
            high_ps=time if high_ps is None else np.asarray(high_ps),
            bound=np.zeros(time.shape, np.int8) if bound is None else np.asarray(bound, np.int8),
            precision=np.full(time.shape, -1, np.int8) if precision is None else np.asarray(precision, np.int8),
            energy_source=np.zeros(time.shape, np.int8)
            if energy_source is None
            else np.asarray(energy_source, np.int8),
            memory_share=np.zeros((0, 0), np.int16) if memory_share is None else np.asarray(memory_share),
            operator_names=tuple(operator_names),
            device_names=tuple(device_names),
            segment_launch_ps=np.asarray(segment_launch_ps),
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form; exact inverse of ``from_dict``."""
        arrays = {name: getattr(self, name).tolist() for name in self._arrays()}
        if self.segment_launch_ps.any():
            arrays["segment_launch_ps"] = self.segment_launch_ps.tolist()
        return {**arrays, "operator_names": list(self.operator_names), "device_names": list(self.device_names)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CostTable:
        """Inverse of ``to_dict``. Raises ``CostError`` for anything that ``__post_init__`` refuses."""
        missing = [name for name in _ARRAYS if name not in data]
        if missing:
            raise CostError("cost_fields", f"The cost table lacks {', '.join(missing)}.", missing=missing)
        values: dict[str, Any] = {
            name: np.array(data[name]) for name in (*_ARRAYS, *_LATER, "segment_launch_ps") if name in data
        }
        names: dict[str, Any] = {key: tuple(data.get(key, ())) for key in ("operator_names", "device_names")}
        return cls(**values, **names)

    def _arrays(self) -> tuple[str, ...]:
        """Those that a file and the hash hold: what says nothing is left out, as in earlier versions."""
        sources = ("energy_source",) if self.energy_source.any() else ()
        return (*_ARRAYS, *sources, *(("memory_share",) if self.memory_share.size else ()))

    def _settle(
        self,
        name: str,
        dtype: type[np.int64] | type[np.int8] | type[np.int16],
        shape: tuple[int, ...],
        unsupported: npt.NDArray[np.bool_] | None,
        *,
        highest: int,
    ) -> None:
        """Check one array and store it as read-only whole numbers."""
        values = np.asarray(getattr(self, name))
        if values.shape != shape:
            raise CostError("cost_shape", f"{name} has the shape {values.shape}, the times {shape}.", field=name)
        if values.dtype.kind not in "iuf":
            raise CostError("cost_shape", f"{name} does not hold numbers.", field=name)
        if values.dtype.kind == "f":
            self._refuse(~np.isfinite(values), name, values, "is not finite")
        low: Any = 0 if unsupported is not None else -1
        if unsupported is not None and name != "energy_pj":
            low = np.where(unsupported, UNSUPPORTED, 0)
        self._refuse(values < low, name, values, "is negative")
        self._refuse(values > highest, name, values, f"is above {highest}")
        settled = np.ascontiguousarray(np.rint(values) if values.dtype.kind == "f" else values).astype(dtype)
        settled.flags.writeable = False
        object.__setattr__(self, name, settled)

    def _settle_launches(self) -> None:
        values = np.asarray(self.segment_launch_ps)
        if values.size and (
            values.shape != (self.n_devices,)
            or values.dtype.kind not in "iuf"
            or not (np.isfinite(values) & (values >= 0) & (values <= LARGEST_LAUNCH_PS)).all()
        ):
            raise CostError(
                "cost_launch",
                f"Launches of segments must be {self.n_devices} times from 0 to {LARGEST_LAUNCH_PS} ps, one a device.",
                hint="Give segment_launch_us of each device in microseconds.",
                n_devices=self.n_devices,
            )
        settled = np.ascontiguousarray(np.rint(values)).astype(np.int64)
        settled.flags.writeable = False
        object.__setattr__(self, "segment_launch_ps", settled)

    def _refuse(self, wrong: npt.NDArray[np.bool_], name: str, values: npt.NDArray[Any], why: str) -> None:
        if not wrong.any():
            return
        row, column = (int(index) for index in np.argwhere(wrong)[0])
        operator = self.operator_names[row] if row < len(self.operator_names) else f"#{row}"
        device = self.device_names[column] if column < len(self.device_names) else f"#{column}"
        raise CostError(
            "cost_entry",
            f"{name} of operator {operator} on device {device} {why}: {values[row, column]}.",
            hint="Correct the figure, or mark the pair as not supported.",
            field=name,
            operator=operator,
            device=device,
            value=str(values[row, column]),
            count=int(wrong.sum()),
        )

    def _hash(self) -> str:
        digest = hashlib.sha256()
        digest.update(json.dumps([list(self.time_ps.shape), self.operator_names, self.device_names]).encode())
        for name in self._arrays():
            digest.update(getattr(self, name).astype("<i8").tobytes())
        if self.segment_launch_ps.any():
            digest.update(self.segment_launch_ps.astype("<i8").tobytes())
        return digest.hexdigest()


_LARGEST = {"energy_pj": LARGEST_ENERGY_PJ, "high_ps": 4 * LARGEST_TIME_PS}
_CODES = (("source", COST_SOURCES), ("bound", BOUNDS), ("precision", PRECISIONS), ("energy_source", ENERGY_SOURCES))
_LATER = ("energy_source", "memory_share")
_ARRAYS: tuple[str, ...] = ("time_ps", "energy_pj", "source", "low_ps", "high_ps", "bound", "precision")
