"""Server-sent events: a search's progress as its row changes, resumable by the revision in ``Last-Event-ID``."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from typing import Any

from asgiref.sync import sync_to_async
from django.db import close_old_connections
from django.db.models import F
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.modelhub.api import ERRORS
from apps.searches.models import Search
from apps.searches.queries import get_search, progress_of
from apps.searches.serializers import SearchProgressSerializer
from config.rendering import StrictJSONRenderer

POLL_SECONDS = 0.1
HEARTBEAT_SECONDS = 15.0
LIFETIME_SECONDS = 900.0
"""A stream ends after this time, so that lost access ends it too; browsers reconnect by themselves."""


class AnyAccept(BaseContentNegotiation):
    """``EventSource`` accepts nothing but an event stream; errors are JSON all the same."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """The first parser."""
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        """The first renderer."""
        return renderers[0], renderers[0].media_type


class SearchEventsView(APIView):
    """The stream of one search."""

    content_negotiation_class = AnyAccept
    renderer_classes: tuple[type[BaseRenderer], ...] = (StrictJSONRenderer,)

    @extend_schema(
        operation_id="searches_events",
        tags=["searches"],
        parameters=[
            OpenApiParameter(
                "Last-Event-ID",
                OpenApiTypes.STR,
                OpenApiParameter.HEADER,
                description="revision that the caller has seen; nothing older is sent again",
            )
        ],
        responses={(200, "text/event-stream"): OpenApiTypes.STR, 204: None, **ERRORS},
    )
    def get(self, request: Request, search_id: uuid.UUID) -> HttpResponseBase:
        """Stream ``progress`` events (data: SearchProgress) until the search ends; 204 if all of it has been seen."""
        search = get_search(request, search_id)
        seen = _revision(request.headers.get("Last-Event-ID"))
        if search.is_final and seen is not None and seen >= search.revision:
            return HttpResponse(status=204)
        response = StreamingHttpResponse(stream(search.id, seen), content_type="text/event-stream")
        response["Cache-Control"] = "no-store"
        response["X-Accel-Buffering"] = "no"
        return response


def _revision(value: str | None) -> int | None:
    return int(value) if value is not None and value.isascii() and value.isdigit() and len(value) < 19 else None


async def stream(search_id: uuid.UUID, seen: int | None) -> AsyncIterator[bytes]:
    """Events of a search from revision ``seen`` on: at most one per poll, comments to keep the connection open."""
    yield b"retry: 1000\n\n"
    ends_at = time.monotonic() + LIFETIME_SECONDS
    written_at = time.monotonic()
    while time.monotonic() < ends_at:
        event = await sync_to_async(_next_event)(search_id, seen)
        if event is not None:
            seen, text, final = event
            yield text
            written_at = time.monotonic()
            if final:
                return
        elif time.monotonic() - written_at >= HEARTBEAT_SECONDS:
            yield b": still here\n\n"
            written_at = time.monotonic()
        await asyncio.sleep(POLL_SECONDS)


def _next_event(search_id: uuid.UUID, seen: int | None) -> tuple[int, bytes, bool] | None:
    """``(revision, event, final)`` if the search has changed since ``seen``, or was deleted."""
    close_old_connections()
    try:
        revision = Search.objects.filter(pk=search_id).values_list(F("changes") + F("job__revision"), flat=True).first()
        if revision is not None and seen is not None and revision <= seen:
            return None
        search = progress_of(search_id)
        if search is None:
            return (seen or 0) + 1, b"event: deleted\ndata: {}\n\n", True
        data = StrictJSONRenderer().render(SearchProgressSerializer(search).data)
        text = b"event: progress\nid: %d\ndata: %s\n\n" % (search.revision, data)
        return search.revision, text, search.is_final
    finally:
        close_old_connections()
