"""Exports into folders and archives; starts without the kernels, as processes do that parse somebody's model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heteroopt.deployment.export_files import write_tar_gz, write_zip
from heteroopt.deployment.export_plan import build, export_plan, write_checked
from heteroopt.deployment.export_size import total_bytes
from heteroopt.deployment.export_target import MANIFEST, check_archive, check_room, draft_beside, put_file
from heteroopt.deployment.exporting import ExportFile, ExportRequest


def write_export(
    key: str,
    request: ExportRequest,
    target: Path,
    approval: Mapping[str, Any] | None = None,
    *,
    replace_existing: bool = False,
) -> dict[str, Any]:
    """Write an export to a new folder, or to an archive if the name ends in ``.zip`` or ``.tar.gz``; its manifest.

    The files are parsed again before an archive is made, and it gets its name once it is whole.
    ``replace_existing``: in place of the export that has the name. Raises what ``export_plan`` raises, and
    ``HeteroOptError`` ``export_file_used``.
    """
    write = write_zip if target.name.endswith(".zip") else write_tar_gz if target.name.endswith(".tar.gz") else None
    if write is None:
        return export_plan(key, request, target, approval, replace_existing=replace_existing)
    check_archive(target, replace=replace_existing)
    files = build(key, request, approval)
    check_room(target, 2 * total_bytes(files))
    with draft_beside(target) as draft:
        folder, archive = draft / "export", draft / "archive"
        manifest = write_checked(files, folder, request)
        listed = [ExportFile(path, folder / path) for path in (*manifest["files"], MANIFEST)]
        with archive.open("wb") as sink:
            write(listed, sink)
        check_archive(target, replace=replace_existing)
        put_file(archive, target)
    return manifest
