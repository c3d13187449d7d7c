"""What a team may see of the reviews, and what downloads say of a plan."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.http import HttpRequest
from rest_framework.request import Request

from apps.accounts.permissions import current_team
from apps.audit.services import get_visible_or_404
from apps.reviews.models import Comment, Review, Thread
from apps.reviews.standing import Approval, approval
from apps.searches.models import Search


def all_reviews() -> QuerySet[Review]:
    """Reviews of every team, with what their representation needs."""
    return (
        Review.objects.select_related(
            "team", "created_by", "requested_by", "planned_by", "search", "search__model",
            "search__created_by", "search__graph", "search__pool_version", "search__pool_version__pool",
        )
        .prefetch_related("reviewers__user")
        .defer("plan", "search__graph__data")
    )  # fmt: skip


def visible_reviews(request: HttpRequest | Request) -> QuerySet[Review]:
    """Reviews of the caller's team."""
    return all_reviews().filter(team=current_team(request))


def get_review(request: HttpRequest | Request, review_id: uuid.UUID) -> Review:
    """One review of the caller's team; 404 for any other."""
    return get_visible_or_404(request, all_reviews(), review_id)


def get_thread(request: HttpRequest | Request, thread_id: uuid.UUID) -> Thread:
    """One thread of the caller's team; 404 for any other."""
    return get_visible_or_404(
        request, Thread.objects.select_related("review__search__model", "review__team"), thread_id
    )


def get_comment(request: HttpRequest | Request, comment_id: uuid.UUID) -> Comment:
    """One comment of the caller's team that was not deleted; 404 for any other."""
    found = Comment.objects.filter(deleted_at=None).select_related("author", "thread__review__team")
    return get_visible_or_404(request, found, comment_id)


def approval_of(search: Search, plan_hash: str) -> Approval | None:
    """What the review of a plan says of it now; ``None`` where nobody has opened one."""
    review = all_reviews().filter(search=search, plan_hash=plan_hash).first()
    return None if review is None else approval(review)


def approvals_of(search: Search) -> dict[str, Approval]:
    """The same of every plan of a search that has a review, by the plan's hash."""
    return {review.plan_hash: approval(review) for review in all_reviews().filter(search=search)}
