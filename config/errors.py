"""Every API error has one shape: ``{"error": {"code", "message", "hint", "params"}}``."""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from config.refusals import WebError
from heteroopt.errors import HeteroOptError

log = logging.getLogger(__name__)


def error_body(code: str, message: str, hint: str = "", params: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the body of an error answer."""
    return {"error": {"code": code, "message": message, "hint": hint, "params": params or {}}}


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's hook. ``HeteroOptError`` becomes 400, a ``WebError`` its own status; what is nobody's fault stays a 500."""
    headers: dict[str, str] = {}
    if isinstance(error, HeteroOptError):
        status = error.http_status if isinstance(error, WebError) else 400
        body: dict[str, Any] = {"error": error.to_dict()}
    elif isinstance(error, Http404):
        status, body = 404, error_body("not_found", "There is nothing here, or it is not yours to see.")
    elif isinstance(error, PermissionDenied):
        status, body = 403, error_body("permission_denied", "Your role does not allow this.")
    elif isinstance(error, UnreadablePostError):
        # Nobody is there to read it, unless the sender only fell silent.
        status, body = 408, error_body("body_cut", "The request's body did not arrive in full.", "Send it again.")
    elif isinstance(error, exceptions.ValidationError):
        status = 400
        body = error_body("invalid", "Some values are missing or wrong.", params={"fields": _plain(error.detail)})
    elif isinstance(error, exceptions.APIException):
        status = error.status_code
        code = error.get_codes()
        body = error_body(code if isinstance(code, str) else error.default_code, str(error.detail))
        if getattr(error, "auth_header", None):
            headers["WWW-Authenticate"] = error.auth_header  # type: ignore[attr-defined]
        if getattr(error, "wait", None):
            headers["Retry-After"] = str(int(error.wait))  # type: ignore[attr-defined]
    else:
        return None
    set_rollback()
    return Response(body, status=status, headers=headers)


def _plain(detail: Any) -> Any:
    """Return a validation error's detail as plain text in the same lists and dictionaries."""
    if isinstance(detail, dict):
        return {str(key): _plain(value) for key, value in detail.items()}
    if isinstance(detail, list):
        return [_plain(value) for value in detail]
    return str(detail)


def _answer(request: HttpRequest, status: int, code: str, message: str) -> HttpResponse:
    if request.path.startswith("/api/"):
        return JsonResponse(error_body(code, message), status=status)
    return HttpResponse(f"{message}\n", status=status, content_type="text/plain; charset=utf-8")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400 outside DRF."""
    return _answer(request, 400, "bad_request", "The request cannot be understood.")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 403 outside DRF."""
    return _answer(request, 403, "permission_denied", "This is not allowed.")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404 outside DRF."""
    return _answer(request, 404, "not_found", "There is nothing here, or it is not yours to see.")


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500; the cause is in the log."""
    return _answer(request, 500, "server_error", "The server failed. Its log says why.")
