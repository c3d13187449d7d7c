"""Describes the session cookie and the tokens in the OpenAPI schema; imported with the URLs, for its effect."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The cookie's security scheme."""

    target_class = "apps.accounts.authentication.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return the OpenAPI security scheme object."""
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The personal tokens' security scheme."""

    target_class = "apps.accounts.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return the OpenAPI security scheme object."""
        return {"type": "http", "scheme": "bearer"}
