"""``report-html``: front, timeline, table, reasons and provenance in one file that opens without a network."""

from __future__ import annotations

from pathlib import Path

from heteroopt.deployment.export_manifest import load_manifest
from heteroopt.deployment.exporters.parsing import unparsable
from heteroopt.deployment.exporters.whole_plan import WholePlanExporter
from heteroopt.deployment.exporting import Coverage, Export, ExportFile, ExportRequest
from heteroopt.deployment.report_html import embedded_data, report_html

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
        """Read the figures inside it: as many operators as the plan schedules, each on a device of the plan."""
        try:
            text = (folder / FILE).read_text("utf-8")
            data = embedded_data(text)
            orders = {row[4] for row in data["operators"]}
            devices = {row[2] for row in data["operators"]}
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            raise unparsable(self.key, FILE, f"{type(error).__name__} {error}") from error
        planned = load_manifest(folder)["operators"]
        if {row["order"] for row in planned} - orders or {row["device"] for row in planned} - devices:
            raise unparsable(self.key, FILE, "it lacks operators of the plan")
        return Coverage(len(planned), len(planned))


EXPORTER = ReportHtml()
