"""The plans that a search starts from: those of a result, or of a plan file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from heteroopt.api.result import Result
from heteroopt.deployment.plan_reader import read_plan
from heteroopt.devices.pool import DevicePool
from heteroopt.errors import PlanError
from heteroopt.graph.graph import Graph
from heteroopt.search.inheritance import EarlierPlans


def earlier_plans(source: Result | EarlierPlans | str | Path) -> EarlierPlans:
    """Plans of a result, or of a plan file: its front, or the one plan of a file without a front.

    Raises ``PlanError``: what :func:`read_plan` raises, and ``plan_damaged``.
    """
    if isinstance(source, EarlierPlans):
        return source
    if isinstance(source, Result):
        plans = source.front.plans
        return EarlierPlans.of(source.graph, source.pool, plans.orders, plans.devices)
    document = read_plan(source)
    try:
        return _of_front(document) or _of_plan(document)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise PlanError(
            "plan_damaged", f"The plan file {source} is damaged: {type(error).__name__} {error}.", reason=str(error)
        ) from error


def _of_front(document: Mapping[str, Any]) -> EarlierPlans | None:
    inputs, search = document.get("inputs"), document.get("search")
    front = search.get("front") if isinstance(search, Mapping) else None
    if not isinstance(inputs, Mapping) or not front:
        return None
    graph, pool = Graph.from_dict(inputs["graph"]), DevicePool.from_dict(inputs["pool"])
    orders = np.array([plan["order"] for plan in front], np.int32)
    devices = np.array([plan["device"] for plan in front], np.int32)
    _check(orders, devices, len(graph.operators), len(pool.devices))
    return EarlierPlans.of(graph, pool, orders, devices)


def _of_plan(document: Mapping[str, Any]) -> EarlierPlans:
    """The plan itself, whose rows name the devices of the model's own operators."""
    placed = document["placement"]
    names = tuple(dict.fromkeys(row["device"] for row in placed))
    at = {row["index"]: row["order"] for row in document["operators"]}
    order = np.argsort(np.array([at[row["scheduled_in"]] for row in placed], np.int64), kind="stable")
    devices = np.array([[names.index(row["device"]) for row in placed]], np.int32)
    orders = order[None, :].astype(np.int32)
    _check(orders, devices, len(placed), len(names))
    return EarlierPlans(str(document["hashes"]["model"]), names, orders, devices)


def _check(orders: np.ndarray[Any, Any], devices: np.ndarray[Any, Any], n_operators: int, n_devices: int) -> None:
    """Raise ``ValueError`` unless each order names every operator once and each device is one of the pool's."""
    if orders.shape != devices.shape or orders.ndim != 2 or orders.shape[1] != n_operators:
        raise ValueError(f"orders and devices of {n_operators} operators expected")
    if not (np.sort(orders, axis=1) == np.arange(n_operators)).all():
        raise ValueError("an order does not name every operator once")
    if devices.size and not (devices.min() >= 0 and devices.max() < n_devices):
        raise ValueError("a device is not in the pool")
