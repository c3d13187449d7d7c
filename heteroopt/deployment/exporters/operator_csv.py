"""``csv``: the operator table, which a spreadsheet opens and ``heteroopt evaluate`` takes back."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from heteroopt.deployment.csv_cells import restored
from heteroopt.deployment.exporters.parsing import unparsable
from heteroopt.deployment.exporters.whole_plan import WholePlanExporter, identity
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
        """Read it as ``heteroopt evaluate`` would, and its members and segments beside that."""
        read_placement(folder / FILE)
        rows, order, segments, hashes = [], {}, {}, set()
        try:
            for cells in csv.DictReader(io.StringIO((folder / FILE).read_text("utf-8"), newline=""), strict=True):
                indices, outputs = (json.loads(restored(cells[f"model {part}"])) for part in ("indices", "outputs"))
                members = [identity(*one) for one in zip(indices, outputs, strict=True)]
                hashes.add(cells["model hash"])
                rows.append((members, restored(cells["device"])))
                order.update(dict.fromkeys(members, int(cells["order"])))
                segments.update(dict.fromkeys(members, int(cells["segment"])))
        except (OSError, csv.Error, ValueError, KeyError, TypeError) as error:
            raise unparsable(self.key, FILE, f"{type(error).__name__} {error}") from error
        model = {"model": hashes.pop() if len(hashes) == 1 else ""}
        return self.found(folder, rows, order=order, segment_of=segments, hashes=model)


EXPORTER = OperatorCsv()
