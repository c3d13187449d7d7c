"""Makes the report of a trial run from what was measured and what came out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.deployment.exporting import ExportRequest
from heteroopt.deployment.trial.report import OutputTrial, SegmentTrial, TrialReport
from heteroopt.deployment.trial.settings import TrialSettings
from heteroopt.graph.graph import Graph
from heteroopt.graph.names import display_name
from heteroopt.precision.distance import distance
from heteroopt.precision.envelope import shipped_envelope
from heteroopt.precision.model_program import reduction_length
from heteroopt.simulation.pipeline_decoder import run_pipeline
from heteroopt.units import ps_to_ms

LEAST_STEP = 1e-7
"""Of the largest magnitude: about what a number of single precision can tell."""
TEXTS = "OSU"
"""Kinds of numpy's types that hold texts."""


def compare_outputs(graph: Graph, values: Mapping[str, Any], precision: str) -> tuple[OutputTrial, ...]:
    """Every output of the model: ``values`` has arrays by ``whole:NAME`` and ``plan:NAME``, as the child makes them."""
    tolerances = output_tolerances(graph, precision)
    largest = max(tolerances.values(), default=0.0)  # for outputs that the planner knows by another name
    outputs = []
    for name in (key.removeprefix("whole:") for key in values if key.startswith("whole:")):
        whole, found = values[f"whole:{name}"], values[f"plan:{name}"]
        shown = display_name(name)
        tolerance = tolerances.get(shown, largest)
        outputs.append(OutputTrial(shown, _apart(found, whole), tolerance, _says_nothing(whole, tolerance)))
    return tuple(outputs)


def _apart(found: NDArray[Any], whole: NDArray[Any]) -> float:
    """Scaled distance; infinite for other shapes, other texts, and NaN or infinity on one side only."""
    if found.shape != whole.shape or (found.dtype.kind in TEXTS) != (whole.dtype.kind in TEXTS):
        return math.inf
    if whole.dtype.kind in TEXTS:
        return 0.0 if (found == whole).all() else math.inf
    apart = distance(found, whole)
    return apart.scaled if apart.finite else math.inf


def _says_nothing(whole: NDArray[Any], tolerance: float) -> bool:
    """Whether other plans, right or wrong, would give the same.

    So it is where all elements are equal, or none is a finite number, and of numbers with a fraction where the
    comparison, whose tolerance is a share of the largest magnitude, sees at most two different values in more than two
    elements, or nothing but zeros and the largest magnitude: a softmax of large numbers is 0 and 1 whatever it reads.
    """
    flat = np.ravel(whole)
    if flat.dtype.kind != "f" or not flat.size:
        return bool(flat.size > 1 and (flat == flat[0]).all())
    told = flat[np.isfinite(flat)].astype(np.float64)
    if told.size < 2:
        return not told.size
    largest = float(np.abs(told).max())
    if largest == 0.0:
        return True
    steps = np.unique(np.round(told / largest / max(tolerance, LEAST_STEP)))
    most = np.abs(steps).max()
    return len(steps) <= min(2, told.size - 1) or bool(np.isin(np.abs(steps), (0.0, most)).all())


def report_of(
    request: ExportRequest, settings: TrialSettings, measured: Mapping[str, Any], outputs: Sequence[OutputTrial]
) -> TrialReport:
    """Put what the child measured beside what the plan predicts."""
    plan, schedule = request.plan, request.plan.schedule
    spent = schedule.finish_ps - schedule.start_ps
    segments = tuple(
        SegmentTrial(
            index=segment.index,
            device=plan.pool.devices[segment.device].name,
            operators=len(segment.members),
            predicted_ms=ps_to_ms(int(spent[list(segment.operators)].sum())),
            measured_ms=1e3 * measured["segments_s"][segment.index],
            memory_bytes=int(measured["memory_bytes"][segment.index]),
            predicted_start_ms=ps_to_ms(int(schedule.start_ps[list(segment.operators)].min())),
            predicted_finish_ms=ps_to_ms(int(schedule.finish_ps[list(segment.operators)].max())),
            measured_start_ms=1e3 * measured["starts_s"][segment.index],
        )
        for segment in request.partition.segments
    )
    pipeline = run_pipeline(plan.problem, schedule.order, schedule.device, max(2, settings.items))
    return TrialReport(
        plan=plan.content_hash,
        items=settings.items,
        latency_ms=1e3 * measured["latency_s"],
        predicted_latency_ms=ps_to_ms(schedule.makespan_ps),
        throughput_per_s=measured["throughput_per_s"],
        predicted_throughput_per_s=pipeline.throughput_per_s,
        whole_ms=1e3 * measured["whole_s"],
        segments=segments,
        outputs=tuple(outputs),
        random_weights=int(measured.get("random_weights", 0)),
    )


def output_tolerances(graph: Graph, precision: str) -> dict[str, float]:
    """Largest scaled distance of right results by output: operators' squared tolerances add up along the way to it."""
    envelope = shipped_envelope()
    squares: dict[int, float] = dict.fromkeys(graph.inputs, 0.0)
    for operator in graph.operators:
        own = 0.0
        if not operator.is_view:
            own = envelope.tolerance(operator.op_type, precision, reduction_length(graph, operator)) ** 2
        before = max((squares.get(tensor, 0.0) for tensor in operator.inputs), default=0.0)
        squares.update(dict.fromkeys(operator.outputs, before + own))
    return {graph.tensors[t].name: math.sqrt(squares[t]) for t in graph.outputs}
