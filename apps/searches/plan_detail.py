"""A plan decoded for the page: timeline, transfers, memory, reasons and alternatives."""

from __future__ import annotations

from typing import Any

from django.http import Http404

from apps.searches.fronts import StoredPlan
from apps.searches.models import Search
from apps.searches.planning import Planning, planning_of

ALTERNATIVES_UP_TO = 1000
"""Operators up to which a plan comes with all alternatives; above, they are asked for one operator at a time."""


def plan_detail(search: Search, plan: StoredPlan) -> dict[str, Any]:
    """What ``PlanDetailSerializer`` describes."""
    planning = planning_of(search)
    return {**plan.summary, "revision": plan.revision, **_schedule(planning, plan)}


def operator_detail(search: Search, plan: StoredPlan, index: int) -> dict[str, Any]:
    """What ``OperatorAlternativesSerializer`` describes; 404 for an operator that is not there."""
    planning = planning_of(search)
    if not 0 <= index < len(planning.graph.operators):
        raise Http404
    return {}


def _schedule(planning: Planning, plan: StoredPlan) -> dict[str, Any]:
    return {}
