"""Webhooks: public addresses only, whenever they are used; signed; tried again a limited number of times."""

import hashlib
import hmac
import http.server
import json
import socket
import threading

import pytest

from apps.jobs.models import Job
from apps.reviews import addresses, deliveries, posting
from apps.reviews.addresses import Target, check, is_public
from apps.reviews.models import Delivery, Webhook
from heteroopt.errors import HeteroOptError
from tests.apps.reviews.steps import code, requested
from tests.apps.support import run_jobs

PUBLIC = "93.184.216.34"
URL = "https://hooks.example.org/plans?a=1"


def resolves_to(monkeypatch, *found):
    """From now on every name leads to these addresses."""

    def lookup(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    monkeypatch.setattr(addresses.socket, "getaddrinfo", lookup)


@pytest.fixture
def public(monkeypatch):
    resolves_to(monkeypatch, PUBLIC)


@pytest.fixture
def sent(monkeypatch):
    """What was posted; ``sent.answers`` are the next statuses, 200 by default."""

    class Sent(list):
        pass

    posted = Sent()

    def post(target, body, headers, **_):
        posted.append((target, body, headers))
        answer = posted.answers.pop(0) if posted.answers else 200
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(deliveries.posting, "post", post)
    posted.answers = []
    return posted


def hook(client, url=URL, events=("review.requested",)):
    return client.post("/api/webhooks/", {"url": url, "events": list(events)}, "json")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
        "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "64:ff9b::10.0.0.1",
        "64:ff9b::7f00:1", "2002:7f00:1::", "2002:a00:1::1", "2001:0:4136:e378:8000:63bf:f5ff:fffe", "nonsense", "",
    ],
)  # fmt: skip
def test_addresses_that_are_not_of_the_public_internet_are_refused(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", [PUBLIC, "1.1.1.1", "2606:4700:4700::1111", "::ffff:93.184.216.34", "64:ff9b::101:101"]
)
def test_public_addresses_are_taken(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://localhost:8000/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
        "http://127.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/", "https://192.168.0.1/",
    ],
)  # fmt: skip
def test_private_addresses_are_refused_however_they_are_written(alice_client, url):
    assert code(hook(alice_client, url)) == (400, "webhook_private")
    assert Webhook.objects.count() == 0


@pytest.mark.parametrize(
    "url",
    [
        "ftp://hooks.example.org/", "file:///etc/passwd", "//hooks.example.org/", "hooks.example.org", "https://",
        "https://me:secret@hooks.example.org/", "https://hooks.example.org/#x", "https://hooks.example.org:0/",
        "https://hooks.example.org:99999/", "https://hooks example.org/", "https://hooks.example.org/\r\nX: 1",
        "https://hooks.example.org/ü", "gopher://1.1.1.1/", "https://[::1/",
    ],
)  # fmt: skip
def test_what_is_no_plain_http_url_is_refused(alice_client, public, url):
    assert code(hook(alice_client, url)) == (400, "webhook_url")


