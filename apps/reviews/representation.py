"""A review as lists and its page read it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Prefetch, Q

from apps.accounts.models import Membership, User
from apps.pools.marks import device_marks
from apps.reviews.models import Comment, Review, Reviewer, Thread
from apps.reviews.staleness import Reason, reasons_of
from apps.reviews.standing import STALE, approvers, authors, blockers, standing_of, waits_for
from apps.searches.fronts import energy_sources_of
from apps.searches.planning import planned

FIGURES = ("exec_time_ms", "energy_j", "load_balance", "peak_memory_bytes", "transferred_bytes")


def listed(reviews: Iterable[Review]) -> list[dict[str, Any]]:
    """What ``ReviewSerializer`` describes."""
    rows = list(reviews)
    counted = (
        Thread.objects.filter(review__in=rows)
        .values("review")
        .annotate(all=Count("pk"), open=Count("pk", filter=Q(resolved_at=None)))
    )
    counts: dict[Any, dict[str, int]] = {
        entry["review"]: {"all": entry["all"], "open": entry["open"]} for entry in counted.order_by()
    }
    return [_entry(review, reasons_of(review), counts.get(review.pk, {"all": 0, "open": 0})) for review in rows]


def detailed(review: Review, membership: Membership) -> dict[str, Any]:
    """What ``ReviewDetailSerializer`` describes, for a member."""
    reasons = reasons_of(review)
    comments = Comment.objects.select_related("author").prefetch_related("mentions__user")
    threads = list(
        review.threads.select_related("created_by", "resolved_by").prefetch_related(Prefetch("comments", comments))
    )
    search = review.search
    _, pool = planned(search.graph_id, search.pool_version, fuse=review.fuse)
    n_open = sum(thread.resolved_at is None for thread in threads)
    return {
        **_entry(review, reasons, {"all": len(threads), "open": n_open}),
        "figures": _figures(review.summary, energy_sources_of(search)),
        "devices": device_marks(pool),
        "reasons": [{**reason.to_dict(), "at": reason.at} for reason in reasons],
        "approvals_needed": review.team.approvals_needed,
        "self_approval": review.team.self_approval,
        "may_be_asked": [one.user for one in approvers(review)],
        "may": blockers(review, membership, reasons),
        "threads": threads,
        "history": list(review.events.select_related("user")),
    }


def _entry(review: Review, reasons: list[Reason], counts: dict[str, int]) -> dict[str, Any]:
    standing = standing_of(review, reasons)
    return {
        **{
            name: getattr(review, name)
            for name in (
                "id", "search", "plan_hash", "plan_number", "state", "round", "created_at", "updated_at",
                "requested_at", "decided_at",
            )
        },
        "standing": standing,
        "stale_since": reasons[0].at if standing == STALE else None,
        "authors": _authors(review),
        "waits_for": waits_for(review, reasons),
        "reviewers": [_reviewer(one, review) for one in review.reviewers.all() if one.asked or _counts(one, review)],
        "n_open_threads": counts["open"],
        "n_threads": counts["all"],
    }  # fmt: skip


def _authors(review: Review) -> list[User]:
    people = {user.pk: user for user in (review.planned_by, review.requested_by) if user is not None}
    return [person for key, person in people.items() if key in authors(review)]


def _counts(one: Reviewer, review: Review) -> bool:
    return bool(one.decision) and one.round == review.round


def _reviewer(one: Reviewer, review: Review) -> dict[str, Any]:
    counts = _counts(one, review)
    return {
        "user": one.user,
        "asked": one.asked,
        "decision": one.decision if counts else "",
        "decided_at": one.decided_at if counts else None,
    }


def _figures(summary: dict[str, Any], energy_sources: list[str]) -> list[dict[str, Any]]:
    """The usual figures first, then what else the search was for."""
    values, multiples = summary.get("values", {}), summary.get("multiples", {})
    keys = [*FIGURES, *(key for key in values if key not in FIGURES)]
    known = {key: values.get(key, summary.get(key)) for key in keys}
    return [
        {
            "key": key,
            "value": value,
            "multiple": multiples.get(key),
            "sources": energy_sources if key == "energy_j" else [],
        }
        for key, value in known.items()
        if value is not None
    ]
