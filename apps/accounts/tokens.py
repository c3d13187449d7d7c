"""Personal tokens for the REST API: made, found by their hash, revoked."""

from __future__ import annotations

import datetime
import hashlib
import secrets

from django.db.models import QuerySet
from django.utils import timezone

from apps.accounts.models import ApiToken, Team, User
from config.refusals import ConflictError

PREFIX = "hopt_"
MOST_DAYS = 366
MOST_TOKENS = 50
USE_NOTED_EVERY = datetime.timedelta(minutes=1)


def digest(secret: str) -> str:
    """SHA-256 (hex); secrets are random and long, so that no slow hash is needed."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def current_tokens(user: User, team: Team) -> QuerySet[ApiToken]:
    """The user's tokens of a team that were not revoked, newest first."""
    return ApiToken.objects.filter(user=user, team=team, revoked_at=None)


def make_token(user: User, team: Team, *, name: str, scope: str, days: int) -> tuple[ApiToken, str]:
    """Return a new token and its secret, which cannot be read again. Raises 409 ``tokens_too_many``."""
    if current_tokens(user, team).count() >= MOST_TOKENS:
        raise ConflictError(
            "tokens_too_many",
            f"You have {MOST_TOKENS} tokens.",
            hint="Revoke one that is no longer used.",
            limit=MOST_TOKENS,
        )
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        team=team,
        name=name,
        scope=scope,
        start=secret[: len(PREFIX) + 5],
        token_hash=digest(secret),
        expires_at=timezone.now() + datetime.timedelta(days=days),
    )
    return token, secret


def find_token(secret: str) -> ApiToken | None:
    """The token with this secret, used up or not."""
    return ApiToken.objects.select_related("user").filter(token_hash=digest(secret)).first()


def note_use(token: ApiToken) -> bool:
    """Note that the token is used now (once a minute); ``False`` if it has run out."""
    now = timezone.now()
    if token.expires_at <= now:
        return False
    if token.last_used_at is None or now - token.last_used_at >= USE_NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return True


def revoke(tokens: QuerySet[ApiToken]) -> None:
    """Make tokens useless from now on."""
    tokens.filter(revoked_at=None).update(revoked_at=timezone.now())
