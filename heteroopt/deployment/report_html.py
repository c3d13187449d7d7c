"""A report of one plan and its front as a single HTML file that needs no network and no library.

Front, timeline and table are drawn by a script inside the file, from figures inside the file; names of models and pools
reach the page as text only. English and Simplified Chinese; reasons are in English.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files
from typing import Any

from heteroopt.costs.energy_origin import energy_sources, sourced_unit
from heteroopt.deployment.approval import approval_text
from heteroopt.deployment.front_points import FrontPoints
from heteroopt.deployment.plan import Plan
from heteroopt.deployment.plan_figures import PlanFigure
from heteroopt.deployment.plan_json import memory_entries, reference_entry, settings_hash
from heteroopt.deployment.reason_text import reason_text
from heteroopt.deployment.tables import device_rows, operator_rows, transfer_rows
from heteroopt.front.front import Front
from heteroopt.units import BYTES_PER_MB, ps_to_ms
from heteroopt.version import __version__

HASHES = ("model", "graph", "pool", "costs", "settings", "plan")
"""What the hashes in a report are of, in its order."""


def report_html(plan: Plan, front: Front | FrontPoints | None = None) -> str:
    """HTML text; the same plan gives the same bytes. Its content policy runs the one script inside and loads nothing.

    Without ``front`` the part that shows the plans beside this one is left out.
    """
    points = FrontPoints.of_front(front) if isinstance(front, Front) else front
    script, style = _asset("report.js"), _asset("report.css")
    policy = f"default-src 'none'; script-src '{_digest(script)}'; style-src 'unsafe-inline'"
    name, pool = html.escape(plan.original.name), html.escape(plan.pool.name or "a pool")
    among = "" if points is None else f"among {len(points)} "
    number = "" if plan.number is None else f"{plan.number} "
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{name}: plan {number}</title><style>
{style}</style></head><body><main>
<header><h1>{name}</h1><span id="fits" class="badge"></span><button id="language" type="button"></button></header>
<p>Plan {number}{among}on {pool}, seed {plan.settings.seed}, HeteroOpt {__version__}</p>
<p>This plan: {html.escape(approval_text(plan.approval))}.</p>
<noscript><p>The report draws itself with a script inside this file: allow it to run.</p></noscript>
<h2 data-text="values"></h2><div id="values"></div><p>{_reference(plan)}</p>
<section><h2 data-text="front"></h2><p id="legend"></p><div id="front" class="pair"></div></section>
<h2 data-text="devices"></h2><div id="devices" class="pair"></div>
<h2 data-text="timeline"></h2>
<div class="tools"><button id="all" type="button" data-text="all"></button><span data-text="zoom"></span></div>
<canvas id="canvas" tabindex="0" role="img" aria-label="timeline"></canvas>
<h2 data-text="operators"></h2><div class="tools"><input id="find" type="search"><span id="count"></span></div>
<div id="operators" class="scroll"></div><button id="more" type="button" data-text="more"></button>
<h2 data-text="hashes"></h2><div id="hashes"></div>
</main><div id="tip" role="status"></div>
<script type="application/json" id="data">{_embedded(report_data(plan, points))}</script>
<script>{script}</script></body></html>
"""


def report_data(plan: Plan, points: FrontPoints | None) -> dict[str, Any]:
    """What the script draws: times in milliseconds, rows as lists in the order of the columns shown."""
    rows = operator_rows(plan)
    names = {device.name: index for index, device in enumerate(plan.pool.devices)}
    bars: list[list[list[Any]]] = [[] for _ in names]
    for row in rows:
        if row["end_ms"] > row["start_ms"]:
            bars[names[row["device"]]].append([row["start_ms"], row["end_ms"], row["name"], 1])
    links: dict[str, list[list[Any]]] = {}
    for hop in transfer_rows(plan):
        links.setdefault(f"{hop['source']} \N{RIGHTWARDS ARROW} {hop['target']}", []).append(
            [hop["start_ms"], hop["end_ms"], hop["tensor"]]
        )
    sources = energy_sources(plan.costs, plan.schedule.device)
    axes = [] if points is None else [points.measures[key] for key in points.objectives]
    return {
        "feasible": plan.schedule.feasible,
        "end": ps_to_ms(plan.schedule.makespan_ps),
        "values": [
            [f"{figure.name} ({sourced_unit(figure.unit, sources)})" if figure.unit else figure.name, figure.value,
             _times(figure), figure.reference]
            for figure in plan.measures.values()
        ],
        "axes": [
            {"name": axis.name, "unit": sourced_unit(axis.unit, sources), "values": axis.values.tolist()}
            for axis in axes
        ],
        "chosen": None if points is None else points.row_of(plan.number),
        "knee": None if points is None else points.knee,
        "numbers": [] if points is None else list(points.numbers or range(1, len(points) + 1)),
        "devices": [
            [row["name"], row["display_name"], row["operators"], row["busy_ms"], row["share"]]
            for row in device_rows(plan)
        ],
        "memories": [
            [", ".join(entry["devices"]), entry["peak_bytes"] / BYTES_PER_MB, entry["limit_bytes"] / BYTES_PER_MB]
            for entry in memory_entries(plan)
        ],
        "bars": bars,
        "links": [{"name": name, "bars": sorted(own)} for name, own in sorted(links.items())],
        "operators": [
            [row["name"], row["op_type"], row["device"], reason_text(row["reason"]) if row["reason"] else "",
             row["order"], row["start_ms"], row["end_ms"], row["time_ms"], row["energy_j"],
             row["energy_source"]]
            for row in rows
        ],
        "members": [list(plan.graph.operators[row["index"]].members) for row in rows],
        "hashes": [
            ["Model", plan.original.content_hash],
            ["Scheduled graph", plan.graph.content_hash],
            ["Pool", plan.pool.content_hash],
            ["Costs", plan.costs.content_hash],
            ["Settings", settings_hash(plan)],
            ["Plan", plan.content_hash],
        ],
    }  # fmt: skip


def embedded_data(text: str) -> Any:
    """The figures inside a report's text. Raises ``ValueError`` where there are none."""
    _, found, rest = text.partition('<script type="application/json" id="data">')
    body, ended, _ = rest.partition("</script>")
    if not found or not ended:
        raise ValueError("it holds no figures")
    return json.loads(body)


def _embedded(data: dict[str, Any]) -> str:
    """JSON that no HTML parser can leave: neither ``<`` nor the line separators of JavaScript occur in it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _digest(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _asset(name: str) -> str:
    return (files("heteroopt.deployment") / "report" / name).read_text("utf-8")


def _reference(plan: Plan) -> str:
    reference = reference_entry(plan)
    device = html.escape(str(reference["device"]))
    return {
        "default": f"The default plan runs everything on {device}.",
        "fastest_single": f"The default device cannot take the model; multiples refer to everything on {device}.",
        "least_overflow": f"No single device can take the model; multiples refer to {device}, which misses by least.",
    }[str(reference["kind"])]


def _times(figure: PlanFigure) -> float | None:
    """Value over the default plan's, also of a figure that is better the higher it is."""
    return figure.value / figure.reference if figure.direction == "max" and figure.reference > 0 else figure.multiple
