"""Creates users and teams, and signs people in by one-time links."""

from __future__ import annotations

import datetime
import secrets

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from apps.accounts.models import Membership, SignInToken, Team, User
from apps.accounts.roles import Role
from apps.accounts.signals import workspace_ready
from apps.accounts.tokens import digest

SIGN_IN_LIFETIME = datetime.timedelta(hours=24)
OTHER_BROWSER_LIFETIME = datetime.timedelta(minutes=10)


def create_user(username: str, *, name: str = "", email: str = "") -> User:
    """Create a user without a password: they sign in by a link."""
    user = User(username=username, name=name or username, email=email)
    user.set_unusable_password()
    user.full_clean()
    user.save()
    return user


def free_username(name: str, email: str = "") -> str:
    """A user name that nobody has, after an address or a name."""
    base = (email or slugify(name, allow_unicode=True) or "member")[:140]
    taken = set(User.objects.filter(username__startswith=base).values_list("username", flat=True))
    return next(one for one in (base, *(f"{base}-{count}" for count in range(2, len(taken) + 3))) if one not in taken)


@transaction.atomic
def create_team(name: str, owner: User) -> Team:
    """Create a team with its first owner; once that is committed, the other apps load its samples."""
    team = Team.objects.create(name=name)
    Membership.objects.create(user=owner, team=team, role=Role.OWNER)
    transaction.on_commit(lambda: announce(team, owner))
    return team


def announce(team: Team, owner: User) -> None:
    """Send :data:`workspace_ready`. A receiver that fails is logged: a server without samples is still a server."""
    workspace_ready.send_robust(sender=Team, team=team, user=owner)


def ensure_workspace() -> User:
    """Return the first owner; on the first start create the user and the team ``local``.

    Safe when two processes start together: the second one finds the unique user name taken and reads it.
    """
    owner = first_owner()
    if owner is None:
        with transaction.atomic():
            user, created = User.objects.get_or_create(username="local", defaults={"name": "local", "password": "!"})
            if created:
                create_team("local", user)
        return user
    membership = owner.memberships.select_related("team").filter(role=Role.OWNER).order_by("created_at").first()
    if membership is not None:
        announce(membership.team, owner)
    return owner


def first_owner() -> User | None:
    """Return the active owner who joined first, if there is one."""
    return (
        User.objects.filter(is_active=True, memberships__role=Role.OWNER)
        .order_by("date_joined", "id")
        .distinct()
        .first()
    )


def issue_sign_in_token(user: User, lifetime: datetime.timedelta = SIGN_IN_LIFETIME) -> str:
    """Return a new one-time token; links that have run out are deleted on the way."""
    now = timezone.now()
    SignInToken.objects.filter(expires_at__lt=now).delete()
    token = secrets.token_urlsafe(24)
    SignInToken.objects.create(user=user, token_hash=digest(token), expires_at=now + lifetime)
    return token


def redeem_sign_in_token(token: str) -> User | None:
    """Return the token's user, once; ``None`` for a token that is unknown, used or too old."""
    now = timezone.now()
    hashed = digest(token)
    won = SignInToken.objects.filter(token_hash=hashed, used_at=None, expires_at__gt=now, user__is_active=True).update(
        used_at=now
    )
    if not won:
        return None
    return SignInToken.objects.select_related("user").get(token_hash=hashed).user
