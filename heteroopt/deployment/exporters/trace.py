"""``trace``: the schedule as Chrome trace JSON, which Perfetto opens."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from heteroopt.deployment.export_manifest import plan_hashes
from heteroopt.deployment.exporters.whole_plan import WholePlanExporter, identity
from heteroopt.deployment.exporting import Coverage, Export, ExportFile, ExportRequest
from heteroopt.deployment.trace_events import DEVICES, trace_json
from heteroopt.errors import HeteroOptError

FILE = "trace.json"
_NS_PER_US = 1_000


class Trace(WholePlanExporter):
    """One track a device and a directed link, one counter a memory."""

    key = "trace"
    engine = "Perfetto, chrome://tracing"
    versions = "Trace Event Format (JSON)"
    expresses = ("placement", "order", "times")

    def export(self, request: ExportRequest) -> Export:
        """Return ``trace.json``."""
        text = trace_json(request.plan, plan_hashes(request.plan))
        return Export((ExportFile(FILE, text.encode()),), self.coverage(request))

    def check(self, folder: Path) -> Coverage:
        """Parse it; raises ``HeteroOptError`` ``trace_invalid``, also where slices of a track overlap."""
        try:
            document = json.loads((folder / FILE).read_text("utf-8"))
            tracks: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
            names: dict[int, str] = {}
            for event in document["traceEvents"]:
                if event["ph"] == "X":
                    tracks[event["pid"], event["tid"]].append(event)
                elif event["name"] == "thread_name" and event["pid"] == DEVICES:
                    names[event["tid"]] = event["args"]["name"]
            for events in tracks.values():
                _check_track(events)
            slices = [event for (group, _), events in tracks.items() if group == DEVICES for event in events]
            rows, order = [], {}
            for event in slices:
                args = event["args"]
                members = [identity(*one) for one in zip(args["model_indices"], args["model_outputs"], strict=True)]
                rows.append((members, names[event["tid"]]))
                order.update(dict.fromkeys(members, args["order"]))
            hashes = dict(document["otherData"]["hashes"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise trace_invalid(f"{type(error).__name__} {error}") from error
        return self.found(folder, rows, order=order, hashes=hashes)


def _check_track(events: list[dict[str, Any]]) -> None:
    free = 0
    for event in sorted(events, key=lambda item: (item["ts"], item["ts"] + item["dur"])):
        start = int(event["ts"] * _NS_PER_US)
        if start < free:
            raise trace_invalid(f"{event['name']} starts before the slice before it ends")
        free = start + int(event["dur"] * _NS_PER_US)


def trace_invalid(reason: str) -> HeteroOptError:
    """The error of a trace that Perfetto would refuse or show wrongly."""
    return HeteroOptError(
        "trace_invalid", f"The trace cannot be shown: {reason}.", hint="Export it again.", reason=reason
    )


EXPORTER = Trace()
