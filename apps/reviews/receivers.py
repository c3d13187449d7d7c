"""Notes when an approval turns stale (a pool or an edited plan was saved, a later search began or ended), and keeps
plans that were reviewed.
"""

from __future__ import annotations

import logging
import uuid
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.db.models.signals import post_save
from django.dispatch import receiver

from apps.jobs.models import Job
from apps.jobs.signals import job_ended
from apps.pools.models import PoolVersion
from apps.reviews import notices
from apps.reviews.models import Review, ReviewState
from apps.reviews.queries import all_reviews
from apps.reviews.staleness import reasons_of
from apps.reviews.standing import authors
from apps.searches.models import KeptPlan, Search
from apps.searches.services import SEARCH
from apps.searches.signals import kept_plan_leaves
from config.refusals import ConflictError

log = logging.getLogger(__name__)


@receiver(post_save, sender=PoolVersion, dispatch_uid="reviews.pool_saved")
def pool_saved(sender: type[PoolVersion], instance: PoolVersion, created: bool, **_: Any) -> None:
    """A new version of a pool: reviews of plans on it are looked at, once the whole version is written."""
    if created:
        transaction.on_commit(partial(look_again, Q(search__pool_version__pool_id=instance.pool_id)), robust=True)


@receiver(post_save, sender=KeptPlan, dispatch_uid="reviews.plan_kept")
def plan_kept(sender: type[KeptPlan], instance: KeptPlan, created: bool, **_: Any) -> None:
    """A plan that somebody made by hand from another one."""
    if created and instance.base:
        transaction.on_commit(partial(look_again, Q(search_id=instance.search_id)), robust=True)


@receiver(kept_plan_leaves, dispatch_uid="reviews.plan_leaves")
def plan_leaves(sender: type[KeptPlan], plan: KeptPlan, **_: Any) -> None:
    """A kept plan is to go: a review that nobody has used goes with it; any other is what a team agreed on.

    Raises 409 ``kept_plan_reviewed``.
    """
    review = Review.objects.select_for_update().filter(search=plan.search, plan_hash=plan.hash).first()
    if review is None:
        return
    if review.round or review.threads.exists():
        raise ConflictError(
            "kept_plan_reviewed",
            f"Plan {plan.number} was sent for review or discussed; without it nobody could tell what was said of.",
            hint="Leave it: plans beside the front change nothing in the front.",
            number=plan.number,
            review=str(review.pk),
        )
    review.delete()


@receiver(post_save, sender=Search, dispatch_uid="reviews.search_started")
def search_started(sender: type[Search], instance: Search, created: bool, **_: Any) -> None:
    """A search from another one's front: that one's reviews are looked at, and those that it came from."""
    if created and instance.warm_start_id is not None:
        transaction.on_commit(partial(_look_at_ancestors, instance.warm_start_id), robust=True)


@receiver(job_ended, dispatch_uid="reviews.search_ended")
def search_ended(sender: type[Job], job: Job, **_: Any) -> None:
    """The front of a later search is final: it may lack the reviewed plan."""
    if job.kind != SEARCH or job.object_id is None:
        return
    parent = Search.objects.filter(pk=job.object_id).values_list("warm_start_id", flat=True).first()
    if parent is not None:
        transaction.on_commit(partial(_look_at_ancestors, parent), robust=True)


def _look_at_ancestors(search_id: uuid.UUID | None) -> None:
    seen: list[uuid.UUID] = []
    while search_id is not None and search_id not in seen:
        seen.append(search_id)
        search_id = Search.objects.filter(pk=search_id).values_list("warm_start_id", flat=True).first()
    look_again(Q(search_id__in=seen))


def look_again(which: Q) -> None:
    """Write history and tell people, for each reason that is new since the review's last round began."""
    agreed = (ReviewState.APPROVED, ReviewState.IN_REVIEW)
    for review in all_reviews().filter(which, state__in=agreed):
        with transaction.atomic():
            Review.objects.select_for_update().only("pk").get(pk=review.pk)
            since = review.requested_at or review.created_at
            known = [event.details for event in review.events.filter(kind="stale", at__gte=since)]
            new = [reason.to_dict() for reason in reasons_of(review)]
            new = [reason for reason in new if not any(_same(reason, one) for one in known)]
            for reason in new:
                notices.note(review, "stale", None, **reason)
            if new and review.state == ReviewState.APPROVED:
                people = {*authors(review), *review.reviewers.exclude(decision="").values_list("user_id", flat=True)}
                notices.tell(review, "stale", None, people, details={"reasons": new})
                notices.publish(review, "review.stale", None, "stale", {"reasons": new})


def _same(reason: dict[str, Any], known: dict[str, Any]) -> bool:
    return all(reason[key] == known.get(key) for key in ("code", "params", "at"))
