"""Exports of a plan, from a result or from a plan file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from heteroopt.api.stored import stored_measures, stored_plan
from heteroopt.deployment.export_archive import write_export
from heteroopt.deployment.exporting import ExportRequest
from heteroopt.deployment.front_points import FrontPoints
from heteroopt.deployment.plan import Plan
from heteroopt.errors import HeteroOptError, PlanError
from heteroopt.partition import partition

__all__ = ["plan_request", "stored_request", "write_export"]


def plan_request(plan: Plan, *, model: Path | None = None, options: Mapping[str, str] | None = None) -> ExportRequest:
    """A request for any format. Raises ``HeteroOptError`` ``export_model_file`` where ``model`` is no file."""
    if model is not None and not model.is_file():
        raise HeteroOptError(
            "export_model_file", f"There is no model file {model}.", hint="Name the ONNX file that was planned.",
            path=str(model),
        )  # fmt: skip
    schedule = plan.schedule
    parts = partition(plan.graph, schedule.order.tolist(), schedule.device.tolist())
    return ExportRequest(plan, parts, model, dict(options or {}))


def stored_request(
    document: Mapping[str, Any],
    *,
    number: int | None = None,
    model: Path | None = None,
    options: Mapping[str, str] | None = None,
) -> ExportRequest:
    """A request for a plan of a plan file. Raises what ``stored_plan`` and :func:`plan_request` raise."""
    request = plan_request(stored_plan(document, number), model=model, options=options)
    try:
        points = FrontPoints.of_measures(*stored_measures(document))
    except PlanError as error:
        if error.code != "plan_without_front":
            raise
        return request
    return replace(request, front=points)
