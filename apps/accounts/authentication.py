"""Who is calling: a person by their session, or a program by a token."""

from __future__ import annotations

from rest_framework import authentication, exceptions
from rest_framework.request import Request

from apps.accounts.models import ApiToken, User
from apps.accounts.tokens import find_token, note_use


class SessionAuthentication(authentication.SessionAuthentication):
    """Django's session cookie with CSRF check; somebody who is not signed in gets 401, not 403."""

    def authenticate_header(self, request: Request) -> str:
        """Name the scheme, which makes DRF answer 401."""
        return "Session"


class TokenAuthentication(authentication.BaseAuthentication):
    """``Authorization: Bearer hopt_...``; the token is ``request.auth``. Cookies are not looked at then."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return the token's user; raise 401 ``token_unknown``, ``token_expired`` or ``token_revoked``."""
        scheme, _, secret = authentication.get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = find_token(secret.strip())
        if token is None or not token.user.is_active:
            raise exceptions.AuthenticationFailed("There is no such token.", code="token_unknown")
        if token.revoked_at is not None:
            raise exceptions.AuthenticationFailed("The token was revoked.", code="token_revoked")
        if not note_use(token):
            raise exceptions.AuthenticationFailed("The token has run out.", code="token_expired")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """Name the scheme."""
        return "Bearer"
