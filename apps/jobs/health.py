"""``/healthz``: whether database, broker and workers answer."""

from __future__ import annotations

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.jobs import dispatch, heartbeats


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer ``{"database", "broker", "workers"}`` as ``ok`` or ``failed``; 503 if one failed."""
    workers = 0
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        workers = heartbeats.alive("worker")
        database = True
    except DatabaseError:
        database = False
    parts = {
        "database": database,
        "broker": dispatch.broker_answers(),
        # A deployment that runs no workers on purpose is healthy without any.
        "workers": database and (workers > 0 or settings.WORKERS == 0),
    }
    body: dict[str, object] = {name: "ok" if good else "failed" for name, good in parts.items()}
    return JsonResponse({**body, "workers_alive": workers}, status=200 if all(parts.values()) else 503)
