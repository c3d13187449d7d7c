"""Running the user's model once on a device with its runtime's profiler: what each operator costs inside the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from heteroopt.calibration.handle_device import LOAD_SECONDS, RUN_SECONDS, HandleDevice, HandleProgram
from heteroopt.calibration.portable.timing import Rule, Timing, measure
from heteroopt.errors import ModelError
from heteroopt.graph.graph import Graph
from heteroopt.graph.node_names import name_nodes, numbers_in
from heteroopt.runtimes.plugin import OperatorTime

FloatArray = npt.NDArray[np.float64]
PROFILED_RUNS = 10


@dataclass(frozen=True)
class ModelProfile:
    """Seconds of each operator of a graph (fused or not) on one device, [n]; they add up to ``total_s``.

    ``total``: the whole model without the profiler, by the timing rule. ``scale``: what the profiler's figures were
    multiplied with to add up to it. ``matched``: share of the profiled time whose operators were found in the graph;
    the rest (layout changes that the runtime put in) is spread over all in proportion.
    """

    device: str
    fingerprint: str
    total: Timing
    seconds: FloatArray
    scale: float
    matched: float
    operators_profiled: int

    @property
    def total_s(self) -> float:
        """Seconds of the whole model, unprofiled."""
        return self.total.median_s


def profile_model(
    device: HandleDevice, model: bytes | Path, graph: Graph, *, runs: int = PROFILED_RUNS, rule: Rule | None = None
) -> ModelProfile:
    """Run ``model``, of which ``graph`` was read, with made-up inputs: first as it is, then profiled.

    Raises ``RuntimeFault`` (``profile_unsupported``, ``program_refused``, ...) and ``ModelError``
    ``profile_unmatched`` where nothing in the profile could be found in the graph.
    """
    named, outputs = name_nodes(model)
    inputs, results = _tensors(graph, graph.inputs), _tensors(graph, graph.outputs)
    plain = HandleProgram(device.handle, named, inputs, results, device.options)
    try:
        total = measure(plain.run, rule or Rule())
    finally:
        plain.close()
    watched = HandleProgram(device.handle, named, inputs, results, {**device.options, "profile": True})
    try:
        rows = device.handle.profile(watched.number, watched.reads, watched.writes, runs, LOAD_SECONDS + RUN_SECONDS)
    finally:
        watched.close()
    return assign(rows, outputs, graph, total, device.description.name, device.fingerprint)


def assign(
    rows: Sequence[OperatorTime],
    node_outputs: Sequence[tuple[str, ...]],
    graph: Graph,
    total: Timing,
    device: str = "",
    fingerprint: str = "",
) -> ModelProfile:
    """Give each profiled node's time to the operators of the graph that make its tensors.

    A node of which parts belong to several operators is divided between them by the bytes that they move.
    """
    owner = _owners(graph)
    seconds = np.zeros(len(graph.operators))
    profiled = found = 0.0
    for row in rows:
        profiled += row.seconds
        names = [name for number in numbers_in(row.name) if number < len(node_outputs) for name in node_outputs[number]]
        parts = sorted({owner[name] for name in (*names, *row.outputs) if name in owner})
        if not parts:
            continue
        found += row.seconds
        moved = np.array([1.0 + graph.operators[i].bytes_read + graph.operators[i].bytes_written for i in parts])
        seconds[parts] += row.seconds * moved / moved.sum()
    if found <= 0.0:
        raise ModelError(
            "profile_unmatched",
            "Nothing that the runtime profiled could be found again in the model.",
            hint="Calibrate the device with the model's operators instead.",
        )
    scale = total.median_s / found
    return ModelProfile(device, fingerprint, total, seconds * scale, scale, found / profiled, len(rows))


def _owners(graph: Graph) -> dict[str, int]:
    """Operator of the graph by the name of a tensor that it, or a member of it, makes."""
    source = graph if graph.original is None else graph.original
    owner = {}
    for operator in graph.operators:
        members = operator.members if graph.original is not None else (operator.index,)
        for member in members:
            for tensor in source.operators[member].outputs:
                owner[source.tensors[tensor].name] = operator.index
    return owner


def _tensors(graph: Graph, indices: Sequence[int]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for index in indices:
        tensor = graph.tensors[index]
        if tensor.shape is None:
            raise ModelError(
                "profile_shape_unknown",
                f"The shape of {tensor.name} is not known, so the model cannot be run with made-up inputs.",
                hint="Bind the model's dimensions first.",
                tensor=tensor.name,
            )
        found.append({"name": tensor.name, "dtype": tensor.dtype, "shape": list(tensor.shape)})
    return found


def profiled_seconds(profiles: Mapping[str, ModelProfile]) -> dict[str, FloatArray]:
    """What ``calibrated_cost_table`` takes, by device of the pool."""
    return {name: profile.seconds for name, profile in profiles.items()}
