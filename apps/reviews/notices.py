"""Tells people and webhooks what happened to a review. Call it inside the transaction of what happened."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.utils import timezone

from apps.accounts.models import Team, User
from apps.reviews.deliveries import send_later
from apps.reviews.models import Delivery, Notification, Review, ReviewEvent, Thread, Webhook

EVENTS = (
    "review.requested",
    "review.approved",
    "review.changes_requested",
    "review.withdrawn",
    "review.stale",
    "comment.created",
    "thread.resolved",
)
PING = "ping"
MOST_TEXT = 2000
"""Letters of a comment that a notification or a webhook carries."""


def note(review: Review, kind: str, user: User | None, **details: Any) -> None:
    """Add a line to the review's history."""
    ReviewEvent.objects.create(review=review, user=user, kind=kind, details=details)


def tell(
    review: Review,
    kind: str,
    actor: User | None,
    to: Iterable[Any],
    *,
    thread: Thread | None = None,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Notify the people with these ids, never the one who did it, each once."""
    ids = dict.fromkeys(one for one in to if one is not None and (actor is None or one != actor.pk))
    Notification.objects.bulk_create(
        Notification(
            team_id=review.team_id,
            user_id=one,
            review=review,
            thread=thread,
            actor=actor,
            kind=kind,
            details=dict(details or {}),
        )
        for one in ids
    )


def publish(
    review: Review, event: str, actor: User | None, standing: str, details: Mapping[str, Any] | None = None
) -> None:
    """Queue a delivery to every webhook of the team that asked for this event."""
    hooks = [hook for hook in Webhook.objects.filter(team_id=review.team_id, active=True) if event in hook.events]
    if not hooks:
        return
    search = review.search
    about = {
        "id": str(review.pk),
        "url": f"{public_url()}/reviews/{review.pk}",
        "state": standing,
        "round": review.round,
        "plan": {"hash": review.plan_hash, "number": review.plan_number},
        "search": {"id": str(search.pk), "number": search.number, "model": search.model.name},
    }
    for hook in hooks:
        queue(hook, event, review.team, actor, {"review": about, "details": dict(details or {})})


def queue(hook: Webhook, event: str, team: Team, actor: User | None, content: Mapping[str, Any]) -> Delivery:
    """Queue one delivery: its body is written now, so that every attempt sends and signs the same bytes."""
    delivery = Delivery(webhook=hook, event=event)
    body = {
        "id": str(delivery.pk),
        "event": event,
        "at": timezone.now().isoformat(),
        "team": {"id": str(team.pk), "name": team.name},
        "actor": None if actor is None else {"id": str(actor.pk), "name": str(actor)},
        **content,
    }
    delivery.body = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    delivery.save(force_insert=True)
    send_later(delivery, 0.0)
    return delivery


def public_url() -> str:
    """Where people reach this server: what it wrote down when it started, else what it was told."""
    try:
        return settings.ADDRESS_FILE.read_text().strip() or settings.PUBLIC_URL
    except OSError:
        return settings.PUBLIC_URL
