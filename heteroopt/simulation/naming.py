"""From the names that a person gives (operators, devices) to the indices of a problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heteroopt.devices.pool import DevicePool
from heteroopt.errors import SettingsError
from heteroopt.graph.graph import Graph


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
