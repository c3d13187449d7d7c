"""Plans from a plan file: decoded again from the inputs that the file carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from heteroopt.costs.table import CostTable
from heteroopt.deployment.plan import Plan
from heteroopt.deployment.plan_figures import PlanFigure
from heteroopt.devices.pool import DevicePool
from heteroopt.errors import PlanError
from heteroopt.front.measures import Measure, measure
from heteroopt.graph.graph import Graph
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.compile import compile_problem
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.naming import device_indices, pin_indices
from heteroopt.simulation.objectives import DEFAULT_KEYS, find_objective
from heteroopt.simulation.reference_plan import reference_plan


def stored_front(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The front in a plan file. Raises ``PlanError`` (``plan_without_front``)."""
    front = _front(document)
    if not front:
        raise PlanError(
            "plan_without_front",
            "The plan file holds one plan and not the front that it was chosen from.",
            hint="Write one with `heteroopt plan MODEL --pool POOL --out PLAN.json`.",
        )
    return front


def fastest_number(document: Mapping[str, Any]) -> int | None:
    """The number of the fastest plan of a plan file's front; ``None`` where it holds one plan and no front."""
    front = _front(document)
    return min(plan["number"] for plan in front) if front else None


def stored_plan(document: Mapping[str, Any], number: int | None = None) -> Plan:
    """A plan of a plan file, decoded: plan ``number`` of its front, or the one that the file is about.

    Raises ``PlanError``: ``plan_without_inputs``, ``plan_without_front``, ``plan_number``, ``plan_damaged``.
    """
    inputs = document.get("inputs")
    if not isinstance(inputs, Mapping):
        raise PlanError(
            "plan_without_inputs",
            "The plan file does not carry the graph, the pool and the costs that this needs.",
            hint="Write one with `heteroopt plan MODEL --pool POOL --out PLAN.json`.",
        )
    if number is None:
        own: Mapping[str, Any] = {"order": inputs.get("order"), "device": inputs.get("device")}
        number = document["plan"].get("number")
    else:
        own = next((plan for plan in stored_front(document) if plan["number"] == number), {})
        if not own:
            raise PlanError("plan_number", f"The front has no plan {number}.", number=number)
    try:
        graph = Graph.from_dict(inputs["graph"])
        pool = DevicePool.from_dict(inputs["pool"])
        costs = CostTable.from_dict(inputs["costs"])
        settings = SearchSettings.from_dict(document["settings"])
        constraints = document["constraints"]
        order, device = np.array(own["order"], np.int32), np.array(own["device"], np.int32)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _damaged(error) from error
    listed = next((plan for plan in _front(document) if plan.get("number") == number), None)
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
        figures=None if listed is None else _figures(document, listed),
        pins=constraints["pins"],
        forbidden=constraints["forbidden_devices"],
        memory_caps=constraints["memory_caps_bytes"],
    )


def stored_measures(document: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, Measure]]:
    """The keys of the objectives, and every figure of the front's plans by key.

    A file of the first version knows time, energy and load balance. Raises ``PlanError`` (``plan_damaged``).
    """
    front, search = stored_front(document), document["search"]
    try:
        if "measures" not in search:
            return DEFAULT_KEYS, {
                key: measure(
                    find_objective(key), np.array([plan[key] for plan in front], np.float64), document["reference"][key]
                )
                for key in DEFAULT_KEYS
            }
        measures = {
            entry["key"]: Measure(
                **entry, values=np.array([plan["values"][entry["key"]] for plan in front], np.float64)
            )
            for entry in search["measures"]
        }
        keys = tuple(key for key in search["objectives"] if measures[key])
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(error) from error
    return keys, measures


def _figures(document: Mapping[str, Any], listed: Mapping[str, Any]) -> dict[str, PlanFigure]:
    row = next(row for row, plan in enumerate(stored_front(document)) if plan is listed)
    return {
        key: PlanFigure(
            key, entry.name, entry.unit, entry.direction, float(entry.values[row]), entry.reference,
            float(entry.multiples[row]),
        )
        for key, entry in stored_measures(document)[1].items()
    }  # fmt: skip


def _damaged(error: Exception) -> PlanError:
    return PlanError("plan_damaged", f"The plan file is damaged: {type(error).__name__} {error}.", reason=str(error))


def _front(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    search = document.get("search")
    front = search.get("front") if isinstance(search, Mapping) else None
    return front if isinstance(front, list) else []
