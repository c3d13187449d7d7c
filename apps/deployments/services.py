"""Writes plans and fronts as files, in the engine's formats."""

from __future__ import annotations

from apps.searches.fronts import StoredPlan
from apps.searches.models import Search


def plan_json(search: Search, plan: StoredPlan) -> str:
    """The plan as versioned JSON."""
    return ""


def operators_csv(search: Search, plan: StoredPlan) -> str:
    """The operator table as CSV."""
    return ""


def front_csv(search: Search) -> str:
    """The table of all plans as CSV."""
    return ""
