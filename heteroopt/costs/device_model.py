"""The cost model of one calibrated device: exact hit, boosted residual, fitted roofline, data sheet, in that order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from heteroopt.costs.accuracy import Accuracy
from heteroopt.costs.cost_models import DEFAULT, CostModel, checked_predictions, find_cost_model, learned
from heteroopt.costs.database import DISTRUSTED, MeasuredEnergy, Measurement, PerformanceDatabase
from heteroopt.costs.facts import OperatorFacts
from heteroopt.costs.fitted_roofline import FittedRoofline
from heteroopt.costs.held_out import HeldOut, hold_out
from heteroopt.costs.neighbours import Neighbours
from heteroopt.costs.residual import TREES
from heteroopt.costs.template_seconds import template_seconds
from heteroopt.devices.spec import DeviceSpec
from heteroopt.units import BYTES_PER_GB

FloatArray = npt.NDArray[np.float64]

FEWEST_TO_LEARN = 40
"""Distinct operators; below, only exact hits and the device's figures are used."""

SOURCES = ("measured", "learned", "fitted", "roofline")
"""Of a prediction, as ``CostTable`` names them: database, trees, fitted roofline, roofline from the data sheet."""

LEVEL_SOURCE = {"model": "learned", "roofline": "fitted", "template": "roofline"}
FROM_MEMORY_BYTES = 32e6
"""More than this comes from memory, not from a cache."""
SMALLEST_SHARE = 0.05
"""Of a measurement that is left when the start of a program has been taken off."""
SMALLEST_INSIDE = 0.2
"""Of an operator alone that is left when the change of its images' layout has been taken off."""
OWN_SOURCES = ("measured", "learned", "fitted")
"""What was measured of programs of one operator, or learned from those."""
DOUBTFUL_SHARE = 0.5
"""Of the least time of a row that was measured while its device was slow: where its interval begins."""


@dataclass(frozen=True)
class Predictions:
    """Seconds inside a running program, with the interval of 90 % of held-out errors (of an exact hit: least time to
    median and spread), and the source, all [n].
    """

    seconds: FloatArray
    low_s: FloatArray
    high_s: FloatArray
    sources: tuple[str, ...]


