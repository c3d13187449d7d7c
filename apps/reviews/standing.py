"""What a review amounts to now, who it waits for, and who may do what with it."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from apps.accounts.members import members, members_who_may
from apps.accounts.models import Membership, User
from apps.accounts.roles import APPROVE, COMMENT, PLAN
from apps.reviews.models import Decision, Review, Reviewer, ReviewState
from apps.reviews.staleness import Reason, reasons_of

STALE = "stale"


@dataclass(frozen=True, slots=True)
class Approval:
    """What downloads carry of a review: ``state`` as in the page (``stale`` where what it approved has changed)."""

    state: str
    plan_hash: str
    by: tuple[str, ...]
    at: datetime.datetime | None
    stale: bool
    reasons: tuple[Reason, ...]
    review_id: str

    def to_dict(self) -> dict[str, Any] | None:
        """Return what stands in a file: ``None`` unless somebody approved the plan."""
        if self.state not in (ReviewState.APPROVED, STALE):
            return None
        return {
            "state": self.state,
            "plan": self.plan_hash,
            "by": list(self.by),
            "at": None if self.at is None else self.at.isoformat(),
            "stale": self.stale,
            "reasons": [reason.to_dict() for reason in self.reasons],
            "review": self.review_id,
        }


def decisions(review: Review) -> list[Reviewer]:
    """Decisions of the current round."""
    return [one for one in review.reviewers.all() if one.decision and one.round == review.round]


def decided_state(given: Iterable[str], needed: int) -> ReviewState:
    """The state that decisions of one round amount to: one request for changes outweighs every approval."""
    listed = list(given)
    if Decision.CHANGES_REQUESTED in listed:
        return ReviewState.CHANGES_REQUESTED
    return ReviewState.APPROVED if listed.count(Decision.APPROVED) >= needed else ReviewState.IN_REVIEW


def standing_of(review: Review, reasons: list[Reason]) -> str:
    """The state, or ``stale`` for an approval beneath which something has changed."""
    return STALE if review.state == ReviewState.APPROVED and reasons else str(review.state)


def approval(review: Review) -> Approval:
    """What the review says of its plan."""
    reasons = reasons_of(review)
    state = standing_of(review, reasons)
    by = tuple(str(one.user) for one in decisions(review) if one.decision == Decision.APPROVED)
    approved = review.state == ReviewState.APPROVED
    return Approval(
        state=state,
        plan_hash=review.plan_hash,
        by=by if approved else (),
        at=review.decided_at if approved else None,
        stale=state == STALE,
        reasons=tuple(reasons) if approved else (),
        review_id=str(review.pk),
    )


def authors(review: Review) -> set[Any]:
    """Ids of those whose plan it is: who searched or made it by hand, and who sent it for review."""
    return {one for one in (review.planned_by_id, review.requested_by_id) if one is not None}


def waits_for(review: Review, reasons: list[Reason]) -> list[User]:
    """Whose turn it is: reviewers who have not decided, or the authors where they must act; nobody once agreed."""
    state = standing_of(review, reasons)
    if state == ReviewState.APPROVED:
        return []
    if state == ReviewState.IN_REVIEW and not reasons:
        done = {one.user_id for one in decisions(review)}
        may = [one.user for one in approvers(review)]
        asked = {one.user_id for one in review.reviewers.all() if one.asked}
        return [user for user in may if user.pk not in done and (not asked or user.pk in asked)]
    mine = authors(review) or {review.created_by_id}
    return [one.user for one in members(review.team) if one.user_id in mine]


def approvers(review: Review) -> list[Membership]:
    """Members who may approve this plan."""
    listed = members_who_may(review.team, APPROVE)
    return list(listed if review.team.self_approval else listed.exclude(user_id__in=authors(review)))


def blockers(review: Review, membership: Membership, reasons: list[Reason]) -> dict[str, str | None]:
    """By action the code of what keeps the member from it, ``None`` for what they may do now.

    The page shows the code's text beside the button; the services refuse with the same code.
    """
    may = membership.permissions
    plans = None if PLAN in may else "permission_denied"
    decides = None if APPROVE in may else "permission_denied"
    draft = "review_is_draft" if review.state == ReviewState.DRAFT else None
    own = None if review.team.self_approval or membership.user_id not in authors(review) else "review_own_plan"
    outdated = "review_outdated" if reasons else None
    mine = next((one.decision for one in decisions(review) if one.user_id == membership.user_id), "")
    agreed = review.state in (ReviewState.IN_REVIEW, ReviewState.APPROVED) and not reasons
    return {
        "request": plans or ("review_under_way" if agreed else None),
        "withdraw": plans or draft,
        "approve": decides or draft or own or outdated or ("review_decided" if mine == Decision.APPROVED else None),
        "request_changes": decides or draft or ("review_decided" if mine == Decision.CHANGES_REQUESTED else None),
        "comment": None if COMMENT in may else "permission_denied",
    }
