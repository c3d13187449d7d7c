"""Session authentication that answers 401, not 403, to somebody who is not signed in."""

from __future__ import annotations

from rest_framework import authentication
from rest_framework.request import Request


class SessionAuthentication(authentication.SessionAuthentication):
    """Django's session cookie with CSRF check."""

    def authenticate_header(self, request: Request) -> str:
        """Name the scheme, which makes DRF answer 401."""
        return "Session"
