"""``csv``: the operator table, which a spreadsheet opens and ``heteroopt evaluate`` takes back."""

from __future__ import annotations

import json
from pathlib import Path

from heteroopt.deployment.exporters.whole_plan import WholePlanExporter
from heteroopt.deployment.exporting import Coverage, Export, ExportFile, ExportRequest
from heteroopt.deployment.operator_csv import operator_csv
from heteroopt.deployment.placement_reader import read_placement

FILE = "operators.csv"


class OperatorCsv(WholePlanExporter):
    """One row per scheduled operator in the order of execution; cells that a spreadsheet would run are neutralised."""

    key = "csv"
    engine = "spreadsheets, heteroopt evaluate"
    versions = "RFC 4180"
    expresses = ("placement", "order", "precision", "times", "reasons")

    def export(self, request: ExportRequest) -> Export:
        """Return ``operators.csv``."""
        return Export((ExportFile(FILE, operator_csv(request.plan).encode()),), self.coverage(request))

    def check(self, folder: Path) -> Coverage:
        """Read it as ``heteroopt evaluate`` would."""
        rows = read_placement(folder / FILE)
        return self.found(folder, {name: row.device for row in rows for name in json.loads(row.members or "[]")})


EXPORTER = OperatorCsv()
