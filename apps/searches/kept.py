"""Keeps plans that people made by hand beside the front of their search, and lets go of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.http import Http404

from apps.accounts.models import User
from apps.searches.evaluation import placed_front, placed_plan
from apps.searches.front_json import plan_summary, upgraded
from apps.searches.fronts import kept_summary, load_plan, next_number, stored_front, with_kept
from apps.searches.models import KeptPlan, Search
from apps.searches.own_plans import stored_of
from apps.searches.signals import kept_plan_leaves
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
    own = placed_front(search, placed, stored_of(search).front)
    return _keep(search, user, own, fuse=None if placed.unfused is None else False, base="", moved=None)


@transaction.atomic
def remove_kept(search: Search, plan_hash: str) -> KeptPlan:
    """Let go of a kept plan with what other apps hold of it (see ``kept_plan_leaves``); its number is not used again.

    Plans that were made from it stay. Raises 404 where the search keeps no such plan, and what a receiver raises:
    409 ``kept_plan_reviewed``.
    """
    own = search.kept_plans.select_for_update().select_related("search").filter(hash=plan_hash).first()
    if own is None:
        raise Http404
    kept_plan_leaves.send(sender=KeptPlan, plan=own)
    own.delete()
    return own


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
    with transaction.atomic():
        row = Search.objects.select_for_update().select_related("job").get(pk=search.pk)
        return _numbered(row, user, own, {"fuse": fuse, "base": base, "moved": moved})


def _numbered(search: Search, user: User | None, own: Front, origin: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Keep a plan that fits under the next number. ``search`` is locked."""
    plans = with_kept(search, upgraded(stored_front(search).body)["plans"])
    same = next((plan for plan in plans if plan["hash"] == own.hashes[0]), None)
    if same is not None:
        return same, False
    if search.kept_plans.count() >= MOST_KEPT:
        raise ConflictError(
            "kept_too_many",
            "The search has as many kept plans as it can hold.",
            hint="Remove one of them, or search again from here.",
        )
    number = next_number(search, plans)
    Search.objects.filter(pk=search.pk).update(last_number=number)
    body = {key: value for key, value in plan_summary(own, 0).items() if key != "number"}
    row = KeptPlan.objects.create(
        search=search, hash=own.hashes[0], number=number, created_by=user, body=body, data=own.to_bytes(), **origin
    )
    return kept_summary(row), True
