"""The figure of a front, drawn with Python's plotly."""

from __future__ import annotations

import html
from typing import Any

import plotly.graph_objects as go

from heteroopt.devices.pool import DevicePool
from heteroopt.front.front import Front
from heteroopt.front.selection import knee

PALETTE = ("#2f6fde", "#d9822b", "#2a9d66", "#8a55c8", "#c23b52", "#4a7f8c", "#9a7b1f", "#5b6470")


def front_figure(front: Front, pool: DevicePool, *, title: str = "", chosen: int | None = None) -> go.Figure:
    """Scatter of the plans over the objectives (3-D for three) with the default plan, the knee and, if given, the
    row ``chosen``.
    """
    figure = go.Figure()
    figure.add_trace(_points(front, pool, range(len(front)), "Plans", {"size": 4, "color": PALETTE[0]}))
    knee_row = knee(front)
    if knee_row is not None:
        figure.add_trace(_points(front, pool, [knee_row], "Knee", {"size": 7, "color": PALETTE[2], "symbol": "square"}))
    if chosen is not None:
        figure.add_trace(_points(front, pool, [chosen], "Chosen plan", {"size": 8, "color": PALETTE[1]}))
    reference = [[value] for value in front.reference_values]
    device = pool.devices[front.reference.device].name
    figure.add_trace(
        _scatter(
            reference,
            name="Default plan",
            marker={"size": 6, "color": PALETTE[7], "symbol": "diamond"},
            hovertext=[f"Default plan: everything on {escaped(device)}"],
            hoverinfo="text",
        )
    )
    titles = [escaped(f"{axis.name} ({axis.unit})" if axis.unit else axis.name) for axis in front.axes]
    if len(titles) < 2:
        titles.append("")
    axes: dict[str, Any] = {f"{axis}axis": {"title": {"text": text}} for axis, text in zip("xyz", titles, strict=False)}
    if len(titles) == 3:
        scene = {**axes, "aspectmode": "cube", "camera": {"eye": {"x": 1.6, "y": 1.6, "z": 0.9}}}
        figure.update_layout(scene=scene)
    else:
        figure.update_layout(**axes)
    figure.update_layout(
        title={"text": escaped(title)},
        margin={"l": 0, "r": 0, "t": 40, "b": 0},
        legend={"orientation": "h"},
        template="plotly_white",
    )
    return figure


def escaped(text: str) -> str:
    """Text that plotly shows as it is: no markup, no links from a model's names."""
    return html.escape(text, quote=False).replace("\n", " ")


def _scatter(columns: list[list[float]], **options: Any) -> go.Scatter3d | go.Scatter:
    """Markers at the values of one, two or three objectives."""
    if len(columns) == 3:
        return go.Scatter3d(x=columns[0], y=columns[1], z=columns[2], mode="markers", **options)
    down = columns[1] if len(columns) == 2 else [0.0] * len(columns[0])
    return go.Scatter(x=columns[0], y=down, mode="markers", **options)


def _points(front: Front, pool: DevicePool, rows: Any, name: str, marker: dict[str, Any]) -> go.Scatter3d | go.Scatter:
    chosen = list(rows)
    return _scatter(
        front.values[chosen].T.tolist(),
        name=name,
        marker=marker,
        customdata=[row + 1 for row in chosen],
        hovertext=[_hover(front, pool, row) for row in chosen],
        hoverinfo="text",
    )


def _hover(front: Front, pool: DevicePool, row: int) -> str:
    counts = zip(pool.tags(), front.operators_per_device(row), strict=True)
    return "<br>".join(
        (
            f"Plan {row + 1}",
            *(
                f"{_SHORT[axis.key] if axis.key in _SHORT else escaped(axis.name) + ' '}{axis.values[row]:.6g}"
                f"{' ' + escaped(axis.unit) if axis.unit else ''} ({axis.multiples[row]:.3f} x)"
                for axis in front.axes
            ),
            "operators: " + ", ".join(f"{tag} {count}" for tag, count in counts),
        )
    )


_SHORT = {"exec_time_ms": "", "energy_j": "", "load_balance": "variance "}
"""Of the usual objectives the units say what they are."""
