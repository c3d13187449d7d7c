"""Running the user's model once on a device with its runtime's profiler: what each operator costs inside the model."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from heteroopt.calibration.handle_device import LOAD_SECONDS, RUN_SECONDS, HandleDevice, HandleProgram
from heteroopt.calibration.portable.timing import Rule, Timing, measure
from heteroopt.costs.database import MeasuredDevice
from heteroopt.costs.facts import MAX_TEXT
from heteroopt.costs.profile import Profile
from heteroopt.errors import ModelError
from heteroopt.graph.graph import Graph
from heteroopt.graph.node_names import name_nodes, node_name, numbers_in
from heteroopt.progress import Progress, ProgressCallback
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.plugin import OperatorTime

PROFILED_RUNS = 10


def profile_model(
    device: HandleDevice,
    model: bytes | Path,
    graph: Graph,
    *,
    runs: int = PROFILED_RUNS,
    rule: Rule | None = None,
    progress: ProgressCallback | None = None,
) -> Profile:
    """Run ``model``, of which ``graph`` (fused or not) was read, with made-up inputs: first as it is, then profiled.

    The profiler's figures are scaled to the time without it. Layout changes that the runtime put in, and whatever else
    it does not find in the graph, are spread over all operators in proportion.

    ``progress`` returning ``False`` between the two ends it: ``RuntimeFault`` ``profile_stopped``.
    Raises ``RuntimeFault`` (``profile_unsupported``, ``program_refused``, ``profile_run_failed``, ...) and
    ``ModelError`` ``profile_unmatched`` where nothing in the profile could be found in the graph.
    """
    tell = progress or (lambda at: True)
    named, outputs = name_nodes(model)
    inputs, results = _tensors(graph, graph.inputs), _tensors(graph, graph.outputs)
    tell(Progress(0, 2, "measure"))
    with _failing_with_made_up_inputs(outputs):
        plain = HandleProgram(device.handle, named, inputs, results, device.options)
        try:
            total = measure(plain.run, rule or Rule())
        finally:
            plain.close()
    if tell(Progress(1, 2, "profile")) is False:
        raise RuntimeFault("profile_stopped", "The profile was stopped before it was made.")
    watched = HandleProgram(device.handle, named, inputs, results, {**device.options, "profile": True})
    try:
        rows = device.handle.profile(watched.number, watched.reads, watched.writes, runs, LOAD_SECONDS + RUN_SECONDS)
    finally:
        watched.close()
    return assign(rows, outputs, graph, total, device.describe())


@contextmanager
def _failing_with_made_up_inputs(node_outputs: Sequence[tuple[str, ...]]) -> Iterator[None]:
    """Name what a node makes where a runtime that failed names the node: they have names of our own here."""
    try:
        yield
    except RuntimeFault as fault:
        if fault.code != "program_failed":
            raise
        says = str(fault.params.get("says") or fault.message).strip()
        for number in numbers_in(says):
            if number < len(node_outputs):
                says = says.replace(node_name(number), ", ".join(node_outputs[number]))
        raise RuntimeFault(
            "profile_run_failed",
            f"The model failed while it ran with made-up inputs: {says}",
            hint="Inputs are small numbers, and dimensions those that the model was read with. Where it needs other "
            "values, calibrate the device with its operators instead.",
            says=says,
        ) from fault


def assign(
    rows: Sequence[OperatorTime],
    node_outputs: Sequence[tuple[str, ...]],
    graph: Graph,
    total: Timing,
    device: Mapping[str, Any],
) -> Profile:
    """Give each profiled node's time to the operators of the model's own graph that make its tensors.

    A node of which parts belong to several operators is divided between them by the bytes that they move. ``device``:
    as a bundle describes it. Raises ``ModelError`` ``profile_unmatched``.
    """
    source = graph if graph.original is None else graph.original
    owner = {source.tensors[i].name: operator.index for operator in source.operators for i in operator.outputs}
    seconds = np.zeros(len(source.operators))
    profiled = found = 0.0
    for row in rows:
        profiled += row.seconds
        names = [name for number in numbers_in(row.name) if number < len(node_outputs) for name in node_outputs[number]]
        parts = sorted({owner[name] for name in (*names, *row.outputs) if name in owner})
        if not parts:
            continue
        found += row.seconds
        moved = np.array([1.0 + source.operators[i].bytes_read + source.operators[i].bytes_written for i in parts])
        seconds[parts] += row.seconds * moved / moved.sum()
    if found <= 0.0:
        raise ModelError(
            "profile_unmatched",
            "Nothing that the runtime profiled could be found again in the model.",
            hint="Calibrate the device with the model's operators instead.",
        )
    scale = total.median_s / found
    return Profile(
        device=MeasuredDevice(**device),
        graph_hash=source.content_hash,
        model_name=source.name[:MAX_TEXT],
        outputs=tuple(source.tensors[op.outputs[0]].name if op.outputs else "" for op in source.operators),
        seconds=seconds * scale,
        median_s=total.median_s,
        minimum_s=total.minimum_s,
        spread_s=total.spread_s,
        scale=scale,
        matched=min(1.0, found / profiled),
        operators_profiled=len(rows),
        measured_at=int(time.time()),
    )


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
