"""What the formats share that show a whole plan and need no engine: nothing is refused, everything is expressed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from heteroopt.deployment.export_manifest import load_manifest
from heteroopt.deployment.exporting import Coverage, Exporter, ExportRequest, Refusal
from heteroopt.deployment.written import Written, compare

Identity = tuple[int, tuple[str, ...]]
"""Index of an operator of the model, and the names of its outputs."""


class WholePlanExporter(Exporter):
    """Base of formats that say of every operator what the plan says."""

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return nothing: every plan can be shown."""
        return []

    def coverage(self, request: ExportRequest) -> Coverage:
        """Return that every operator is expressed."""
        count = len(request.plan.original.operators)
        return Coverage(count, count)

    def found(self, folder: Path, rows: Iterable[tuple[Sequence[Identity], str]], **more: Any) -> Coverage:
        """Compare rows, an operator's members and their device, with the manifest beside the files.

        ``more``: of :class:`Written`, ``order`` and ``segment_of`` by identity instead of index; ``hashes`` with that
        of the model. Raises what :func:`compare` raises.
        """
        planned = {identity(row["index"], row["outputs"]) for row in load_manifest(folder)["operators"]}
        for part in ("order", "segment_of"):
            if part in more:
                more[part] = {one[0] if one in planned else -1: value for one, value in more[part].items()}
        operators = [(one[0] if one in planned else -1, device) for members, device in rows for one in members]
        return compare(self.key, folder, Written(operators=operators, **more))


def identity(index: Any, outputs: Any) -> Identity:
    """Of an operator of the model whose hash stands beside it. Raises ``TypeError`` and ``ValueError`` for no such."""
    if not isinstance(outputs, list):
        raise TypeError("its outputs are no list")
    return int(index), tuple(str(name) for name in outputs)
