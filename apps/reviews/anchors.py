"""What a thread is about, checked against the plan: an operator, a device's lane, a range of time, or the plan."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from apps.reviews.models import AnchorKind, Review
from apps.searches.planning import planned
from heteroopt.errors import HeteroOptError


def anchor_fields(review: Review, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a thread. Raises 400 ``anchor_operator``, ``anchor_device``, ``anchor_range``."""
    kind = asked["kind"]
    search = review.search
    fields: dict[str, Any] = {"anchor": kind}
    if kind == AnchorKind.PLAN:
        return fields
    graph, pool = planned(search.graph_id, search.pool_version, fuse=review.fuse)
    if kind == AnchorKind.OPERATOR:
        index = asked.get("operator")
        if index is None or not 0 <= index < len(graph.operators):
            raise HeteroOptError(
                "anchor_operator",
                "The plan has no such operator.",
                hint=f"Operators are numbered from 0 to {len(graph.operators) - 1}.",
                count=len(graph.operators),
            )
        return {**fields, "operator": index, "operator_name": graph.operators[index].name}
    device = asked.get("device") or ""
    if (kind == AnchorKind.LANE or device) and device not in [one.name for one in pool.devices]:
        raise HeteroOptError(
            "anchor_device",
            f"The pool has no device {device!r}.",
            hint=f"It has {', '.join(one.name for one in pool.devices)}.",
            device=device,
        )
    fields["device"] = device
    if kind == AnchorKind.LANE:
        return fields
    start, end = asked.get("start_ms"), asked.get("end_ms")
    if start is None or end is None or not (math.isfinite(end) and 0 <= start < end):
        raise HeteroOptError(
            "anchor_range",
            "A range of time needs a start and a later end.",
            hint="Give both in milliseconds, from 0.",
        )
    return {**fields, "start_ms": start, "end_ms": end}
