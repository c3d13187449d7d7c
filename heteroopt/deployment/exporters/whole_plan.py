"""What the formats share that show a whole plan and need no engine: nothing is refused, everything is expressed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from heteroopt.deployment.export_manifest import load_manifest
from heteroopt.deployment.exporting import Coverage, Exporter, ExportRequest, Refusal
from heteroopt.deployment.written import Written, compare


class WholePlanExporter(Exporter):
    """Base of formats that say of every operator what the plan says."""

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return nothing: every plan can be shown."""
        return []

    def coverage(self, request: ExportRequest) -> Coverage:
        """Return that every operator is expressed."""
        count = len(request.plan.original.operators)
        return Coverage(count, count)

    def found(self, folder: Path, rows: Iterable[tuple[Sequence[str], str]], **more: Any) -> Coverage:
        """Compare rows, the names of an operator's members and their device, with the manifest beside the files.

        ``more``: of :class:`Written`, ``order`` and ``segment_of`` by name instead of index. Raises what
        :func:`compare` raises.
        """
        index = {row["name"]: row["index"] for row in load_manifest(folder)["operators"]}
        for part in ("order", "segment_of"):
            if part in more:
                more[part] = {index.get(name, -1): value for name, value in more[part].items()}
        operators = [(index.get(name, -1), device) for members, device in rows for name in members]
        return compare(self.key, folder, Written(operators=operators, **more))
