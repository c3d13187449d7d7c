"""``manifest.json`` of every export: where it is from, what it holds, a checksum for each file, who approved it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heteroopt.deployment.export_files import sha256_of
from heteroopt.deployment.export_target import FORMAT, MANIFEST
from heteroopt.deployment.exporting import Export, Exporter, ExportFile, ExportRequest
from heteroopt.deployment.plan import Plan
from heteroopt.deployment.plan_json import settings_hash
from heteroopt.errors import HeteroOptError
from heteroopt.version import __version__

FORMAT_VERSION = 2
NOT_APPROVED = "not approved"
MAX_MANIFEST_BYTES = 64 << 20


_ROWS: dict[str, dict[str, type]] = {
    "operators": {
        "index": int, "outputs": list, "name": str, "op_type": str, "scope": str, "device": str, "order": int,
        "segment": int,
    },
    "segments": {"index": int, "device": str, "operators": int, "predecessors": list},
    "devices": {"name": str},
}  # fmt: skip
"""What checks read of each row, and its type."""


def plan_hashes(plan: Plan) -> dict[str, str]:
    """SHA-256 (hex) of what the plan depends on and of the plan itself."""
    return {
        "model": plan.original.content_hash,
        "graph": plan.graph.content_hash,
        "pool": plan.pool.content_hash,
        "costs": plan.costs.content_hash,
        "settings": settings_hash(plan),
        "plan": plan.content_hash,
    }


def operator_identities(request: ExportRequest) -> list[dict[str, Any]]:
    """One row per operator of the model: ``index`` and ``outputs`` (tensor names) identify it together with the
    model's hash; ``name``, ``op_type``, ``scope``, ``device``, ``segment`` (``None`` for none) and ``order`` (from 0)
    describe it.
    """
    plan, original = request.plan, request.plan.original
    place = {member: operator.index for operator in plan.graph.operators for member in operator.members}
    position = {index: order for order, index in enumerate(plan.schedule.order.tolist())}
    segment = {member: part.index for part in request.partition.segments for member in part.members}
    return [
        {
            "index": operator.index,
            "outputs": [original.tensors[tensor].name for tensor in operator.outputs],
            "name": operator.name,
            "op_type": operator.op_type,
            "scope": operator.scope,
            "device": plan.pool.devices[int(plan.schedule.device[place[operator.index]])].name,
            "segment": segment.get(operator.index),
            "order": position[place[operator.index]],
        }
        for operator in original.operators
    ]


def segment_rows(request: ExportRequest) -> list[dict[str, Any]]:
    """One row per segment in an executable order: ``index``, ``device``, ``operators`` (count), ``predecessors``,
    ``inputs`` and ``outputs`` (tensor names).
    """
    plan = request.plan
    names = [device.name for device in plan.pool.devices]
    return [
        {
            "index": segment.index,
            "device": names[segment.device],
            "operators": len(segment.members),
            "predecessors": list(segment.predecessors),
            "inputs": [plan.graph.tensors[tensor].name for tensor in segment.inputs],
            "outputs": [plan.graph.tensors[tensor].name for tensor in segment.outputs],
        }
        for segment in request.partition.segments
    ]


def manifest_of(
    exporter: Exporter, request: ExportRequest, export: Export, approval: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The manifest as JSON-able data. ``approval``: who approved the plan and when, as the reviews say it."""
    plan = request.plan
    files = {}
    for file in sorted(export.files, key=lambda item: item.path):
        digest, size = sha256_of(file)
        files[file.path] = {"sha256": digest, "size_bytes": size}
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "exporter": exporter.key,
        "engine": exporter.engine,
        "engine_versions": exporter.versions,
        "heteroopt_version": __version__,
        "hashes": plan_hashes(plan),
        "model": {
            "name": plan.original.name,
            "operators": len(plan.original.operators),
            "file_sha256": None if request.model_path is None else _file_hash(request.model_path),
        },
        "plan_number": plan.number,
        "options": dict(sorted(request.options.items())),
        "approval": NOT_APPROVED if approval is None else dict(approval),
        "devices": [
            {"name": device.name, "device_type": device.device_type, "vendor": device.vendor}
            for device in plan.pool.devices
        ],
        "segments": segment_rows(request),
        "coverage": export.coverage.to_dict(),
        "notes": [dict(note) for note in export.notes],
        "targets": dict(export.targets),
        "files": files,
        "operators": operator_identities(request),
    }


def manifest_file(
    exporter: Exporter, request: ExportRequest, export: Export, approval: Mapping[str, Any] | None = None
) -> ExportFile:
    """The manifest as the file ``manifest.json``, with a line for each list entry."""
    document = manifest_of(exporter, request, export, approval)
    document["sha256"] = digest_of(document)
    operators = document.pop("operators")
    head = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)[:-2]
    rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False, allow_nan=False) for row in operators)
    return ExportFile(MANIFEST, f'{head},\n "operators": [\n{rows}\n ]\n}}\n'.encode())


