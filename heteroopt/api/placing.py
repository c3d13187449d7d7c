"""From what a person names (operators, devices) to the compiled problem that is searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heteroopt.costs.roofline import roofline_cost_table
from heteroopt.costs.table import CostTable
from heteroopt.devices.pool import DevicePool
from heteroopt.errors import SettingsError
from heteroopt.graph.graph import Graph


def scheduled_graph(graph: Graph, *, fuse: bool) -> Graph:
    """The graph whose operators are placed: with fusion, runs of small operators joined to their producers."""
    if not fuse or graph.original is not None:
        return graph
    from heteroopt.graph.fusion import fuse as fused

    return fused(graph)


def cost_table(graph: Graph, pool: DevicePool, costs: CostTable | None) -> CostTable:
    """The costs given, checked for their shape, or roofline estimates."""
    if costs is None:
        return roofline_cost_table(graph, pool)
    if costs.time_ps.shape != (len(graph.operators), len(pool)):
        raise SettingsError(
            "cost_table_shape",
            f"The cost table has {costs.n_operators} operators and {costs.n_devices} devices; the graph has "
            f"{len(graph.operators)} operators and the pool {len(pool)} devices.",
            hint="Give one row per operator of the graph (without fusion) and one column per device.",
        )
    return costs


def pin_indices(graph: Graph, pool: DevicePool, pins: Mapping[str, str]) -> dict[int, int]:
    """Operator index to device index; an operator of the model pins the fused one that holds it.

    Raises ``SettingsError`` (``unknown_operator``, ``pin_conflict``) and ``PoolError`` (``unknown_device``).
    """
    index = operator_index(graph) if pins else {}
    pinned: dict[int, int] = {}
    for name, device_name in pins.items():
        if name not in index:
            raise unknown_operator(name)
        operator, device = index[name], pool.index(device_name)
        if pinned.setdefault(operator, device) != device:
            raise SettingsError(
                "pin_conflict",
                f"{name} is fused with an operator that is pinned to another device.",
                hint="Pin both to one device, or search without fusion.",
                operator=name,
                device=device_name,
            )
    return pinned


def operator_index(graph: Graph) -> dict[str, int]:
    """Scheduled operator by name: its own, and those of the model's operators in it."""
    index = {operator.name: operator.index for operator in graph.operators}
    if graph.original is not None:
        for operator in graph.operators:
            for member in operator.members:
                index.setdefault(graph.original.operators[member].name, operator.index)
    return index


def unknown_operator(name: str) -> SettingsError:
    """The error for an operator that the model does not have."""
    return SettingsError(
        "unknown_operator",
        f"The model has no operator {name!r}.",
        hint="Operators are named as in the operator table.",
        operator=name,
    )


def device_indices(pool: DevicePool, names: Sequence[str]) -> list[int]:
    """Positions of devices. Raises ``PoolError`` (``unknown_device``)."""
    return [pool.index(name) for name in names]
