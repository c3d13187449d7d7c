"""Plans from a plan file: decoded again from the inputs that the file carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from heteroopt.deployment.plan import Plan
from heteroopt.deployment.plan_figures import PlanFigure
from heteroopt.deployment.plan_inputs import decoded_plan, plan_damaged
from heteroopt.errors import PlanError
from heteroopt.front.measures import Measure, measure
from heteroopt.simulation.objectives import DEFAULT_KEYS, find_objective


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
    own: Mapping[str, Any] | None = None
    if number is None:
        number = document["plan"].get("number")
    elif isinstance(document.get("inputs"), Mapping):
        own = next((plan for plan in stored_front(document) if plan["number"] == number), None)
        if own is None:
            raise PlanError("plan_number", f"The front has no plan {number}.", number=number)
    listed = next((plan for plan in _front(document) if plan.get("number") == number), None)
    if listed is not None:
        return decoded_plan(document, own, number=number, figures=_figures(document, listed))
    plan = decoded_plan(document, own, number=number)
    return replace(plan, figures={**_stated_figures(document["plan"]), **plan.measures})


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
        raise plan_damaged(error) from error
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


def _stated_figures(plan: Mapping[str, Any]) -> dict[str, PlanFigure]:
    """What a file of one plan says of it, such as the further objectives of its search, in the file's order."""
    try:
        return {entry["key"]: PlanFigure(**entry) for entry in plan.get("measures", ())}
    except (KeyError, TypeError) as error:
        raise plan_damaged(error) from error


def _front(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    search = document.get("search")
    front = search.get("front") if isinstance(search, Mapping) else None
    return front if isinstance(front, list) else []
