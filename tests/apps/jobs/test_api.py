"""``/api/jobs/`` and ``/healthz``."""

import uuid

import pytest

from apps.audit.models import AuditEvent
from apps.jobs import dispatch, heartbeats, leases, services
from apps.jobs.models import Job, JobState


@pytest.fixture
def job(team, alice, monkeypatch):
    monkeypatch.setattr(dispatch, "ring", lambda job_id, queue: True)
    return services.submit("echo", team=team, created_by=alice, object_id=uuid.UUID(int=7))


def test_a_member_sees_where_a_job_is(viewer_client, job):
    lease = leases.claim(job.pk, "w")
    leases.progress(lease, {"generation": 3})
    leases.checkpoint(lease, b"secret")
    body = viewer_client.get(f"/api/jobs/{job.pk}/").json()
    assert (body["id"], body["kind"], body["object_id"]) == (str(job.pk), "echo", str(uuid.UUID(int=7)))
    assert (body["state"], body["progress"], body["attempt"]) == ("running", {"generation": 3}, 1)
    assert not {"checkpoint", "lease_owner", "fencing_token", "payload"} & body.keys()


def test_a_planner_stops_it(bob_client, bob, job):
    assert bob_client.post(f"/api/jobs/{job.pk}/stop/").json()["state"] == "stopped"
    event = AuditEvent.objects.get()
    assert (event.action, event.user, event.object_id, event.denied) == ("job.stop", bob, job.pk, False)
    assert bob_client.post(f"/api/jobs/{job.pk}/stop/").status_code == 200
    assert AuditEvent.objects.count() == 1


def test_a_viewer_does_not(viewer_client, job):
    answer = viewer_client.post(f"/api/jobs/{job.pk}/stop/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "permission_denied")


@pytest.mark.parametrize(("method", "path"), [("get", ""), ("post", "stop/")])
def test_another_team_finds_nothing(outsider_client, outsider, job, method, path):
    answer = getattr(outsider_client, method)(f"/api/jobs/{job.pk}/{path}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
    job.refresh_from_db()
    assert job.state == JobState.QUEUED
    event = AuditEvent.objects.get()
    assert (event.user, event.denied, event.object_id) == (outsider, True, job.pk)


def test_nobody_is_let_in_without_signing_in(anonymous_client, job):
    answer = anonymous_client.get(f"/api/jobs/{job.pk}/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "not_authenticated")


def test_healthz_names_what_failed(client, db, settings):
    body = client.get("/healthz").json()
    assert body == {"database": "ok", "broker": "ok", "workers": "failed", "workers_alive": 0}
    heartbeats.beat("host:1", "worker")
    heartbeats.beat("host:1", "worker")
    heartbeats.beat("host:2", "reaper")
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["workers_alive"]) == (200, 1)
    settings.BROKER_DIR = settings.BROKER_DIR / "gone"
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["broker"]) == (503, "failed")
    heartbeats.forget("host:1")
    assert client.get("/healthz").json()["workers"] == "failed"


def test_healthz_is_for_reading(client, db):
    assert client.post("/healthz").status_code == 405
    assert Job.objects.count() == 0
