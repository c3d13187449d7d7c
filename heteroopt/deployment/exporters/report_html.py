"""``report-html``: front, timeline, table, reasons and provenance in one file that opens without a network."""

from __future__ import annotations

from pathlib import Path

from heteroopt.deployment.exporters.parsing import unparsable
from heteroopt.deployment.exporters.whole_plan import WholePlanExporter
from heteroopt.deployment.exporting import Coverage, Export, ExportFile, ExportRequest
from heteroopt.deployment.report_html import HASHES, embedded_data, report_html
from heteroopt.deployment.written import Written, compare

FILE = "report.html"


class ReportHtml(WholePlanExporter):
    """For people: nothing reads it back but this check."""

    key = "report-html"
    engine = "any browser"
    versions = "HTML 5"
    needs_front = True
    expresses = ("placement", "order", "times", "reasons")

    def export(self, request: ExportRequest) -> Export:
        """Return ``report.html``."""
        text = report_html(request.plan, request.front)
        return Export((ExportFile(FILE, text.encode()),), self.coverage(request))

    def check(self, folder: Path) -> Coverage:
        """Read the figures inside it: every operator once, on its device, at its place in the order."""
        try:
            data = embedded_data((folder / FILE).read_text("utf-8"))
            rows = list(zip(data["members"], data["operators"], strict=True))
            operators = [(index, row[2]) for members, row in rows for index in members]
            order = {index: row[4] for members, row in rows for index in members}
            hashes = dict(zip(HASHES, (value for _, value in data["hashes"]), strict=True))
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            raise unparsable(self.key, FILE, f"{type(error).__name__} {error}") from error
        return compare(self.key, folder, Written(operators=operators, order=order, hashes=hashes))


EXPORTER = ReportHtml()
