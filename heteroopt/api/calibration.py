"""Calibration as the Python interface offers it: ``hopt.calibrate(...)``, a result that plans use and files keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from heteroopt.calibration.cases import DEFAULT_CASES
from heteroopt.calibration.local import DEFAULT_BUDGET_S, calibrate_device, open_locals
from heteroopt.costs.bundle import read_bundle, write_bundle
from heteroopt.costs.cost_models import DEFAULT
from heteroopt.costs.database import PerformanceDatabase
from heteroopt.costs.device_model import DeviceCostModel
from heteroopt.deployment.handover import measure_handover
from heteroopt.devices.spec import DeviceSpec
from heteroopt.graph.graph import Graph
from heteroopt.progress import ProgressCallback
from heteroopt.units import BYTES_PER_GB


class Calibration:
    """What was measured on one device, and the cost model that is learned from it."""

    def __init__(self, database: PerformanceDatabase, refused: Iterable[Mapping[str, str]] = ()) -> None:
        self.database = database
        self.refused = tuple(refused)
        """Operators of the models that could not be run alone: ``{"operator", "kind", "why"}``."""

    @classmethod
    def load(cls, path: str | Path | bytes) -> Self:
        """Read a file of ``save``, of ``heteroopt calibrate`` or of the calibrator. Raises ``CostError``."""
        return cls(read_bundle(path))

    def save(self, path: str | Path) -> str:
        """Write it and return its hash."""
        return write_bundle(self.database, path)

    def cost_model(self, spec: DeviceSpec | None = None, kind: str = DEFAULT) -> DeviceCostModel:
        """The cost model; with ``spec`` it is judged against that data sheet too, which stays where it is better.

        ``kind``: what learns, "residual_trees" or that of a plugin. Raises ``CostError`` ``cost_model_unknown``.
        """
        return DeviceCostModel.train(self.database, spec, cost_model=kind)

    def summary(self, spec: DeviceSpec | None = None) -> str:
        """What was measured, how far the model is off on held-out operators, and what was refused, as text."""
        return summary_text(self.cost_model(spec))

    def __repr__(self) -> str:
        device = self.database.device
        return f"<Calibration of {device.name} ({device.runtime}): {len(self.database)} operators>"


def calibrate(
    runtime: str,
    device: int = 0,
    *,
    models: Iterable[Graph] = (),
    count: int = DEFAULT_CASES,
    budget_s: float = DEFAULT_BUDGET_S,
    options: Mapping[str, Any] | None = None,
    host_folder: str | Path | None = None,
    progress: ProgressCallback | None = None,
    beside: int | None = None,
) -> Calibration:
    """Measure a device of this machine through one of its runtimes ("onnxruntime", "openvino", ...).

    models: graphs whose operators are measured first; the designed spread then fills up to ``count`` distinct
    operators. budget_s: it stops there and keeps what it has. options: of the runtime, such as ``{"threads": 1}``.
    host_folder: configurations of runtimes that this host keeps. beside: number of another device of that runtime with
    the same memory (core sets, an integrated GPU): how much the two slow each other. Raises ``RuntimeFault`` where the
    device cannot be used, and ``CostError`` where nothing could be measured.
    """
    folder = None if host_folder is None else Path(host_folder)
    indices = (device,) if beside is None else (device, beside)
    with open_locals(runtime, indices, options=options, host_folder=folder) as opened:
        database, bundle = calibrate_device(
            opened[0],
            models,
            count=count,
            budget_s=budget_s,
            progress=progress,
            beside=None if beside is None else opened[1],
            handover=measure_handover,
        )
    return Calibration(database, bundle["not_rebuilt"])


def summary_text(model: DeviceCostModel) -> str:
    """A few lines on a cost model for people."""
    database, judged = model.database, model.held_out
    device = database.device
    flagged = sum(1 for row in database.rows.values() if row.flags)
    lines = [
        f"{device.name} through {device.runtime}"
        + (f" on {device.host}" if device.host else "")
        + f": {len(database)} operators, {flagged} flagged, "
        + f"a program starts in {database.launch_overhead_s * 1e6:.3g} us"
    ]
    if database.flags:
        lines.append(f"  the device was {', '.join(database.flags)} while it was measured")
    if database.own_untimed or database.own_flagged():
        lines.append(
            f"  of the models' own operators {database.own_untimed} were not reached before the end and "
            f"{database.own_flagged()} were timed while the device was slow; the model predicts them"
        )
    if database.refused:
        lines.append(
            f"  {len(database.refused)} operators were refused by the runtime, such as {database.refused[0][0]}"
        )
    if database.contention is not None:
        beside = database.contention
        lines.append(
            f"  beside {beside.beside}: memory-bound operators take {beside.memory:.2f} times as long, "
            f"compute-bound ones {beside.compute:.2f} times"
        )
    if database.handover is not None:
        lines.append(
            f"  a segment that {database.handover.beside} hands to it or waits for starts in "
            f"{database.handover.seconds * 1e6:.3g} us"
        )
    for name, way in (("h2d", "from the host"), ("d2h", "to the host")):
        fit = database.transfers.get(name)
        if fit is not None:
            lines.append(
                f"  copies {way}: {fit.latency_s * 1e6:.3g} us + bytes / {fit.bytes_per_s / BYTES_PER_GB:.3g} GB/s, "
                f"off by {fit.residual:.0%} in the middle, {fit.worst:.0%} at worst"
            )
    if judged is None:
        lines.append("  too little was measured to learn from; only equal operators take their measured time")
    else:
        lines.append(f"  held out (five folds): {_errors(judged.used)}")
        lines.extend(f"    {level:<9} {_errors(found)}" for level, found in judged.by_level.items())
        if judged.largest:
            lines.append(f"  largest 15 %, from the smaller ones: {_errors(judged.largest['model'])}")
        lines.extend(
            f"  refused: {refusal.level} for {refusal.group} (error {refusal.error:.1%}); "
            f"kept: {refusal.kept} ({refusal.kept_error:.1%})"
            for refusal in judged.refusals
        )
    lines.append(f"  energy: {model.energy.source or 'estimated from power and time'}")
    return "\n".join(lines)


def _errors(found: Any) -> str:
    return (
        f"mean error {found.mape:.1%}, {found.within_30:.0%} within 30 %, rank correlation {found.spearman:.3f} "
        f"({found.n} operators)"
    )
