"""Invitation links: made, looked at, accepted by somebody new or by somebody who is signed in."""

from __future__ import annotations

import datetime
import secrets

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from apps.accounts.models import Invite, Membership, Team, User
from apps.accounts.services import create_user, free_username
from apps.accounts.tokens import digest
from config.refusals import ConflictError, WebError

MOST_DAYS, MOST_USES, MOST_OPEN = 90, 100, 100


def open_invites(team: Team) -> QuerySet[Invite]:
    """Invitations that can still be accepted, newest first."""
    return Invite.objects.select_related("created_by").filter(
        team=team, revoked_at=None, expires_at__gt=timezone.now(), uses__lt=F("max_uses")
    )


def make_invite(team: Team, user: User, *, role: str, days: int, max_uses: int, note: str) -> tuple[Invite, str]:
    """Return an invitation and its secret, which cannot be read again. Raises 409 ``invites_too_many``."""
    if open_invites(team).count() >= MOST_OPEN:
        raise ConflictError(
            "invites_too_many",
            f"There are {MOST_OPEN} open invitations.",
            hint="Withdraw one that is not needed.",
            limit=MOST_OPEN,
        )
    secret = secrets.token_urlsafe(24)
    invite = Invite.objects.create(
        team=team,
        role=role,
        note=note,
        created_by=user,
        token_hash=digest(secret),
        max_uses=max_uses,
        expires_at=timezone.now() + datetime.timedelta(days=days),
    )
    return invite, secret


def revoke(invites: QuerySet[Invite]) -> None:
    """Make invitations useless from now on."""
    invites.filter(revoked_at=None).update(revoked_at=timezone.now())


def find_invite(secret: str) -> Invite:
    """The open invitation with this secret. Raises 404 ``invite_gone``: unknown, run out, used up or withdrawn."""
    found = (
        Invite.objects.select_related("team", "created_by")
        .filter(token_hash=digest(secret), revoked_at=None, expires_at__gt=timezone.now(), uses__lt=F("max_uses"))
        .first()
    )
    if found is None:
        raise WebError(
            "invite_gone",
            "This invitation does not hold, or holds no longer.",
            http_status=404,
            hint="Ask an owner of the team for a new one.",
        )
    return found


@transaction.atomic
def accept(secret: str, user: User | None, *, name: str = "", email: str = "") -> Membership:
    """Join the team, as ``user`` or as somebody new called ``name``.

    Raises 404 ``invite_gone``, 409 ``already_member`` and ``email_taken``.
    """
    from apps.accounts.members import join

    invite = find_invite(secret)
    if user is None:
        if email and User.objects.filter(email__iexact=email).exists():
            raise ConflictError(
                "email_taken",
                "Somebody with this address has an account already.",
                hint="Sign in first, then open the invitation again.",
            )
        user = create_user(free_username(name, email), name=name, email=email)
    membership = join(user, invite.team, invite.role)
    # Two people at once on the last use: the condition lets one of them through.
    won = Invite.objects.filter(pk=invite.pk, uses__lt=F("max_uses"), revoked_at=None).update(uses=F("uses") + 1)
    if not won:
        find_invite(secret)
    return membership
