"""Writes a plan in an engine's format, and keeps the archive; in the sandbox where the format reads the model."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings

from apps.deployments import exports
from apps.deployments.models import PlanExport
from apps.deployments.writing import ARCHIVE, packed, write
from heteroopt.deployment.export_registry import find_exporter
from heteroopt.deployment.export_size import segmented_bytes
from heteroopt.deployment.exporting import ExportRequest
from heteroopt.errors import HeteroOptError
from workers.handle import JobHandle
from workers.registry import register
from workers.runners.parse_model import ReadingStopped, stop_check
from workers.sandbox import ALLOWED, Limits, default_limits, run_in_sandbox

WRITE = "apps.deployments.writing:write_archive"
ALLOWED.add(WRITE)

MEMORY_PER_MODEL = 8
"""How many times the model may be in memory: parsed, cut, serialised, and parsed again to check it."""


@register(exports.EXPORT_PLAN)
class ExportPlanRunner:
    """Job ``export_plan``; ``object_id`` is the export. A retry begins anew."""

    def run(self, job: JobHandle) -> None:
        """Refusals of the format are raised: the job fails with them."""
        found = PlanExport.objects.select_related("search__model")
        row = None if job.object_id is None else found.filter(pk=job.object_id).first()
        if row is None:
            return
        with tempfile.TemporaryDirectory(prefix="export-", dir=settings.TEMPORARY_DIR) as scratch:
            archive = Path(scratch) / ARCHIVE

            request, approval = exports.request_of(row), exports.approval_of(row)
            if find_exporter(row.format).needs_model:
                try:
                    manifest = _sandboxed(job, row, request, approval, archive)
                except ReadingStopped:
                    return
            else:
                manifest = write(row.format, request, archive, approval)
            with job.transaction():
                exports.accept(row.pk, archive, manifest)


def _sandboxed(
    job: JobHandle, row: PlanExport, request: ExportRequest, approval: dict[str, Any] | None, archive: Path
) -> dict[str, Any]:
    model, data = exports.model_files(row.search.model)
    keys = {location: f"data{number}" for number, location in enumerate(data)}
    payload = packed(row.format, request, approval, keys)
    files = {"model": model, **{keys[location]: path for location, path in data.items()}}

    def collect(folder: Path, manifest: Any) -> Any:
        written = folder / ARCHIVE
        if written.is_symlink() or not written.is_file() or not isinstance(manifest, dict):
            raise HeteroOptError("export_lost", "The format wrote no archive.", hint="Export again.")
        shutil.move(written, archive)
        return manifest

    written = replace(request, model_path=model, data_files=data)
    limits = _limits(sum(path.stat().st_size for path in files.values()), segmented_bytes(written))
    found: dict[str, Any] = run_in_sandbox(WRITE, payload, files, limits, tick=stop_check(job), collect=collect)
    return found


def _limits(model_bytes: int, most_bytes: int) -> Limits:
    """``most_bytes``: what the model takes with the weights that segments share; an archive is never larger."""
    usual = default_limits()
    return replace(
        usual,
        memory_bytes=usual.memory_bytes + MEMORY_PER_MODEL * max(model_bytes, most_bytes),
        file_bytes=usual.file_bytes + max(model_bytes, most_bytes),
    )
