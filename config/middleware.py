"""The Content-Security-Policy header: a page loads nothing from any other host."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

# Plotly writes style attributes; pictures of charts are saved through blob: and data: URLs.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

Response = HttpResponseBase | Awaitable[HttpResponseBase]


class ContentSecurityPolicy:
    """Adds the policy to every response; works in synchronous and asynchronous stacks, so that SSE never blocks."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Response]) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Response:
        if self.is_async:
            return self._call_async(request)
        return self._mark(cast(HttpResponseBase, self.get_response(request)))

    async def _call_async(self, request: HttpRequest) -> HttpResponseBase:
        return self._mark(await cast("Awaitable[HttpResponseBase]", self.get_response(request)))

    @staticmethod
    def _mark(response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response
