"""From the rows of a search to the engine's problem; the last few problems are kept compiled."""

from __future__ import annotations

import gc
import threading
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from apps.modelhub.graphs import load_document, load_graph
from apps.pools.marks import load_pool
from heteroopt.costs.table import CostTable
from heteroopt.devices.pool import DevicePool
from heteroopt.graph.graph import Graph
from heteroopt.simulation.naming import device_indices, pin_indices

if TYPE_CHECKING:
    from apps.pools.models import PoolVersion
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


def planned(graph_id: uuid.UUID, version: PoolVersion | None, *, fuse: bool) -> tuple[Graph, DevicePool]:
    """What is planned, and where; without ``version`` the graph's own tables say what the devices are."""
    if version is None:
        document = load_document(graph_id)
        return Graph.from_dict(document["graph"]), DevicePool.from_dict(document["pool"])
    from heteroopt.graph.fusion import fuse as fused

    graph = load_graph(graph_id)
    return (fused(graph) if fuse else graph), load_pool(version.spec)


def planning_inputs(graph_id: uuid.UUID, version: PoolVersion | None, *, fuse: bool) -> PlanningInputs:
    """Graph, pool and costs; without ``version`` the graph's own tables say what the devices are and what they cost."""
    from apps.searches.costs import cost_table

    graph, pool = planned(graph_id, version, fuse=fuse)
    if version is None:
        return PlanningInputs(graph, pool, CostTable.from_dict(load_document(graph_id)["costs"]))
    return PlanningInputs(graph, pool, cost_table(graph_id, graph, pool, version, fuse=fuse))


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

    inputs = planning_inputs(search.graph_id, version, fuse=settings["fuse"])
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
    _settle()
    return planning


def _settle() -> None:
    """Take what lives now out of the collector's walks.

    A graph of 5,000 operators is some 100,000 objects: walking them again and again took a tenth of a second out of
    every fifth answer. What was garbage when it was set aside is collected the next time.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
