"""Webhooks of a team: set, changed, given a new secret, tried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from apps.accounts.models import Team, User
from apps.reviews import notices, signing
from apps.reviews.addresses import check
from apps.reviews.models import Delivery, Webhook
from config.refusals import ConflictError

MOST_WEBHOOKS = 20


def add_webhook(team: Team, user: User, *, url: str, events: list[str]) -> tuple[Webhook, str]:
    """Return a new webhook and its secret, which is shown this once.

    Raises ``webhook_url``, ``webhook_unresolved``, ``webhook_private``, 409 ``webhooks_too_many``.
    """
    check(url)
    if Webhook.objects.filter(team=team).count() >= MOST_WEBHOOKS:
        raise ConflictError(
            "webhooks_too_many",
            f"The team has {MOST_WEBHOOKS} webhooks.",
            hint="Delete one that is not needed.",
            limit=MOST_WEBHOOKS,
        )
    hook = Webhook.objects.create(team=team, created_by=user, url=url, events=events, nonce=signing.new_nonce())
    return hook, signing.secret_of(hook)


def change_webhook(hook: Webhook, fields: Mapping[str, Any]) -> Webhook:
    """Change URL, events or whether it is on. Raises as :func:`add_webhook`."""
    if "url" in fields:
        check(fields["url"])
    for name, value in fields.items():
        setattr(hook, name, value)
    hook.save(update_fields=list(fields))
    return hook


def new_secret(hook: Webhook) -> str:
    """Replace the secret and return the new one; the old one signs nothing from now on."""
    hook.nonce = signing.new_nonce()
    hook.save(update_fields=["nonce"])
    return signing.secret_of(hook)


@transaction.atomic
def ping(hook: Webhook, user: User) -> Delivery:
    """Queue a message that says nothing but that it arrives."""
    return notices.queue(hook, notices.PING, hook.team, user, {"webhook": str(hook.pk)})
