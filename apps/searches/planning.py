"""From the rows of a search to the engine's problem; the last few problems are kept compiled."""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from apps.modelhub.graphs import load_document, load_graph
from apps.pools.marks import load_pool
from heteroopt.costs.table import CostTable
from heteroopt.devices.pool import DevicePool
from heteroopt.graph.graph import Graph
from heteroopt.simulation.naming import device_indices, pin_indices

if TYPE_CHECKING:
    from apps.searches.models import Search
    from heteroopt.simulation.problem import Problem

_KEEP = 8
_lock = threading.Lock()
_kept: OrderedDict[tuple[object, ...], Planning] = OrderedDict()


@dataclass(frozen=True, slots=True)
class PlanningInputs:
    """What is planned, where, at what cost. ``graph`` is the one that is scheduled: fused, if fusion is on."""

    graph: Graph
    pool: DevicePool
    costs: CostTable


@dataclass(frozen=True, slots=True)
class Planning(PlanningInputs):
    """The inputs and the problem compiled from them."""

    problem: Problem


def planning_inputs(graph_id: uuid.UUID, spec: Mapping[str, Any] | None, *, fuse: bool) -> PlanningInputs:
    """Graph, pool and costs; without ``spec`` the graph's own tables say what the devices are and what they cost."""
    if spec is None:
        document = load_document(graph_id)
        return PlanningInputs(
            Graph.from_dict(document["graph"]),
            DevicePool.from_dict(document["pool"]),
            CostTable.from_dict(document["costs"]),
        )
    from heteroopt.costs.roofline import roofline_cost_table
    from heteroopt.graph.fusion import fuse as fused

    graph = load_graph(graph_id)
    if fuse:
        graph = fused(graph)
    pool = load_pool(spec)
    return PlanningInputs(graph, pool, roofline_cost_table(graph, pool))


def planning_of(search: Search, *, fuse: bool | None = None) -> Planning:
    """The compiled problem of a search; thread-safe. Raises what the compilation of an impossible problem raises.

    ``fuse=False``: of the model's own operators, though the search joins small ones.
    """
    version = search.pool_version
    settings = search.settings if fuse is None else {**search.settings, "fuse": fuse}
    key = (
        search.graph_id,
        None if version is None else version.pool_hash,
        None if version is None else version.id,
        settings["fuse"],
        tuple(sorted(settings["pins"].items())),
        tuple(settings["forbidden_devices"]),
    )
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    from heteroopt.simulation.compile import compile_problem

    inputs = planning_inputs(search.graph_id, None if version is None else version.spec, fuse=settings["fuse"])
    problem = compile_problem(
        inputs.graph,
        inputs.pool,
        inputs.costs,
        pins=pin_indices(inputs.graph, inputs.pool, settings["pins"]),
        forbidden=device_indices(inputs.pool, settings["forbidden_devices"]),
    )
    planning = Planning(inputs.graph, inputs.pool, inputs.costs, problem)
    with _lock:
        _kept[key] = planning
        while len(_kept) > _KEEP:
            _kept.popitem(last=False)
    return planning
