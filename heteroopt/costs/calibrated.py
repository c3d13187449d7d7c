"""A cost table from the cost models of calibrated devices, and from data sheets where a device has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from heteroopt.costs.device_model import DeviceCostModel
from heteroopt.costs.facts import OperatorFacts, graph_facts
from heteroopt.costs.neighbours import Neighbours, mean_border_bytes, neighbours
from heteroopt.costs.profile import Profile
from heteroopt.costs.roofline import HIGH_FACTOR, collect_work, device_costs, support
from heteroopt.costs.table import ENERGY_SOURCES, SHARE_UNIT, SOURCE_CODE, UNSUPPORTED, CostTable
from heteroopt.costs.work_terms import PRODUCTS
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.errors import CostError
from heteroopt.graph.graph import Graph
from heteroopt.units import PS_PER_S, us_to_ps

FloatArray = npt.NDArray[np.float64]

MOST_NAMED = 5
"""Operators in a message."""


def calibrated_cost_table(
    graph: Graph,
    pool: DevicePool,
    models: Mapping[str, DeviceCostModel],
    profiles: Mapping[str, Profile] | None = None,
) -> CostTable:
    """CostTable [n operators, D devices]; ``models`` by name of a device of the pool. ``profiles``, likewise: what
    this very model's operators took while it ran on a device; they come before everything else, those of a trial run
    before predictions only.

    A calibrated device's operators cost what was measured of an equal one, else what its model predicts, with the
    interval of that; the source says which. A segment costs a calibrated device what handing over to another device
    took when it was measured, else what starting a program took, and what changing the layout of the images takes that
    a border of this graph has on average, unless the pool says something else. Their energy above idle is the power
    that was measured for their class times that time, else active less idle power times it. Views cost nothing.
    In a pool whose devices slow each other, the share of the memory is what its bytes take at the highest measured
    rate, else that of the data sheet; what was never measured is not slowed on a device without a data sheet.
    Raises ``CostError``
    ``calibration_incomplete`` for a device that has neither a model that covers an operator nor a peak,
    ``device_without_peak`` for one that has neither model nor peak, ``profile_other_model`` for a profile of another
    model, and ``PoolError`` for an unknown device.
    """
    inside = profiles or {}
    for name in (*models, *inside):
        pool.index(name)
    work, supported = collect_work(graph), support(graph, pool)
    facts, names = graph_facts(graph), [operator.name for operator in graph.operators]
    border_bytes = mean_border_bytes(graph)
    beside = neighbours(graph)
    shape = (len(graph.operators), len(pool))
    table = {name: np.zeros(shape) for name in ("time", "low", "high", "energy")}
    codes = {name: np.zeros(shape, np.int8) for name in ("source", "bound", "precision", "energy_source")}
    codes["source"][:] = SOURCE_CODE["roofline"]
    share = np.zeros(shape) if any(pool.slowed_devices) else None
    for column, device in enumerate(pool.devices):
        model = models.get(device.name)
        profile = inside.get(device.name)
        if (model is None and (profile is None or profile.kind == "trial")) or device.peak_gflop_per_s:
            time, low, energy, codes["bound"][:, column], codes["precision"][:, column], memory = device_costs(
                work, device
            )
            if share is not None:
                share[:, column] = memory
            table["time"][:, column], table["low"][:, column] = time, np.minimum(low, np.rint(time))
            table["high"][:, column], table["energy"][:, column] = time * HIGH_FACTOR, energy
        else:
            codes["precision"][:, column] = -1
        if model is not None:
            _calibrate(facts, beside, work.is_view, device, model, table, codes, column)
        if profile is not None:
            _profile(graph, facts, profile, device, model, table, codes, column)
        if model is not None and not device.peak_gflop_per_s:
            untold = codes["source"][:, column] == SOURCE_CODE["roofline"]
            needed = supported[:, column] & ~work.is_view
            if (untold & needed).any():
                raise _incomplete(
                    device.name,
                    int(needed.sum()),
                    [f"{names[row]} ({facts[row].kind})" for row in np.flatnonzero(untold & needed)],
                )
        if share is not None and model is not None and len(model.database):
            seconds = np.maximum(table["time"][:, column], 1.0) / PS_PER_S
            share[:, column] = np.minimum(1.0, moved_bytes(graph) / model.bytes_per_s / seconds)
    codes["source"][work.is_view] = SOURCE_CODE["view"]
    for name in ("time", "low", "high", "energy"):
        table[name][work.is_view] = 0.0
    for name in ("time", "low", "high"):
        table[name] = np.where(supported, np.rint(table[name]), UNSUPPORTED)
    return CostTable.from_arrays(
        table["time"],
        np.where(supported, table["energy"], 0.0),
        source=np.where(supported, codes["source"], SOURCE_CODE["unsupported"]),
        low_ps=np.minimum(table["low"], table["time"]),
        high_ps=np.maximum(table["high"], table["time"]),
        bound=codes["bound"],
        precision=np.where(supported, codes["precision"], -1),
        energy_source=codes["energy_source"],
        memory_share=None if share is None else np.rint(share * SHARE_UNIT),
        operator_names=names,
        device_names=[device.name for device in pool.devices],
        segment_launch_ps=[
            us_to_ps(device.segment_launch_us)
            or (segment_seconds(models[device.name], border_bytes) * PS_PER_S if device.name in models else 0)
            for device in pool.devices
        ],
    )


def segment_seconds(model: DeviceCostModel, border_bytes: float) -> float:
    """What a segment takes beside its operators: to be handed to the device and started, and to change the layout of
    the images that come in and go out, ``border_bytes`` each.
    """
    database = model.database
    handed_s = 0.0 if database.handover is None else database.handover.seconds
    return max(database.launch_overhead_s, handed_s) + 2 * border_bytes * database.layout_s_per_byte


def moved_bytes(graph: Graph) -> FloatArray:
    """[n] bytes that each operator moves to and from memory: a cluster around a product as one, any other cluster as
    its members one after another, which is how runtimes run them.
    """
    source = graph if graph.original is None else graph.original
    return np.array(
        [
            sum(source.operators[m].bytes_read + source.operators[m].bytes_written for m in op.members)
            if graph.original is not None and op.op_class not in PRODUCTS
            else op.bytes_read + op.bytes_written
            for op in graph.operators
        ],
        np.float64,
    )


def _calibrate(
    facts: list[OperatorFacts],
    beside: Neighbours,
    is_view: npt.NDArray[np.bool_],
    device: DeviceSpec,
    model: DeviceCostModel,
    table: Mapping[str, FloatArray],
    codes: Mapping[str, npt.NDArray[np.int8]],
    column: int,
) -> None:
    """Put the model's predictions into a device's column; rows that it cannot tell stay as they are."""
    rows = [row for row in range(len(facts)) if not is_view[row]]
    found = replace(model, spec=device).predict([facts[row] for row in rows], beside.of(rows))
    for position, row in enumerate(rows):
        seconds = float(found.seconds[position])
        if not np.isfinite(seconds):
            continue
        table["time"][row, column] = max(1.0, seconds * PS_PER_S)
        table["low"][row, column] = float(found.low_s[position]) * PS_PER_S
        table["high"][row, column] = float(found.high_s[position]) * PS_PER_S
        codes["source"][row, column] = SOURCE_CODE[found.sources[position]]
        _power(facts[row], device, model, table, codes, (row, column))


def _incomplete(device: str, needed: int, untold: list[str]) -> CostError:
    named = ", ".join(untold[:MOST_NAMED]) + (", ..." if len(untold) > MOST_NAMED else "")
    return CostError(
        "calibration_incomplete",
        f"Device {device} has no peak performance, and its calibration does not tell what {len(untold)} of {needed} "
        f"operators cost: {named}.",
        hint="Calibrate it with this model, or give peak_gflop_per_s and memory_bandwidth_gb_per_s.",
        device=device,
        operators=named,
        missing=len(untold),
        needed=needed,
    )


def _profile(
    graph: Graph,
    facts: list[OperatorFacts],
    profile: Profile,
    device: DeviceSpec,
    model: DeviceCostModel | None,
    table: Mapping[str, FloatArray],
    codes: Mapping[str, npt.NDArray[np.int8]],
    column: int,
) -> None:
    """Put what was profiled into a device's column; an operator that the runtime joined away costs nothing.

    What a trial run of a plan tells replaces predictions only: an operator that was measured alone keeps that.
    """
    seconds = profile.seconds_of(graph)
    told = np.isfinite(seconds)
    if profile.kind == "trial":
        told &= codes["source"][:, column] != SOURCE_CODE["measured"]
    rows = np.flatnonzero(told)
    table["time"][rows, column] = seconds[rows] * PS_PER_S
    table["low"][rows, column] = table["time"][rows, column] * (1.0 - profile.spread)
    table["high"][rows, column] = table["time"][rows, column] * (1.0 + profile.spread)
    codes["source"][rows, column] = SOURCE_CODE[profile.source]
    for row in rows.tolist():
        _power(facts[row], device, model, table, codes, (row, column))


def _power(
    facts: OperatorFacts,
    device: DeviceSpec,
    model: DeviceCostModel | None,
    table: Mapping[str, FloatArray],
    codes: Mapping[str, npt.NDArray[np.int8]],
    at: tuple[int, int],
) -> None:
    """Energy above idle of one entry, from its time: a watt for a picosecond is a picojoule."""
    measured_w = None if model is None else model.energy.power_w.get(facts.op_class)
    if measured_w is not None:
        table["energy"][at] = measured_w * table["time"][at]
        codes["energy_source"][at] = ENERGY_SOURCES.index("measured")
    elif device.active_power_w > device.idle_power_w:
        table["energy"][at] = (device.active_power_w - device.idle_power_w) * table["time"][at]
        codes["energy_source"][at] = ENERGY_SOURCES.index("estimated")
