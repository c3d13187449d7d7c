"""Describes the formats of a plan, asks for exports and deletes them, and hands a plan over to be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction

from apps.accounts.models import User
from apps.deployments import archives, services
from apps.deployments.models import PlanExport
from apps.deployments.services import approval_entry
from apps.jobs import services as jobs
from apps.modelhub import contents
from apps.modelhub.models import Model, ModelKind
from apps.reviews.models import ReviewState
from apps.reviews.queries import approval_of as approval_of_plan
from apps.reviews.standing import Approval
from apps.searches.fronts import StoredPlan, load_plan
from apps.searches.models import Search
from config.refusals import ConflictError
from heteroopt.errors import HeteroOptError

if TYPE_CHECKING:
    from heteroopt.deployment.exporting import ExportRequest

EXPORT_PLAN = "export_plan"
KEPT_EXPORTS = 50
"""Of a search; older ones go when one more is asked for."""

MANIFEST_PARTS = ("exporter", "engine", "engine_versions", "hashes", "model", "approval", "coverage", "notes", "files")


def export_request(search: Search, plan: StoredPlan, options: Mapping[str, str], model: Path | None) -> ExportRequest:
    """The plan as the engine's formats take it, beside its front."""
    from heteroopt.api.exporting import plan_request

    request = plan_request(services.engine_plan(search, plan), options=options)
    return replace(
        request,
        model_path=model,
        front=services.front_points(search, plan),
        limit_bytes=settings.MAX_EXPORT_BYTES,
    )


def formats_of(search: Search, plan: StoredPlan) -> dict[str, Any]:
    """Every format with what it needs and expresses, and why this plan cannot be written in it, if so."""
    from heteroopt.deployment.export_plan import describe_all
    from heteroopt.deployment.export_registry import exporters

    file, why = _model_file(search.model)
    request = export_request(search, plan, {}, file)
    formats = describe_all(request)
    for entry in formats:
        if entry["needs_model"] and why is not None:
            entry["refusals"] = [why.to_dict()]
    return {
        "segments": request.partition.n_segments,
        "cut_edges": request.partition.cut_edges,
        "cut_bytes": request.partition.cut_bytes,
        "formats": formats,
        "unavailable": [plugin.to_dict() for plugin in exporters().unavailable],
    }


def start_export(
    search: Search, plan: StoredPlan, user: User | None, key: str, options: Mapping[str, str]
) -> PlanExport:
    """Ask for an archive. Raises ``export_unknown``, ``export_unavailable``, and the first refusal of the plan."""
    from heteroopt.deployment.export_plan import refusals_of
    from heteroopt.deployment.export_registry import find_exporter

    exporter = find_exporter(key)
    file = model_files(search.model)[0] if exporter.needs_model else None
    for refusal in refusals_of(exporter, export_request(search, plan, options, file)):
        raise refusal
    with transaction.atomic():
        row = PlanExport.objects.create(
            team=search.team,
            search=search,
            plan_hash=plan.summary["hash"],
            plan_number=plan.summary["number"],
            format=key,
            options=dict(options),
            created_by=user,
        )
        row.job = jobs.submit(EXPORT_PLAN, team=search.team, created_by=user, object_id=row.pk)
        row.save(update_fields=["job"])
        for old in PlanExport.objects.filter(search=search)[KEPT_EXPORTS:]:
            delete_export(old)
    return row


@transaction.atomic
def delete_export(export: PlanExport) -> None:
    """Delete an export with its archive, and stop its job."""
    if export.job_id is not None:
        jobs.cancel(export.job_id)
    export.delete()


def request_of(row: PlanExport) -> ExportRequest:
    """The plan of an export as it is now found, without the model's file."""
    return export_request(row.search, load_plan(row.search, row.plan_number, row.plan_hash), row.options, None)


def approval_of(row: PlanExport) -> dict[str, Any] | None:
    """Who approved the plan, as every archive says it; ``None`` where nobody did."""
    return approval_entry(approval_of_plan(row.search, row.plan_hash))


def approval_now(row: PlanExport, now: Approval | None) -> dict[str, Any] | None:
    """What has become of the approval that an archive bears; ``None`` for an archive without one.

    ``now``: what the review says of its plan now. Keys: ``holds`` (the very approval stands, and nothing beneath the
    plan has changed), ``state`` of the review, and who approves the plan now (``by``, ``at``) and why that is stale
    (``reasons``).
    """
    stamped = None if row.manifest is None else row.manifest.get("approval")
    if not isinstance(stamped, Mapping):
        return None
    said = approval_entry(now) or {"by": [], "at": None, "stale": False, "reasons": []}
    same = all(said[key] == stamped.get(key) for key in ("by", "at"))
    return {
        "holds": same and bool(said["by"]) and not said["stale"],
        "state": ReviewState.DRAFT.value if now is None else now.state,
        **{key: said[key] for key in ("by", "at", "reasons")},
    }


def accept(row_id: Any, archive: Path, manifest: Mapping[str, Any]) -> None:
    """Keep what was written. For the job, inside of its transaction."""
    sha256, size = archives.keep(archive, row_id)
    kept = {part: manifest[part] for part in MANIFEST_PARTS}
    if not PlanExport.objects.filter(pk=row_id).update(sha256=sha256, size_bytes=size, manifest=kept):
        archives.discard(row_id)


def ready_archive(export: PlanExport) -> Path:
    """The archive. Raises 409 ``export_not_ready``."""
    path = archives.path_of(export.pk)
    if not export.sha256 or not path.is_file():
        raise ConflictError(
            "export_not_ready", "This export is not there.", hint="Wait until it is done, or export again."
        )
    return path


def model_files(model: Model | None) -> tuple[Path, dict[str, Path]]:
    """The ONNX file that was planned, and its data files by location. Raises why a format cannot carry them."""
    if model is None or model.kind != ModelKind.ONNX:
        raise HeteroOptError(
            "export_needs_onnx", "This format carries the ONNX model, and this plan is not of one.",
            hint="Choose a format that does not carry the model.",
        )  # fmt: skip
    main, data = contents.paths_of(model)
    gone = [path for path in (main, *data.values()) if not path.is_file()]
    if gone:
        raise HeteroOptError(
            "file_missing", "A stored file of the model is gone.", hint="Upload the model again.",
            file=gone[0].name[:12],
        )  # fmt: skip
    return main, data


def _model_file(model: Model | None) -> tuple[Path | None, HeteroOptError | None]:
    try:
        return model_files(model)[0], None
    except HeteroOptError as why:
        return None, why
