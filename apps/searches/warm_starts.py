"""Fronts that searches start from: kept when a search is asked for, mapped to its graph and pool when it runs."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from apps.pools.marks import load_pool
from apps.searches.fronts import stored_front
from apps.searches.models import InheritedFront, Search
from apps.searches.planning import PlanningInputs, planned
from heteroopt.errors import SettingsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def inherited_front(earlier: Search, search: Search) -> InheritedFront:
    """The unsaved row that keeps the newest front of ``earlier`` for ``search``.

    Raises ``SettingsError`` ``warm_start_graph`` for a search of another model, 409 ``no_front_yet`` without a front.
    """
    if earlier.graph.graph_hash != search.graph.graph_hash:
        raise SettingsError(
            "warm_start_graph",
            f"Search {earlier.number} is not of {search.model.name}, as it is here.",
            hint="Start from a search of the same model, read with the same dimensions.",
            model=search.model.name,
            search=earlier.number,
        )
    version = earlier.pool_version
    return InheritedFront(
        search=search,
        data=bytes(stored_front(earlier).data),
        fuse=earlier.settings["fuse"],
        pool=earlier.graph.summary["pool"] if version is None else version.spec,
    )


def plans_to_start_from(search: Search, inputs: PlanningInputs) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None:
    """``(orders, devices)`` of the inherited front for the graph and pool that are searched; ``None`` without one."""
    from heteroopt.front.front import Front
    from heteroopt.search.inheritance import EarlierPlans

    kept = InheritedFront.objects.filter(search=search).first()
    if kept is None:
        return None
    plans = Front.from_bytes(bytes(kept.data)).plans
    if kept.fuse == search.settings["fuse"]:
        graph = inputs.graph
    else:
        version = search.pool_version
        graph, _ = planned(search.graph_id, version, fuse=kept.fuse)
    return EarlierPlans.of(graph, load_pool(kept.pool), plans.orders, plans.devices).on(inputs.graph, inputs.pool)


def inherited_hash(search: Search) -> str | None:
    """SHA-256 (hex) of the front that a search starts from."""
    data = InheritedFront.objects.filter(search=search).values_list("data", flat=True).first()
    return None if data is None else hashlib.sha256(bytes(data)).hexdigest()
