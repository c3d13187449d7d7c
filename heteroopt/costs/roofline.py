"""Roofline costs: time and energy of every operator on every device from the device's figures alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from heteroopt.costs.table import BOUNDS, SHARE_UNIT, SOURCE_CODE, UNSUPPORTED, CostTable
from heteroopt.devices.efficiency import OP_CLASSES
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.precisions import BYTES_PER_ELEMENT, PRECISIONS, execution_precision
from heteroopt.devices.spec import DeviceSpec
from heteroopt.errors import CostError
from heteroopt.graph.graph import Graph
from heteroopt.units import FLOP_PER_GFLOP, PJ_PER_J, PS_PER_NS, us_to_ps

FloatArray = npt.NDArray[np.float64]

HIGH_FACTOR = 2.0
"""Upper end of the interval over the estimate; rooflines from data sheets miss by about a half on average."""

OTHER = OP_CLASSES.index("other")
UNKNOWN = len(PRECISIONS)
_STORED_AS = {"tf32": "fp32"}


@dataclass(frozen=True)
class Work:
    """What the operators do, as arrays of length n."""

    flops: FloatArray
    activation_bytes: FloatArray
    weight_bytes: FloatArray
    op_class: npt.NDArray[np.intp]
    precision: npt.NDArray[np.intp]
    is_view: npt.NDArray[np.bool_]


def roofline_cost_table(graph: Graph, pool: DevicePool) -> CostTable:
    """CostTable [n operators, D devices] by the roofline model (Williams, Waterman and Patterson, CACM 2009).

    time = max(FLOP / (peak x efficiency), bytes / (bandwidth x efficiency)) + launch overhead, with the peak of the
    precision in which the device runs the operator and the efficiencies of the operator's class. Where that is not
    the model's precision, activations are read, cast and read again (and written twice), weights are held cast.
    energy above idle = FLOP x pJ/FLOP x (1 - idle / active power) + bytes x pJ/byte, at most
    (active - idle power) x time. Views cost nothing; a fused operator is launched once and is supported where all
    its members are. low = the same without efficiencies and overhead, which nothing can beat; high = twice the time.
    Raises ``CostError`` for a device that has no peak and for figures beyond the table's range.
    """
    work = collect_work(graph)
    n, d = len(graph.operators), len(pool)
    table = {name: np.zeros((n, d), np.float64) for name in ("time", "low", "high", "energy")}
    codes = {name: np.zeros((n, d), np.int8) for name in ("bound", "precision", "source")}
    share = np.zeros((n, d)) if any(pool.slowed_devices) else None
    supported = support(graph, pool)
    for column, device in enumerate(pool.devices):
        time, low, energy, bound, precision, memory = device_costs(work, device)
        if share is not None:
            share[:, column] = memory
        table["time"][:, column], table["low"][:, column] = time, low
        table["high"][:, column], table["energy"][:, column] = time * HIGH_FACTOR, energy
        codes["bound"][:, column], codes["precision"][:, column] = bound, precision
    codes["source"][:] = SOURCE_CODE["roofline"]
    codes["source"][work.is_view] = SOURCE_CODE["view"]
    for name in ("time", "low", "high"):
        table[name] = np.where(supported, np.rint(table[name]), UNSUPPORTED)
    return CostTable.from_arrays(
        table["time"],
        np.where(supported, table["energy"], 0.0),
        source=np.where(supported, codes["source"], SOURCE_CODE["unsupported"]),
        low_ps=np.minimum(table["low"], table["time"]),
        high_ps=table["high"],
        bound=codes["bound"],
        precision=np.where(supported, codes["precision"], -1),
        memory_share=None if share is None else np.rint(share * SHARE_UNIT),
        operator_names=[operator.name for operator in graph.operators],
        device_names=[device.name for device in pool.devices],
    )


def collect_work(graph: Graph) -> Work:
    classes = {name: code for code, name in enumerate(OP_CLASSES)}
    precisions = {name: code for code, name in enumerate(PRECISIONS)}
    sizes = [tensor.size_bytes for tensor in graph.tensors]
    operators = graph.operators
    read = np.array([operator.bytes_read for operator in operators], np.float64)
    written = np.array([operator.bytes_written for operator in operators], np.float64)
    inputs = np.array([sum(sizes[tensor] for tensor in operator.inputs) for operator in operators], np.float64)
    activations = np.minimum(read, inputs)
    return Work(
        flops=np.array([operator.flops for operator in operators], np.float64),
        activation_bytes=activations + written,
        weight_bytes=read - activations,
        op_class=np.array([classes.get(operator.op_class, OTHER) for operator in operators], np.intp),
        precision=np.array([precisions.get(operator.precision, UNKNOWN) for operator in operators], np.intp),
        is_view=np.array([operator.is_view for operator in operators], np.bool_),
    )


def support(graph: Graph, pool: DevicePool) -> npt.NDArray[np.bool_]:
    """Boolean [n, D]: the device can run the operator and, for a fused one, all its members. Views run anywhere."""
    source = graph.original.operators if graph.original is not None else graph.operators
    kinds = [
        frozenset(source[member].op_type for member in operator.members if not source[member].is_view)
        for operator in graph.operators
    ]
    distinct = {kind: row for row, kind in enumerate(dict.fromkeys(kinds))}
    by_kind = np.array(
        [[all(device.supports(op_type) for op_type in kind) for device in pool.devices] for kind in distinct], np.bool_
    ).reshape(len(distinct), len(pool))
    views = np.array([operator.is_view for operator in graph.operators], np.bool_)
    rows = np.array([distinct[kind] for kind in kinds], np.intp)
    return by_kind[rows] | views[:, None]


def device_costs(
    work: Work, device: DeviceSpec
) -> tuple[FloatArray, FloatArray, FloatArray, npt.NDArray[np.int8], npt.NDArray[np.int8], FloatArray]:
    """Time and its lower bound in ps, energy in pJ, bound, execution precision and share of the time that moving bytes
    takes, 0 to 1, of every operator on one device.
    """
    if not device.peak_gflop_per_s:
        raise CostError(
            "device_without_peak",
            f"Device {device.name} has no peak performance, so its costs cannot be estimated.",
            hint="Give peak_gflop_per_s and memory_bandwidth_gb_per_s, start from a template, or give its costs.",
            device=device.name,
        )
    runs_in = [execution_precision(name, device.peak_gflop_per_s) or "" for name in (*PRECISIONS, "")]
    peak = np.array([device.peak_gflop_per_s[name] for name in runs_in])[work.precision]
    pj_per_flop = np.array([_energy_per_flop(device, name) for name in runs_in])[work.precision]
    cast = np.array([_cast_factors(name, used) for name, used in zip((*PRECISIONS, ""), runs_in, strict=True)])
    factors = cast[work.precision]
    size = work.activation_bytes * factors[:, 0] + work.weight_bytes * factors[:, 1]
    efficiency = np.array([device.efficiency[name] for name in OP_CLASSES])[work.op_class]
    streaming = np.array([device.bandwidth_efficiency[name] for name in OP_CLASSES])[work.op_class]

    compute = work.flops / peak * PS_PER_NS
    memory = size / device.memory_bandwidth_gb_per_s * PS_PER_NS
    low = np.maximum(compute, memory)
    compute, memory = compute / efficiency, memory / streaming
    launch = us_to_ps(device.launch_overhead_us)
    busy = np.maximum(compute, memory)
    time = np.where(work.is_view, 0.0, busy + launch)

    energy = work.flops * pj_per_flop + size * device.energy_pj_per_byte
    if device.active_power_w > 0:
        energy = np.minimum(energy, (device.active_power_w - device.idle_power_w) * np.rint(time))
    bound = np.where(
        launch > busy,
        BOUNDS.index("overhead"),
        np.where(memory > compute, BOUNDS.index("memory"), BOUNDS.index("compute")),
    )
    precision = np.array([PRECISIONS.index(name) for name in runs_in])[work.precision]
    energy = np.where(work.is_view, 0.0, energy)
    share = np.divide(memory, time, out=np.zeros_like(time), where=time > 0)
    low = np.where(work.is_view, 0.0, low)
    return time, low, energy, bound.astype(np.int8), precision.astype(np.int8), np.minimum(1.0, share)


def _energy_per_flop(device: DeviceSpec, precision: str) -> float:
    """Picojoules above idle per FLOP: the device's figure is power over peak, idle power included."""
    if device.active_power_w <= 0:
        return device.energy_pj_per_flop.get(precision, 0.0)
    at_peak = device.active_power_w * PJ_PER_J / (device.peak_gflop_per_s[precision] * FLOP_PER_GFLOP)
    return device.energy_pj_per_flop.get(precision, at_peak) * (1.0 - device.idle_power_w / device.active_power_w)


def _cast_factors(wanted: str, used: str) -> tuple[float, float]:
    """Bytes moved per byte of activation and of weight when a device runs ``wanted`` as ``used``.

    A cast activation is moved once at the model's width and twice at the device's (written by the cast, read by
    the operator, or the other way round for outputs); weights are held at the device's width.
    """
    if wanted not in BYTES_PER_ELEMENT or _STORED_AS.get(wanted, wanted) == _STORED_AS.get(used, used):
        return 1.0, 1.0
    ratio = BYTES_PER_ELEMENT[used] / BYTES_PER_ELEMENT[wanted]
    return 1.0 + 2.0 * ratio, ratio
