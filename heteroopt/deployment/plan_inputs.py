"""Plans decoded again from the graph, the pool and the costs that a plan file carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from heteroopt.costs.table import CostTable
from heteroopt.deployment.plan import Plan
from heteroopt.deployment.plan_figures import PlanFigure
from heteroopt.devices.pool import DevicePool
from heteroopt.errors import PlanError
from heteroopt.graph.graph import Graph
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.compile import compile_problem
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.naming import device_indices, pin_indices
from heteroopt.simulation.reference_plan import reference_plan


def decoded_plan(
    document: Mapping[str, Any],
    own: Mapping[str, Any] | None = None,
    *,
    number: int | None = None,
    figures: Mapping[str, PlanFigure] | None = None,
) -> Plan:
    """The plan of a document, or the placement ``own`` (``order``, ``device``) on its inputs.

    Raises ``PlanError``: ``plan_without_inputs``, ``plan_damaged``.
    """
    inputs = document.get("inputs")
    if not isinstance(inputs, Mapping):
        raise PlanError(
            "plan_without_inputs",
            "The plan file does not carry the graph, the pool and the costs that this needs.",
            hint="Write one with `heteroopt plan MODEL --pool POOL --out PLAN.json`.",
        )
    placed: Mapping[str, Any] = inputs if own is None else own
    try:
        graph = Graph.from_dict(inputs["graph"])
        pool = DevicePool.from_dict(inputs["pool"])
        costs = CostTable.from_dict(inputs["costs"])
        settings = SearchSettings.from_dict(document["settings"])
        constraints = document["constraints"]
        order, device = np.array(placed["order"], np.int32), np.array(placed["device"], np.int32)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise plan_damaged(error) from error
    problem = compile_problem(
        graph,
        pool,
        costs,
        pins=pin_indices(graph, pool, constraints["pins"]),
        forbidden=device_indices(pool, constraints["forbidden_devices"]),
        memory_caps=constraints["memory_caps_bytes"],
    )
    return Plan(
        graph=graph,
        pool=pool,
        costs=costs,
        problem=problem,
        reference=reference_plan(problem),
        settings=settings,
        schedule=decode_one(problem, order, device),
        number=number,
        figures=figures,
        pins=constraints["pins"],
        forbidden=constraints["forbidden_devices"],
        memory_caps=constraints["memory_caps_bytes"],
    )


def plan_damaged(error: Exception) -> PlanError:
    """The error of a plan file whose parts do not fit together."""
    return PlanError("plan_damaged", f"The plan file is damaged: {type(error).__name__} {error}.", reason=str(error))
