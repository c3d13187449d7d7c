"""A report of one plan and its front as a single HTML file that needs no network."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from heteroopt.deployment.approval import approval_text
from heteroopt.deployment.figures import CONFIG, front_figure, timeline_figure
from heteroopt.deployment.plan import Plan
from heteroopt.deployment.plan_json import memory_entries, reference_entry, settings_hash
from heteroopt.deployment.reason_text import reason_text
from heteroopt.deployment.tables import device_rows, operator_rows
from heteroopt.front.front import Front
from heteroopt.units import BYTES_PER_MB
from heteroopt.version import __version__

_STYLE = """
body{font:14px/1.45 system-ui,sans-serif;margin:0 auto;max-width:1200px;padding:24px;color:#1b2430;background:#fff}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:28px 0 8px}p{margin:4px 0;color:#4a5563}
table{border-collapse:collapse;width:100%;font-size:13px}
th,td{padding:4px 8px;border-bottom:1px solid #dfe4ea;text-align:left}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.scroll{max-height:560px;overflow:auto}
"""
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"

Row = Sequence[object]


def report_html(plan: Plan, front: Front) -> str:
    """HTML text with plotly.js inside (about 5 MB); its content policy forbids every request.

    Texts from models and pools are escaped; figures offer no upload.
    """
    chosen = None if plan.number is None else plan.number - 1
    figure = front_figure(front, plan.pool, chosen=chosen).to_html(
        full_html=False, include_plotlyjs=True, config=CONFIG, default_height=560, div_id="front"
    )
    timeline = timeline_figure(plan).to_html(full_html=False, include_plotlyjs=False, config=CONFIG, div_id="timeline")
    name = html.escape(plan.original.name)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{name}: plan {plan.number or ''}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{name}</h1><p>Plan {plan.number or ''} of {len(front)} on {html.escape(plan.pool.name or 'a pool')}, "
        f"seed {plan.settings.seed}, HeteroOpt {__version__}</p>",
        f"<p>This plan: {html.escape(approval_text(plan.approval))}.</p>",
        "<h2>Values</h2>",
        _table(("", "Plan", "Multiple", "Default plan"), _values(plan), numbers=3),
        f"<p>{_reference(plan)}</p>",
        "<h2>Pareto front</h2>",
        figure,
        "<h2>Devices</h2>",
        _table(("Tag", "Device", "Operators", "Busy (ms)", "Busy share"), _devices(plan), numbers=3),
        _table(("Memory of", "Peak (MB)", "Limit (MB)"), _memories(plan), numbers=2),
        "<h2>Timeline</h2>",
        timeline,
        "<h2>Operators</h2>",
        '<div class="scroll">',
        _table(
            ("Operator", "Type", "Device", "Reason", "Order", "Start (ms)", "End (ms)", "Time (ms)", "Energy (J)"),
            _operators(plan),
            numbers=5,
        ),
        "</div><h2>Hashes</h2>",
        _table(("Of", "SHA-256"), _hashes(plan)),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _values(plan: Plan) -> Iterable[Row]:
    for figure in plan.measures.values():
        multiple = "–" if figure.multiple is None else f"{figure.multiple:.3f} x"
        unit = f" ({figure.unit})" if figure.unit else ""
        yield f"{figure.name}{unit}", f"{figure.value:.6g}", multiple, f"{figure.reference:.6g}"


def _reference(plan: Plan) -> str:
    reference = reference_entry(plan)
    device = html.escape(str(reference["device"]))
    return {
        "default": f"The default plan runs everything on {device}.",
        "fastest_single": f"The default device cannot take the model; multiples refer to everything on {device}.",
        "least_overflow": f"No single device can take the model; multiples refer to {device}, which misses by least.",
    }[str(reference["kind"])]


def _devices(plan: Plan) -> Iterable[Row]:
    for row in device_rows(plan):
        yield (
            row["tag"],
            f"{row['name']} ({row['display_name']})",
            row["operators"],
            f"{row['busy_ms']:.6g}",
            (f"{row['share']:.1%}"),
        )


def _memories(plan: Plan) -> Iterable[Row]:
    for entry in memory_entries(plan):
        peak, limit = entry["peak_bytes"] / BYTES_PER_MB, entry["limit_bytes"] / BYTES_PER_MB
        yield ", ".join(entry["devices"]), f"{peak:,.1f}", f"{limit:,.1f}"


def _operators(plan: Plan) -> Iterable[Row]:
    for row in operator_rows(plan):
        times = (f"{row[key]:.6g}" for key in ("start_ms", "end_ms", "time_ms", "energy_j"))
        reason = reason_text(row["reason"]) if row["reason"] else ""
        yield row["name"], row["op_type"], row["device"], reason, row["order"], *times


def _hashes(plan: Plan) -> Iterable[Row]:
    yield "Model", plan.original.content_hash
    yield "Scheduled graph", plan.graph.content_hash
    yield "Pool", plan.pool.content_hash
    yield "Costs", plan.costs.content_hash
    yield "Settings", settings_hash(plan)
    yield "Plan", plan.content_hash


def _table(headings: Sequence[str], rows: Iterable[Row], numbers: int = 0) -> str:
    """Table whose last ``numbers`` columns are right-aligned; every cell is escaped."""
    first = len(headings) - numbers

    def cells(tag: str, row: Row) -> str:
        return "".join(
            f"<{tag}{' class=n' if column >= first else ''}>{html.escape(str(cell))}</{tag}>"
            for column, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', headings)}</tr></thead><tbody>{body}</tbody></table>"
