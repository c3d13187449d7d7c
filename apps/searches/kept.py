"""Keeps plans that people made by hand beside the front of their search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from apps.accounts.models import User
from apps.searches.evaluation import placed_front, placed_plan
from apps.searches.front_json import plan_summary, upgraded
from apps.searches.fronts import load_plan, stored_front, with_kept
from apps.searches.models import KeptPlan, Search
from apps.searches.own_plans import stored_of
from apps.searches.what_if import moved_front, moved_plan
from config.refusals import ConflictError
from heteroopt.errors import PlanError

if TYPE_CHECKING:
    from heteroopt.deployment.placement_reader import PlacedOperator
    from heteroopt.front.front import Front

MOST_KEPT = 500
"""Plans of one search that can be kept: each is drawn and ranked with the front."""


def keep_moves(
    search: Search, user: User | None, base: str, moves: Sequence[tuple[int, int]]
) -> tuple[dict[str, Any], bool]:
    """Keep the plan that the moves make of ``base``; its summary, and whether it is new.

    Raises ``PlanError`` (see ``moved_plan``, and ``kept_does_not_fit``), 409 ``plan_gone`` and ``kept_too_many``.
    """
    plan = load_plan(search, 0, base)
    moved = moved_plan(search, plan, moves)
    return _keep(search, user, moved_front(search, plan, moved), fuse=plan.fuse, base=base, moved=len(moved.changed))


def keep_placement(search: Search, user: User | None, rows: Sequence[PlacedOperator]) -> tuple[dict[str, Any], bool]:
    """Keep a placement; its summary, and whether it is new. Raises what ``placed_plan`` does, and as above."""
    placed = placed_plan(search, rows)
    front, _ = stored_of(search)
    own = placed_front(search, placed, front)
    return _keep(search, user, own, fuse=None if placed.unfused is None else False, base="", moved=None)


def _keep(
    search: Search, user: User | None, own: Front, *, fuse: bool | None, base: str, moved: int | None
) -> tuple[dict[str, Any], bool]:
    plans = with_kept(search, upgraded(stored_front(search).body)["plans"])
    same = next((plan for plan in plans if plan["hash"] == own.hashes[0]), None)
    if same is not None:
        return same, False
    overflow = int(own.plans.overflow_bytes[0])
    if overflow:
        raise PlanError(
            "kept_does_not_fit",
            f"The plan exceeds its devices' memory by {overflow} bytes.",
            hint="Move more operators away from the device whose memory is full.",
            overflow_bytes=overflow,
        )
    if search.kept_plans.count() >= MOST_KEPT:
        raise ConflictError(
            "kept_too_many", "The search has as many kept plans as it can hold.", hint="Search again from here."
        )
    body = {key: value for key, value in plan_summary(own, 0).items() if key != "number"}
    KeptPlan.objects.get_or_create(
        search=search,
        hash=own.hashes[0],
        defaults={
            "created_by": user,
            "fuse": fuse,
            "base": base,
            "moved": moved,
            "body": body,
            "data": own.to_bytes(),
        },
    )
    plans = with_kept(search, upgraded(stored_front(search).body)["plans"])
    return next(plan for plan in plans if plan["hash"] == own.hashes[0]), True
