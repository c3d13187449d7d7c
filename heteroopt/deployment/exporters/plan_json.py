"""``plan-json``: the documented plan file, which every command reads again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from heteroopt.deployment.exporters.parsing import unparsable
from heteroopt.deployment.exporters.whole_plan import Identity, WholePlanExporter, identity
from heteroopt.deployment.exporting import Coverage, Export, ExportFile, ExportOption, ExportRequest
from heteroopt.deployment.plan_inputs import decoded_plan
from heteroopt.deployment.plan_json import FORMAT_VERSION, plan_json
from heteroopt.deployment.plan_reader import read_plan
from heteroopt.errors import PlanError
from heteroopt.units import pj_to_j, ps_to_ms

FILE = "plan.json"


class PlanJson(WholePlanExporter):
    """The plan with graph, pool and costs, so that it can be decoded again to the same figures."""

    key = "plan-json"
    engine = "HeteroOpt"
    versions = f"format {FORMAT_VERSION}"
    expresses = ("placement", "order", "precision", "times", "reasons")
    options = (ExportOption("inputs", "carry graph, pool and costs (yes), or the plan alone (no)", "yes", "yes|no"),)

    def export(self, request: ExportRequest) -> Export:
        """Return ``plan.json``."""
        text = plan_json(request.plan, with_inputs=request.options.get("inputs", "yes") != "no")
        return Export((ExportFile(FILE, text.encode()),), self.coverage(request))

    def check(self, folder: Path) -> Coverage:
        """Read it as a command would; with inputs, decode it again and compare every objective."""
        document = read_plan(folder / FILE)
        if document["inputs"] is not None:
            _decode_again(document)
        try:
            inside: dict[int, list[Identity]] = {}
            names: dict[int, list[str]] = {}
            placement = []
            for row in document["placement"]:
                own = identity(row["index"], row["outputs"])
                inside.setdefault(row["scheduled_in"], []).append(own)
                names.setdefault(row["scheduled_in"], []).append(row["name"])
                placement.append(([own], row["device"]))
            scheduled = [(inside.get(row["index"], []), row) for row in document["operators"]]
            if any(sorted(row["members"]) != sorted(names.get(row["index"], [])) for row in document["operators"]):
                raise ValueError("its scheduled operators hold others than its placement says")
            rows = [(members, row["device"]) for members, row in scheduled]
            order = {one: row["order"] for members, row in scheduled for one in members}
            segments = {one: row["segment"] for members, row in scheduled for one in members}
        except (KeyError, TypeError, ValueError) as error:
            raise unparsable(self.key, FILE, f"{type(error).__name__} {error}") from error
        self.found(folder, placement, hashes=document["hashes"])
        return self.found(folder, rows, order=order, segment_of=segments)


def _decode_again(document: dict[str, Any]) -> None:
    """Raise ``PlanError`` ``plan_decodes_otherwise`` unless the inputs give the figures that the file states."""
    plan, stated = decoded_plan(document), document["plan"]
    figures = {
        "exec_time_ms": ps_to_ms(plan.schedule.makespan_ps),
        "energy_j": pj_to_j(plan.schedule.energy_pj),
        "load_balance": plan.schedule.load_variance,
        "overflow_bytes": plan.schedule.overflow_bytes,
    }
    wrong = [key for key, value in figures.items() if value != stated[key]]
    if wrong or plan.content_hash != document["hashes"]["plan"]:
        raise PlanError(
            "plan_decodes_otherwise",
            f"The plan file states other figures than its own inputs give: {', '.join(wrong) or 'hash'}.",
            hint="The file was changed, or written by another version; export it again.",
            figures=wrong,
        )


EXPORTER = PlanJson()
