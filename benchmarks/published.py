"""Reading published placement workloads, and what a placement of one costs: plain Python, independent of the engine.

The format and the cost are those of J. Tarnawski et al., "Efficient Algorithms for Device Placement of DNN Graph
Operators", NeurIPS 2020: ``maxFPGAs`` accelerators of ``maxSizePerFPGA`` bytes, ``maxCPUs`` CPU cores that share the
host's memory; a node has ``cpuLatency``, ``fpgaLatency``, ``supportedOnFpga``, ``size`` (bytes on an accelerator),
optionally ``colorClass`` (one device for all of a class), ``isBackwardNode``; an edge has ``cost``, the time in which
its source's output moves between an accelerator and the host's memory.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Node:
    """Times in the file's unit (ms), size in bytes."""

    id: int
    cpu_time: float
    accelerator_time: float
    on_accelerator: bool
    size: float
    color: int | None
    backward: bool


@dataclass(frozen=True)
class Workload:
    """One file. ``cost`` maps a node to what moving its output once takes."""

    accelerators: int
    cpus: int
    capacity: float
    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]
    cost: Mapping[int, float]

    @property
    def devices(self) -> tuple[str, ...]:
        """``accelerator0`` and on, then ``cpu0`` and on."""
        return (
            *(f"accelerator{k}" for k in range(self.accelerators)),
            *(f"cpu{k}" for k in range(self.cpus)),
        )


def read_workload(path: Path) -> Workload:
    """Read one file; raises ``ValueError`` that says what is wrong with it, ``OSError`` if there is none."""
    try:
        return parse_workload(json.loads(path.read_text()), str(path))
    except KeyError as error:
        raise ValueError(f"{path}: {error} is missing.") from error
    except (TypeError, AttributeError) as error:
        raise ValueError(f"{path} does not hold a workload: {error}.") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is not JSON: {error}.") from error


def parse_workload(document: Mapping[str, Any], path: str) -> Workload:
    """Read a document that came from ``path``."""
    nodes = tuple(_node(row) for row in document["nodes"])
    if not nodes:
        raise ValueError(f"{path}: there are no nodes.")
    known = {node.id for node in nodes}
    if len(known) < len(nodes):
        raise ValueError(f"{path}: an id is given twice.")
    cost: dict[int, float] = {}
    edges: dict[tuple[int, int], None] = {}
    for row in document["edges"]:
        source, target = int(row["sourceId"]), int(row["destId"])
        if source not in known or target not in known:
            raise ValueError(f"{path}: edge {source} -> {target} names a node that is not there.")
        price = _figure(row["cost"])
        if abs(cost.setdefault(source, price) - price) > 1e-6:
            raise ValueError(f"{path}: the edges out of node {source} differ in cost.")
        edges[source, target] = None
    _check_acyclic(edges, path)
    accelerators, cpus = int(document["maxFPGAs"]), int(document["maxCPUs"])
    if min(accelerators, cpus) < 0 or accelerators + cpus == 0:
        raise ValueError(f"{path}: {accelerators} accelerators and {cpus} CPUs are no devices to plan for.")
    return Workload(
        accelerators, cpus, _figure(document["maxSizePerFPGA"]), nodes,
        tuple(edges), cost,
    )  # fmt: skip


def device_loads(workload: Workload, placement: Mapping[int, str]) -> dict[str, float]:
    """Load of every device: compute, and on accelerators each output once that enters or leaves.

    Raises ``ValueError`` if the placement is not allowed: a node without a device or on one that cannot run it, a
    colour class on two devices, or more bytes on an accelerator than it has.
    """
    loads = dict.fromkeys(workload.devices, 0.0)
    sizes = dict.fromkeys(workload.devices, 0.0)
    color_device: dict[int, str] = {}
    for node in workload.nodes:
        device = placement.get(node.id)
        if device not in loads:
            raise ValueError(f"Node {node.id} is on {device!r}.")
        accelerator = device.startswith("accelerator")
        if accelerator and not node.on_accelerator:
            raise ValueError(f"Node {node.id} cannot run on an accelerator.")
        if node.color is not None and color_device.setdefault(node.color, device) != device:
            raise ValueError(f"Colour class {node.color} is on two devices.")
        loads[device] += node.accelerator_time if accelerator else node.cpu_time
        sizes[device] += node.size
    moved: dict[str, set[int]] = {device: set() for device in loads if device.startswith("accelerator")}
    for source, target in workload.edges:
        if placement[source] != placement[target]:
            for device in (placement[source], placement[target]):
                if device in moved:
                    moved[device].add(source)
    for device, nodes in moved.items():
        loads[device] += math.fsum(workload.cost[node] for node in sorted(nodes))
        if sizes[device] > workload.capacity:
            raise ValueError(f"{device} holds {sizes[device]:.0f} of {workload.capacity:.0f} bytes.")
    return loads


def _check_acyclic(edges: Iterable[tuple[int, int]], path: str) -> None:
    order: TopologicalSorter[int] = TopologicalSorter()
    for source, target in edges:
        order.add(target, source)
    try:
        order.prepare()
    except CycleError as error:
        raise ValueError(f"{path}: the nodes {error.args[1]} read each other in a circle.") from error


def _node(row: Mapping[str, Any]) -> Node:
    color = row.get("colorClass")
    return Node(
        int(row["id"]), _figure(row["cpuLatency"]), _figure(row["fpgaLatency"]), bool(row["supportedOnFpga"]),
        _figure(row.get("size", 0.0)), None if color is None else int(color), bool(row["isBackwardNode"]),
    )  # fmt: skip


def _figure(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"{value!r} is not a finite number from 0.")
    return number