def test_a_name_with_one_private_address_is_refused_and_so_is_one_that_leads_nowhere(alice_client, monkeypatch):
    resolves_to(monkeypatch, PUBLIC, "10.0.0.1")
    assert code(hook(alice_client)) == (400, "webhook_private")

    def nowhere(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(addresses.socket, "getaddrinfo", nowhere)
    assert code(hook(alice_client)) == (400, "webhook_unresolved")


def test_the_secret_is_shown_once_and_stands_nowhere(alice_client, public, sent):
    answer = hook(alice_client)
    assert answer.status_code == 201
    secret = answer.json()["secret"]
    assert secret.startswith("whsec_") and len(secret) == 70
    assert secret not in json.dumps(list(Webhook.objects.values()), default=str)
    assert "secret" not in alice_client.get("/api/webhooks/").json()[0]
    path = f"/api/webhooks/{answer.json()['id']}/"
    renewed = alice_client.post(f"{path}secret/").json()["secret"]
    assert renewed != secret
    assert alice_client.post(f"{path}ping/").status_code == 202
    run_jobs()
    ((target, body, headers),) = sent
    stamp = headers["X-HeteroOpt-Timestamp"]
    expected = hmac.new(renewed.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    assert headers["X-HeteroOpt-Signature"] == f"v1={expected}"
    assert (target.address, target.host, target.path, target.port) == (PUBLIC, "hooks.example.org", "/plans?a=1", 443)
    assert json.loads(body)["event"] == "ping" == headers["X-HeteroOpt-Event"]
    assert json.loads(body)["id"] == headers["X-HeteroOpt-Delivery"]


def test_events_that_were_asked_for_are_sent_and_logged(alice_client, bob_client, search, public, sent):
    made = hook(alice_client).json()
    review = requested(bob_client, search)
    bob_client.post(
        f"/api/reviews/{review['id']}/threads/", {"anchor": {"kind": "plan"}, "body": "not asked for"}, "json"
    )
    run_jobs()
    ((_, body, _),) = sent
    content = json.loads(body)
    assert (content["event"], content["actor"]["name"]) == ("review.requested", "bob")
    assert content["review"]["plan"]["hash"] == review["plan_hash"]
    assert content["review"]["url"].endswith(f"/reviews/{review['id']}")
    (logged,) = alice_client.get(f"/api/webhooks/{made['id']}/deliveries/").json()["results"]
    assert (logged["state"], logged["status"], logged["attempts"], logged["error"]) == ("done", 200, 1, None)


def test_what_does_not_arrive_is_tried_again_until_the_limit(alice_client, public, sent):
    made = hook(alice_client).json()
    sent.answers[:] = [500, posting.PostError("timed out"), 302, 404, 429, 503]
    alice_client.post(f"/api/webhooks/{made['id']}/ping/")
    bodies = set()
    for attempt in range(1, 7):
        job = Job.objects.filter(kind="deliver_webhook", state="queued").get()
        # All but the first wait for the reaper.
        assert job.rings == (1 if attempt == 1 else 0)
        run_jobs_once(job)
        delivery = Delivery.objects.get()
        assert delivery.attempts == attempt
        bodies.add(sent[-1][1])
    assert not Job.objects.filter(kind="deliver_webhook", state="queued").exists()
    assert (delivery.state, delivery.status, delivery.error["code"]) == ("failed", 503, "webhook_status")
    assert len(bodies) == 1


def run_jobs_once(job):
    """Do one job, and not those that it queues."""
    from django.test import override_settings

    from workers import tasks
    from workers.registry import load_runners

    load_runners()
    with override_settings(JOB_RENEW_SECONDS=3600):
        assert tasks.run(job.pk, "test")


def test_a_name_that_has_come_to_lead_home_is_not_called(alice_client, public, sent, monkeypatch):
    made = hook(alice_client).json()
    resolves_to(monkeypatch, "127.0.0.1")
    alice_client.post(f"/api/webhooks/{made['id']}/ping/")
    run_jobs()
    delivery = Delivery.objects.get()
    assert (sent, delivery.state, delivery.error["code"]) == ([], "failed", "webhook_private")


def test_one_that_is_switched_off_is_not_called(alice_client, public, sent, bob_client, search):
    made = hook(alice_client).json()
    path = f"/api/webhooks/{made['id']}/"
    alice_client.post(f"{path}ping/")
    assert alice_client.patch(path, {"active": False}, "json").json()["active"] is False
    requested(bob_client, search)
    run_jobs()
    assert (sent, Delivery.objects.get().error["code"]) == ([], "webhook_off")
    assert alice_client.delete(path).status_code == 204
    assert Delivery.objects.count() == 0


@pytest.mark.parametrize("who", ["bob_client", "reviewer_client", "viewer_client"])
def test_only_owners_see_and_set_webhooks(alice_client, request, public, who):
    made = hook(alice_client).json()
    client = request.getfixturevalue(who)
    assert code(hook(client)) == (403, "permission_denied")
    assert client.get("/api/webhooks/").status_code == 403
    for method, path in (("patch", ""), ("delete", ""), ("post", "secret/"), ("post", "ping/"), ("get", "deliveries/")):
        assert getattr(client, method)(f"/api/webhooks/{made['id']}/{path}").status_code == 403


class Receiver(http.server.BaseHTTPRequestHandler):
    """Answers with what its server says, and keeps what it was sent."""

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        self.server.got.append((self.path, dict(self.headers), self.rfile.read(length)))
        self.send_response(self.server.status)
        self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


@pytest.fixture
def receiver():
    server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
    server.got, server.status = [], 200
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def test_the_socket_goes_to_the_checked_address_whatever_the_name_says(receiver):
    port = receiver.server_address[1]
    target = Target("http", "no-such-name.invalid", port, "/in?x=1", "127.0.0.1")
    assert posting.post(target, b"{}", {"X-A": "b"}) == 200
    ((path, headers, body),) = receiver.got
    assert (path, headers["Host"], headers["X-A"], body) == ("/in?x=1", f"no-such-name.invalid:{port}", "b", b"{}")


def test_redirects_are_not_followed_and_silence_is_an_error(receiver):
    port = receiver.server_address[1]
    receiver.status = 302
    assert posting.post(Target("http", "h", port, "/", "127.0.0.1"), b"", {}) == 302
    assert len(receiver.got) == 1
    with pytest.raises(posting.PostError):
        posting.post(Target("https", "h", port, "/", "127.0.0.1"), b"", {})
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = free.getsockname()[1]
    with pytest.raises(posting.PostError):
        posting.post(Target("http", "h", closed, "/", "127.0.0.1"), b"", {})


def test_the_address_that_was_checked_is_the_one_that_is_used(monkeypatch):
    resolves_to(monkeypatch, PUBLIC, "1.1.1.1")
    assert check(URL).address == PUBLIC
    assert check("http://hooks.example.org").host_header == "hooks.example.org"
    assert check("http://hooks.example.org:81/x").host_header == "hooks.example.org:81"
    with pytest.raises(HeteroOptError):
        check("https://hooks.example.org/" + "x" * 1000)
