"""What people do with a review: open it, send it for review, decide, take it back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from apps.accounts.members import members_who_may
from apps.accounts.models import Membership, User
from apps.accounts.roles import APPROVE
from apps.reviews import notices
from apps.reviews.models import Decision, Review, Reviewer, ReviewState
from apps.reviews.queries import all_reviews
from apps.reviews.refusals import REFUSALS
from apps.reviews.staleness import basis_of, reasons_of
from apps.reviews.standing import approvers, authors, blockers, decided_state, decisions
from config.refusals import ConflictError, WebError

if TYPE_CHECKING:
    from apps.searches.fronts import StoredPlan
    from apps.searches.models import Search


def open_review(search: Search, plan: StoredPlan, user: User) -> tuple[Review, bool]:
    """The review of a plan of a search that has ended, and whether it is new. Raises 409 ``review_search_running``."""
    if not search.is_final:
        raise ConflictError(
            "review_search_running",
            "The search still runs, so that its plans may yet change.",
            hint="Wait until it is done, or stop it.",
        )
    front = plan.front.plans
    kept = search.kept_plans.filter(hash=plan.summary["hash"]).first() if "kept" in plan.summary else None
    review, made = Review.objects.get_or_create(
        search=search,
        plan_hash=plan.summary["hash"],
        defaults={
            "team": search.team,
            "plan_number": plan.summary["number"],
            "summary": plan.summary,
            "plan": front.orders[plan.row].astype("<i4").tobytes() + front.devices[plan.row].astype("<i4").tobytes(),
            "fuse": search.settings["fuse"] if plan.fuse is None else plan.fuse,
            "planned_by": search.created_by if kept is None else kept.created_by,
            "created_by": user,
        },
    )
    if made:
        notices.note(review, "opened", user)
    return all_reviews().get(pk=review.pk), made


@transaction.atomic
def request_review(review: Review, membership: Membership, reviewers: Sequence[User]) -> Review:
    """Send a plan for review, from now on with what lies beneath it now.

    ``reviewers``: who is asked; without any, everybody who may approve it. Raises 409 ``review_under_way``,
    400 ``reviewer_unfit`` for somebody who may not approve it.
    """
    review = _locked(review)
    _allowed(review, membership, "request")
    user = membership.user
    review.requested_by = user
    may = {one.user_id for one in approvers(review)}
    for person in reviewers:
        if person.pk not in may:
            raise WebError(
                "reviewer_unfit",
                f"{person} may not approve this plan.",
                http_status=400,
                hint="Choose a reviewer or an owner who did not plan it.",
                name=str(person),
            )
    review.state, review.round = ReviewState.IN_REVIEW, review.round + 1
    review.requested_at, review.decided_at, review.basis = timezone.now(), None, basis_of(review.search)
    review.save()
    asked = {person.pk for person in reviewers}
    review.reviewers.exclude(user_id__in=asked).update(asked=False)
    for person in reviewers:
        Reviewer.objects.update_or_create(review=review, user=person, defaults={"asked": True})
    notices.note(review, "requested", user, reviewers=[str(person) for person in reviewers], round=review.round)
    notices.tell(review, "requested", user, asked or may)
    notices.publish(review, "review.requested", user, review.state)
    return review


@transaction.atomic
def withdraw(review: Review, membership: Membership) -> Review:
    """Make a draft of it again; decisions of the round do not count any more."""
    review = _locked(review)
    _allowed(review, membership, "withdraw")
    told = {one.user_id for one in review.reviewers.all() if one.asked or one.round == review.round}
    review.state, review.decided_at = ReviewState.DRAFT, None
    review.save()
    # No decision is of the round after the last.
    Reviewer.objects.filter(review=review, round=review.round).update(decision="")
    notices.note(review, "withdrawn", membership.user)
    notices.tell(review, "withdrawn", membership.user, told)
    notices.publish(review, "review.withdrawn", membership.user, review.state)
    return review


@transaction.atomic
def decide(review: Review, membership: Membership, decision: str, *, plan_hash: str, round: int) -> Review:
    """Approve the plan, or ask for changes. ``plan_hash`` and ``round`` say what the person has looked at.

    Raises 403 ``review_own_plan``, 409 ``review_moved_on`` (another round, another plan), ``review_is_draft``,
    ``review_outdated``, ``review_decided``.
    """
    review = _locked(review)
    if plan_hash != review.plan_hash or round != review.round:
        raise ConflictError(
            "review_moved_on",
            "The review has moved on since you looked at it.",
            hint="Read it again, then decide.",
        )
    approves = decision == Decision.APPROVED
    _allowed(review, membership, "approve" if approves else "request_changes")
    user, now = membership.user, timezone.now()
    Reviewer.objects.update_or_create(
        review=review, user=user, defaults={"decision": decision, "round": review.round, "decided_at": now}
    )
    review = _locked(review)
    review.state = decided_state([one.decision for one in decisions(review)], review.team.approvals_needed)
    review.decided_at = None if review.state == ReviewState.IN_REVIEW else now
    review.save()
    notices.note(review, str(decision), user, round=review.round)
    notices.tell(review, str(decision), user, authors(review))
    if review.state == ReviewState.IN_REVIEW:
        return review
    notices.publish(review, f"review.{review.state}", user, review.state)
    return review


def people_to_ask(membership: Membership) -> list[User]:
    """Members of the team who approve plans."""
    return [one.user for one in members_who_may(membership.team, APPROVE)]


def _locked(review: Review) -> Review:
    """The review as it is now, while nobody else changes it."""
    Review.objects.select_for_update().only("pk").get(pk=review.pk)
    return all_reviews().get(pk=review.pk)


def _allowed(review: Review, membership: Membership, action: str) -> None:
    code = blockers(review, membership, reasons_of(review))[action]
    if code is not None:
        raise REFUSALS[code]()
