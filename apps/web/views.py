"""The index of the single-page application, as Vite built it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.templatetags.static import static
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

BUILT = Path(__file__).parent / "static" / "web"


@lru_cache(maxsize=2)
def _read(path: Path, changed_ns: int) -> bytes:
    return path.read_bytes()


@require_safe
@ensure_csrf_cookie
@cache_control(no_cache=True)
def index(request: HttpRequest, page: str) -> HttpResponse:
    """Answer every page of the application with its one document.

    The document is the one that Vite wrote beside its manifest: its tags name the hashed files and hold no inline
    script, so the Content-Security-Policy needs no nonce.
    """
    path = BUILT / "index.html"
    try:
        document = _read(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return render(request, "web/not_built.html", status=503)
    return HttpResponse(document)


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Lead browsers that ask for the old name to the icon."""
    return HttpResponsePermanentRedirect(static("web/icon.svg"))
