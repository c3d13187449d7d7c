"""Exports into folders and archives; starts without the kernels, as processes do that parse somebody's model."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heteroopt.deployment.export_files import write_tar_gz, write_zip
from heteroopt.deployment.export_manifest import MANIFEST
from heteroopt.deployment.export_plan import export_plan
from heteroopt.deployment.exporting import ExportFile, ExportRequest


def write_export(
    key: str, request: ExportRequest, target: Path, approval: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Write an export to a new folder, or to an archive if the name ends in ``.zip`` or ``.tar.gz``; its manifest.

    The files are parsed again before an archive is made. Raises what ``export_plan`` raises.
    """
    write = write_zip if target.name.endswith(".zip") else write_tar_gz if target.name.endswith(".tar.gz") else None
    if write is None:
        return export_plan(key, request, target, approval)
    with tempfile.TemporaryDirectory(prefix="heteroopt-") as scratch:
        folder = Path(scratch) / "export"
        manifest = export_plan(key, request, folder, approval)
        files = [ExportFile(path, folder / path) for path in (*manifest["files"], MANIFEST)]
        with target.open("wb") as sink:
            write(files, sink)
    return manifest
