"""Why a device does not run an operator of a plan: what an operator map found, where one was applied to it."""

from __future__ import annotations

from heteroopt.devices.spec import DeviceSpec
from heteroopt.devices.unsupported import why_unsupported
from heteroopt.graph.graph import Graph


def because(graph: Graph, device: DeviceSpec, operator: int) -> str:
    """Return the reason for the first operator inside a scheduled one that ``device`` does not run, "" if unknown."""
    source = graph.original.operators if graph.original is not None else graph.operators
    found = (why_unsupported(device, source[member].op_type) for member in graph.operators[operator].members)
    return next(filter(None, found), "")
