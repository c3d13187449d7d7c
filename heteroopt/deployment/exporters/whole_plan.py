"""What the formats share that show a whole plan and need no engine: nothing is refused, everything is expressed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heteroopt.deployment.export_manifest import load_manifest
from heteroopt.deployment.exporting import Coverage, Exporter, ExportRequest, Refusal
from heteroopt.errors import HeteroOptError


class WholePlanExporter(Exporter):
    """Base of formats that say of every operator what the plan says."""

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return nothing: every plan can be shown."""
        return []

    def coverage(self, request: ExportRequest) -> Coverage:
        """Return that every operator is expressed."""
        count = len(request.plan.original.operators)
        return Coverage(count, count)

    def found(self, folder: Path, devices: Mapping[str, str]) -> Coverage:
        """Compare devices by operator name, as read from the files, with the manifest beside them.

        Raises ``HeteroOptError`` ``export_incomplete`` where an operator is missing or elsewhere.
        """
        planned: list[dict[str, Any]] = load_manifest(folder)["operators"]
        wrong = tuple(row["name"] for row in planned if devices.get(row["name"]) != row["device"])
        if wrong or len(devices) != len(planned):
            raise incomplete(self.key, Coverage(len(planned), len(planned) - len(wrong), wrong))
        return Coverage(len(planned), len(planned))


def incomplete(key: str, coverage: Coverage) -> HeteroOptError:
    """The error of files that do not hold the whole plan."""
    names = ", ".join(repr(name) for name in coverage.unmatched[:5])
    return HeteroOptError(
        "export_incomplete",
        f"The {key} files hold {coverage.expressed} of {coverage.planned} operators where the plan has them; "
        f"not: {names}.",
        hint="Export again; if it stays so, report it as a bug.",
        format=key,
        planned=coverage.planned,
        expressed=coverage.expressed,
        operators=list(coverage.unmatched[:20]),
    )