@dataclass(frozen=True)
class DeviceCostModel:
    """Made by ``train``. ``held_out`` is ``None`` where too little was measured to judge anything."""

    database: PerformanceDatabase
    estimate: str
    roofline: FittedRoofline | None = None
    learner: CostModel | None = field(default=None, compare=False)
    """None where it would be worse than the fitted roofline for every type."""
    held_out: HeldOut | None = None
    spec: DeviceSpec | None = field(default=None, compare=False)

    @classmethod
    def train(
        cls,
        database: PerformanceDatabase,
        spec: DeviceSpec | None = None,
        *,
        estimate: str = "minimum_s",
        cost_model: str = DEFAULT,
        trees: int = TREES,
        seed: int = 0,
    ) -> DeviceCostModel:
        """Learn from a device's measurements; ``spec``: its figures, which are kept where learning does worse.

        ``estimate``: which figure of a row counts, ``minimum_s`` (what an undisturbed run takes: repeated calibrations
        differ least in it) or ``median_s``. The same rows give the same bytes.
        ``cost_model``: the kind that learns, ours or a plugin's. Raises ``CostError`` ``cost_model_unknown``,
        ``cost_model_failed``.
        """
        kind = find_cost_model(cost_model)
        rows = sorted(database.trusted(), key=lambda row: row.facts.structure)
        facts = [row.facts for row in rows]
        if len(rows) < FEWEST_TO_LEARN:
            return cls(database, estimate, spec=spec)
        seconds, start_s = program_seconds(rows, estimate), database.launch_overhead_s
        roofline = FittedRoofline.fit(facts, seconds, start_s)
        known = spec if spec is not None and spec.peak_gflop_per_s else None
        judged = hold_out(
            facts,
            seconds,
            None if known is None else lambda asked: template_seconds(asked, known) + start_s,
            kind=kind,
            start_s=start_s,
            seed=seed,
            trees=trees,
        )
        learner = learned(kind, facts, seconds, start_s, trees) if "model" in judged.levels.values() else None
        return cls(database, estimate, roofline, learner, judged, spec)

    @property
    def energy(self) -> MeasuredEnergy:
        """What was measured of its power."""
        return self.database.energy

    @cached_property
    def bytes_per_s(self) -> float:
        """The highest rate at which operators moved more than caches hold (or the tenth that moves most, if none does).

        Raises ``ValueError`` where nothing was measured.
        """
        rows = self.database.trusted() or list(self.database.rows.values())
        moved = np.array([row.facts.bytes_read + row.facts.bytes_written for row in rows], np.float64)
        seconds = without_start(program_seconds(rows, self.estimate), self.database.launch_overhead_s)
        large = moved >= min(FROM_MEMORY_BYTES, float(np.quantile(moved, 0.9)))
        return max(1.0, float((moved[large] / seconds[large]).max()))

    @cached_property
    def _hits(self) -> dict[str, Measurement]:
        return {row.facts.structure: row for row in self.database.trusted()}

    def predict(self, rows: Sequence[OperatorFacts], beside: Neighbours | None = None) -> Predictions:
        """Predict operators, [n]. What nothing here can tell is NaN with the source "roofline".

        ``beside``: what they do less and more inside their graph than in the programs of one operator that were
        measured.
        """
        n = len(rows)
        seconds, low, high = np.full(n, np.nan), np.full(n, np.nan), np.full(n, np.nan)
        sources = ["roofline"] * n
        waiting: dict[str, list[int]] = {}
        for index, facts in enumerate(rows):
            hit = self._hit(facts)
            if hit is None:
                waiting.setdefault(self._level(facts), []).append(index)
                continue
            value = float(without_start(program_seconds([hit], self.estimate), self.database.launch_overhead_s)[0])
            off = getattr(hit, self.estimate) - value
            seconds[index], sources[index] = value, "measured"
            least = hit.minimum_s * (DOUBTFUL_SHARE if set(hit.flags) & DISTRUSTED else 1.0)
            low[index] = max(min(value, least - off), SMALLEST_SHARE * value)
            high[index] = max(value, hit.median_s + hit.spread_s - off)
        for level, indices in waiting.items():
            self._estimate(level, rows, indices, seconds, low, high)
            for index in indices:
                sources[index] = LEVEL_SOURCE[level]
        if beside is not None:
            share = np.maximum(1.0 - self.database.layout_s_per_byte * beside.kept_bytes / seconds, SMALLEST_INSIDE)
            share = share + self.database.weight_s_per_byte * beside.cold_bytes / seconds
            share = np.where([source in OWN_SOURCES for source in sources], share, 1.0)
            seconds, low, high = seconds * share, low * share, high * share
        return Predictions(seconds, low, high, tuple(sources))

    def _hit(self, facts: OperatorFacts) -> Measurement | None:
        """The row of an equal operator; one that is not trusted only where nothing learned could replace it."""
        known = self._hits.get(facts.structure)
        return self.database.find(facts) if known is None and self._level(facts) == "template" else known

    def _level(self, facts: OperatorFacts) -> str:
        if self.held_out is None:
            return "template"
        return self.held_out.levels.get(facts.group, self.held_out.levels["*"])

    def _estimate(
        self, level: str, rows: Sequence[OperatorFacts], indices: list[int], seconds: FloatArray, low: FloatArray,
        high: FloatArray,
    ) -> None:  # fmt: skip
        asked = [rows[index] for index in indices]
        if level == "template" or self.roofline is None or self.held_out is None:
            if self.spec is None or not self.spec.peak_gflop_per_s:
                return
            values = template_seconds(asked, self.spec) + self.database.launch_overhead_s
        elif level == "model" and self.learner is not None:
            values = checked_predictions(self.learner, asked)
        else:
            values = self.roofline.predict(asked)
        errors = {} if self.held_out is None else self.held_out.log_errors
        bounds = [errors.get(f"{level} {facts.group}", errors.get(level, (-0.7, 0.7))) for facts in asked]
        start_s = self.database.launch_overhead_s
        seconds[indices] = without_start(values, start_s)
        low[indices] = without_start(values * np.exp([bound[0] for bound in bounds]), start_s)
        high[indices] = without_start(values * np.exp([bound[1] for bound in bounds]), start_s)

    def summary(self) -> dict[str, Any]:
        """What a page shows of it: device, rows, errors, refusals, power."""
        device = self.database.device
        return {
            "device": {name: getattr(device, name) for name in ("runtime", "name", "host", "processor", "fingerprint")},
            "versions": dict(device.versions),
            "rows": len(self.database),
            "flagged": sum(1 for row in self.database.rows.values() if row.flags),
            "own_flagged": self.database.own_flagged(),
            "own_untimed": self.database.own_untimed,
            "flags": list(self.database.flags),
            "measured_at": self.database.measured_at,
            "launch_overhead_us": self.database.launch_overhead_s * 1e6,
            "layout_gb_per_s": 1.0 / BYTES_PER_GB / self.database.layout_s_per_byte
            if self.database.layout_s_per_byte
            else None,
            "weight_gb_per_s": 1.0 / BYTES_PER_GB / self.database.weight_s_per_byte
            if self.database.weight_s_per_byte
            else None,
            "energy_source": self.energy.source or "estimated",
            "contention": None if self.database.contention is None else asdict(self.database.contention),
            "handover": None if self.database.handover is None else asdict(self.database.handover),
            "transfers": {name: fit.to_dict() for name, fit in self.database.transfers.items()},
            "held_out": None if self.held_out is None else self.held_out.to_dict(),
        }

    def used_accuracy(self) -> Accuracy | None:
        """Held-out error of what is used, ``None`` where nothing could be judged."""
        return None if self.held_out is None else self.held_out.used


def program_seconds(rows: Sequence[Measurement], estimate: str) -> FloatArray:
    """Seconds of programs of one operator each, [n], as they were measured: with their start."""
    return np.array([getattr(row, estimate) for row in rows], np.float64)


def without_start(seconds: FloatArray, start_s: float) -> FloatArray:
    """Seconds of operators inside a running program: those of programs less what starting one takes, [n]."""
    return np.maximum(seconds - start_s, SMALLEST_SHARE * seconds)
