"""What holds for every answer: the error format, the security headers, the limit on uploads."""

import asyncio
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import Http404
from rest_framework import exceptions

from config.body_limit import BodyLimit
from config.errors import exception_handler
from config.refusals import ConflictError
from heteroopt.errors import PoolError


def handled(error):
    answer = exception_handler(error, {})
    return answer.status_code, answer.data["error"]


def test_an_engine_error_is_a_bad_request():
    status, error = handled(PoolError("pool_bandwidth", "Too fast.", hint="Check the unit.", low=1, high=9))
    assert status == 400
    assert error == {
        "code": "pool_bandwidth",
        "message": "Too fast.",
        "hint": "Check the unit.",
        "params": {"low": 1, "high": 9},
    }


def test_a_refusal_of_the_web_side_has_its_own_status():
    status, error = handled(ConflictError("pool_in_use", "A search uses it.", hint="Stop it.", search=3))
    assert status == 409
    assert (error["code"], error["hint"], error["params"]) == ("pool_in_use", "Stop it.", {"search": 3})


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Http404(), 404, "not_found"),
        (exceptions.NotAuthenticated(), 401, "not_authenticated"),
        (exceptions.PermissionDenied("no", code="no_team"), 403, "no_team"),
        (exceptions.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (exceptions.ParseError(), 400, "parse_error"),
        (exceptions.Throttled(), 429, "throttled"),
    ],
)
def test_every_error_has_one_shape(error, status, code):
    found, body = handled(error)
    assert (found, body["code"], set(body)) == (status, code, {"code", "message", "hint", "params"})
    assert body["message"]


def test_a_validation_error_names_its_fields():
    status, error = handled(exceptions.ValidationError({"name": ["Too long."], "dims": {"N": ["Not a number."]}}))
    assert (status, error["code"]) == (400, "invalid")
    assert error["params"] == {"fields": {"name": ["Too long."], "dims": {"N": ["Not a number."]}}}


def test_a_defect_is_not_hidden():
    assert exception_handler(KeyError("x"), {}) is None


def test_an_unknown_path_of_the_api_answers_json(client, db):
    answer = client.get("/api/unheard-of/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_every_answer_keeps_the_browser_on_this_host(client, db):
    answer = client.get("/healthz")
    policy = answer["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "script-src 'self';" in policy
    assert "http" not in policy
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_the_documentation_pages_need_no_other_host(client, db):
    page = client.get("/api/docs/").content.decode()
    assert "//cdn" not in page
    assert "<script>" not in page
    assert "/static/drf_spectacular_sidecar/" in page


def test_writing_needs_the_csrf_token(alice):
    from tests.conftest import signed_in

    client = signed_in(alice, enforce_csrf_checks=True)
    answer = client.post("/api/jobs/00000000-0000-0000-0000-000000000000/stop/")
    assert answer.status_code == 403
    assert "CSRF" in answer.json()["error"]["message"]


async def limited(limit, chunks, declared=None):
    """Send ``chunks`` through the limit; return (status, body, bytes that the application saw)."""
    seen, sent = [], []

    async def application(scope, receive, send):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            seen.append(message["body"])
            if not message["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"fine"})

    messages = [
        {"type": "http.request", "body": chunk, "more_body": number < len(chunks)}
        for number, chunk in enumerate(chunks, start=1)
    ]

    async def receive():
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    headers = [] if declared is None else [(b"content-length", str(declared).encode())]
    await BodyLimit(application, limit)({"type": "http", "headers": headers}, receive, send)
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    return sent[0]["status"], sent[1]["body"], b"".join(seen)


def test_a_body_within_the_limit_passes():
    assert asyncio.run(limited(6, [b"abc", b"def"], 6)) == (200, b"fine", b"abcdef")


def test_a_declared_length_above_the_limit_is_refused_unread():
    status, body, seen = asyncio.run(limited(5, [b"abc", b"def"], 6))
    assert (status, seen) == (413, b"")
    error = json.loads(body)["error"]
    assert (error["code"], error["params"]) == ("upload_too_large", {"limit_bytes": 5})


def test_a_body_that_grows_past_the_limit_is_refused():
    status, _, seen = asyncio.run(limited(5, [b"abc", b"def", b"ghi"]))
    assert (status, seen) == (413, b"abc")


def test_a_file_above_the_limit_is_refused(alice_client, settings):
    settings.MAX_UPLOAD_BYTES = 1000
    answer = alice_client.post("/api/models/", {"file": SimpleUploadedFile("m.onnx", b"x" * 1001)}, format="multipart")
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "upload_too_large")


def test_a_json_body_above_the_limit_is_refused(alice_client, monkeypatch):
    monkeypatch.setattr("config.parsing.MAX_BODY_BYTES", 1000)
    answer = alice_client.post("/api/pools/validate/", data={"name": "x" * 2000}, format="json")
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "body_too_large"
