"""Writes an export; knows neither Django nor rows, because formats that parse the user's model run in the sandbox."""

from __future__ import annotations

import base64
import pickle
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heteroopt.deployment.exporting import ExportRequest

ARCHIVE = "export.zip"


def packed(
    key: str, request: ExportRequest, approval: Mapping[str, Any] | None, data_files: Mapping[str, str]
) -> dict[str, Any]:
    """The payload of :func:`write_archive`: our own objects, made from our own rows, as a pickle in base64.

    ``data_files``: by location the key under which a file with external data is handed over.
    """
    from heteroopt.deployment.export_registry import find_exporter

    if not find_exporter(key).needs_front:
        request = replace(request, front=None)
    text = base64.b64encode(pickle.dumps(request)).decode("ascii")
    stamp = None if approval is None else dict(approval)
    return {"format": key, "request": text, "approval": stamp, "data_files": dict(data_files)}


def write_archive(payload: Mapping[str, Any], files: Mapping[str, Path]) -> dict[str, Any]:
    """Write ``export.zip`` into the working folder, for a format that reads ``files["model"]``. Runs in the sandbox.

    Returns the manifest without the list of operators. Raises what the format raises.
    """
    request = pickle.loads(base64.b64decode(payload["request"]))
    data = {location: files[name] for location, name in payload["data_files"].items()}
    request = replace(request, model_path=files["model"], data_files=data)
    return write(payload["format"], request, Path(ARCHIVE), payload["approval"])


def write(key: str, request: ExportRequest, target: Path, approval: Mapping[str, Any] | None) -> dict[str, Any]:
    """Write an archive and return its manifest without the list of operators. Raises what the format raises."""
    from heteroopt.deployment.export_archive import write_export

    manifest = write_export(key, request, target, approval)
    return {name: value for name, value in manifest.items() if name != "operators"}
