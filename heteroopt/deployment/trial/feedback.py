"""What a trial run tells of operators' costs: each segment's time over its operators, as predicted."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from heteroopt.costs.bundle import bundle_hash
from heteroopt.costs.database import MeasuredDevice
from heteroopt.costs.profile import Profile
from heteroopt.costs.table import COST_SOURCES
from heteroopt.deployment.exporting import ExportRequest
from heteroopt.deployment.trial.report import SegmentTrial, TrialReport
from heteroopt.errors import CostError
from heteroopt.graph.graph import Graph
from heteroopt.units import PS_PER_MS, PS_PER_S

KEPT = frozenset(("measured", "profiled", "given"))
"""Sources of costs that a trial run leaves as they are: somebody measured these operators."""

FloatArray = npt.NDArray[np.float64]


def trial_profiles(
    request: ExportRequest,
    report: TrialReport,
    ran: Mapping[str, MeasuredDevice],
    measured_at: int | None = None,
) -> dict[str, Profile]:
    """By device of the pool what the run tells of the model's operators there; ``ran``: what ran each device.

    Of a segment, figures of operators that were measured alone, profiled or given stand, and so do its launch and what
    contention adds; the rest of its time is what its other operators took, each the same multiple of its prediction.
    Operators of the model that ran elsewhere take the multiple of all of the device's segments. A segment whose
    standing figures alone are longer than it took tells nothing. Devices of which nothing is told are left out.

    Raises ``CostError`` ``trial_tells_nothing`` where that is all of them.
    """
    found = {}
    for name, device in ran.items():
        rows = [segment for segment in report.segments if segment.device == name]
        made = _profile(request, report, rows, device, request.plan.pool.index(name), measured_at) if rows else None
        if made is not None:
            found[name] = made
    if not found:
        raise CostError(
            "trial_tells_nothing",
            "The trial run tells nothing new: every operator that it ran was measured before.",
            hint="Calibrate the devices again if the figures no longer hold.",
        )
    return found


def _profile(
    request: ExportRequest,
    report: TrialReport,
    rows: Sequence[SegmentTrial],
    device: MeasuredDevice,
    column: int,
    measured_at: int | None,
) -> Profile | None:
    plan, costs = request.plan, request.plan.costs
    predicted = np.maximum(costs.time_ps[:, column], 0) / PS_PER_S
    kept = np.array([COST_SOURCES[code] in KEPT for code in costs.source[:, column]])
    multiple = np.full(len(predicted), np.nan)
    correctable = took = 0.0
    factors = []
    for row in rows:
        operators = np.array(request.partition.segments[row.index].operators)
        added = row.predicted_ms * PS_PER_MS / PS_PER_S - float(predicted[operators].sum())
        stands = max(0.0, added) + float(predicted[operators][kept[operators]].sum())
        rest = float(predicted[operators][~kept[operators]].sum())
        left = row.measured_ms / 1e3 - stands
        if rest <= 0 or left <= 0:
            continue
        multiple[operators] = left / rest
        correctable, took = correctable + rest, took + left
        factors.append({"segment": row.index, "operators": row.operators, "factor": left / rest})
    if not factors:
        return None
    overall = took / correctable
    seconds = np.where(np.isnan(multiple), overall, multiple) * predicted
    seconds[kept | ~costs.supported[:, column]] = np.nan
    timed = np.isfinite(multiple)
    told = predicted[np.isfinite(seconds)].sum()
    own = _over_members(plan.graph, seconds)
    profile = Profile(
        device=device,
        graph_hash=plan.original.content_hash,
        model_name=plan.original.name,
        outputs=tuple(
            plan.original.tensors[op.outputs[0]].name if op.outputs else "" for op in plan.original.operators
        ),
        seconds=own,
        median_s=sum(row.measured_ms for row in rows) / 1e3,
        minimum_s=sum(row.measured_ms for row in rows) / 1e3,
        spread_s=0.0,
        scale=overall,
        matched=float(predicted[timed & np.isfinite(seconds)].sum() / told) if told else 1.0,
        operators_profiled=int(timed.sum()),
        measured_at=int(time.time()) if measured_at is None else measured_at,
        kind="trial",
        origin={"plan": report.plan, "runs": report.items, "segments": factors},
    )
    content = {key: value for key, value in profile.to_dict().items() if key != "hash"}
    return Profile.from_dict({**content, "hash": bundle_hash(content)})


def _over_members(graph: Graph, seconds: FloatArray) -> FloatArray:
    """Seconds of the model's own operators from those of ``graph``: of a fused one over its members by their work."""
    if graph.original is None:
        return seconds
    found = np.full(len(graph.original.operators), np.nan)
    for operator, value in zip(graph.operators, seconds.tolist(), strict=True):
        members = [graph.original.operators[m] for m in operator.members]
        work = np.array([0.0 if m.is_view else 1.0 + m.flops + m.bytes_read + m.bytes_written for m in members])
        share = work / work.sum() if work.sum() else np.full(len(members), 1 / max(1, len(members)))
        found[list(operator.members)] = share * value
    return found