def digest_of(document: Mapping[str, Any]) -> str:
    """SHA-256 (hex) of a manifest without its own entry ``sha256``: keys sorted, no blanks."""
    rest = {key: value for key, value in document.items() if key != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def compare_plan(manifest: Mapping[str, Any], request: ExportRequest) -> None:
    """Raise ``HeteroOptError`` ``export_other_plan`` unless a manifest is of that plan, operator by operator."""
    parts = {
        "hashes": plan_hashes(request.plan),
        "segments": segment_rows(request),
        "operators": operator_identities(request),
    }
    other = [part for part, planned in parts.items() if manifest[part] != planned]
    if other:
        raise HeteroOptError(
            "export_other_plan",
            f"The export is of another plan: its {other[0]} are not those of this one.",
            hint="Give the plan that was exported (--number for another of the front), or export this one.",
            part=other[0],
        )


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest in a folder, after comparing every file with its checksum.

    Raises ``HeteroOptError``: ``export_manifest`` (missing, unreadable, another format or version),
    ``export_file_missing``, ``export_file_changed``, ``export_file_unknown``.
    """
    document = load_manifest(folder)
    listed = document["files"]
    for path, entry in listed.items():
        file = folder / path
        if not file.is_file() or file.is_symlink() or folder.resolve() not in file.resolve().parents:
            raise HeteroOptError(
                "export_file_missing",
                f"The export lacks the file {path}.",
                hint="Unpack the archive again, or export again.",
                path=path,
            )
        digest, _ = sha256_of(ExportFile(path, file))
        if digest != entry["sha256"]:
            raise HeteroOptError(
                "export_file_changed",
                f"The file {path} was changed after it was exported.",
                hint="Unpack the archive again, or export again.",
                path=path,
            )
    present = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    unknown = sorted(present - set(listed) - {MANIFEST})
    if unknown:
        raise HeteroOptError(
            "export_file_unknown",
            f"The export holds a file that its manifest does not list: {unknown[0]}.",
            hint="Remove it, or export into a new folder.",
            path=unknown[0],
            count=len(unknown),
        )
    return document


def load_manifest(folder: Path) -> dict[str, Any]:
    """The manifest in a folder, without looking at the other files. Raises ``HeteroOptError`` ``export_manifest``."""
    path = folder / MANIFEST
    try:
        if path.stat().st_size > MAX_MANIFEST_BYTES:
            raise ValueError(f"it is larger than {MAX_MANIFEST_BYTES} bytes")
        document = json.loads(path.read_text("utf-8"))
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ValueError(f"it is no {FORMAT}")
        if document.get("format_version") != FORMAT_VERSION:
            raise ValueError(f"its format version is {document.get('format_version')!r}")
        files = document.get("files")
        if not isinstance(files, dict) or not all(
            isinstance(entry, dict) and isinstance(entry.get("sha256"), str) for entry in files.values()
        ):
            raise ValueError("its list of files is damaged")
        for part, needed in _ROWS.items():
            rows = document.get(part)
            if not isinstance(rows, list) or not all(_is_row(row, needed) for row in rows):
                raise ValueError(f"its list of {part} is damaged")
        _check_manifest(document)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise HeteroOptError(
            "export_manifest",
            f"{path.name} of the export cannot be read: {error}.",
            hint="Give the folder that `heteroopt export` wrote.",
            reason=str(error),
        ) from error
    return document


def _check_manifest(document: dict[str, Any]) -> None:
    """Raise ``ValueError`` unless the manifest is as it was written, and its operators, segments and devices agree."""
    if not all(isinstance(document.get(part), dict) for part in ("hashes", "model", "targets", "coverage")):
        raise ValueError("a part of it is missing")
    if document.get("sha256") != digest_of(document):
        raise ValueError("it was changed after it was exported")
    operators, segments = document["operators"], document["segments"]
    devices = [device["name"] for device in document["devices"]]
    outputs = [name for row in operators for name in row["outputs"]]
    counts = Counter(row["segment"] for row in operators)
    whole = (
        [row["index"] for row in operators] == list(range(document["model"]["operators"]))
        and document["coverage"].get("planned") == len(operators)
        and len(set(devices)) == len(devices)
        and len(set(outputs)) == len(outputs)
        and [segment["index"] for segment in segments] == list(range(len(segments)))
        and all(counts[segment["index"]] == segment["operators"] for segment in segments)
        and all(segment["device"] in devices for segment in segments)
        and all(before < segment["index"] for segment in segments for before in segment["predecessors"])
        and all(0 <= row["segment"] < len(segments) for row in operators)
        and all(segments[row["segment"]]["device"] == row["device"] for row in operators)
        and set(document["targets"]) <= set(devices)
    )
    if not whole:
        raise ValueError("its operators, segments and devices do not agree")


def _is_row(row: object, needed: Mapping[str, type]) -> bool:
    return isinstance(row, dict) and all(isinstance(row.get(key), kind) for key, kind in needed.items())


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
