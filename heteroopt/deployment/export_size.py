"""How many bytes an export will take, and the refusal of one that is larger than it may be."""

from __future__ import annotations

from collections.abc import Iterable

from heteroopt.deployment.export_files import size_of
from heteroopt.deployment.exporting import ExportFile, ExportRequest, Refusal


def model_bytes(request: ExportRequest) -> int:
    """What the model takes with its data files: as they lie there, or as its weights are known to the plan."""
    graph = request.plan.graph
    known = sum(item.size_bytes for item in graph.initializers)
    path = request.model_path
    if path is None or not path.is_file():
        return known
    beside = sum(file.stat().st_size for file in (request.data_files or {}).values() if file.is_file())
    return max(known, path.stat().st_size + beside)


def segmented_bytes(request: ExportRequest) -> int:
    """What the model takes in segments, each with its own copy of the weights that it reads."""
    return model_bytes(request) + request.partition.copied_weight_bytes


def size_refusals(key: str, size_bytes: int, request: ExportRequest) -> list[Refusal]:
    """A refusal where that is more than ``request.limit_bytes``."""
    if size_bytes <= request.limit_bytes:
        return []
    return [
        Refusal(
            "export_too_large",
            f"The {key} export would take {size_bytes} bytes; at most {request.limit_bytes} are allowed.",
            hint="Choose a format that carries no copies of the weights or a plan with fewer segments, or raise the "
            "limit (--max-bytes, on a server HETEROOPT_MAX_EXPORT_BYTES).",
            format=key,
            size_bytes=size_bytes,
            limit_bytes=request.limit_bytes,
        )
    ]


def total_bytes(files: Iterable[ExportFile]) -> int:
    """Bytes of all files together."""
    return sum(size_of(file) for file in files)
