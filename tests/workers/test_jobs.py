"""Jobs on real workers: a row is the truth, so nothing is lost, done twice or written by the wrong process."""

import signal

import pytest
from django.db import connection
from django.test import override_settings

from apps.jobs import dispatch, health, services
from apps.jobs.models import JobState
from tests.workers.backends import team, wait_for
from tests.workers.example_runners import count_digest

SLOW = {"to": 60, "seconds": 0.03}


def submit(kind, **payload):
    return services.submit(kind, team=team(), payload=payload)


def ended(job):
    return job.is_final


def worker_of(job) -> int:
    return int(job.lease_owner.rpartition(":")[2])


def counting(job):
    return job.progress.get("value", 0) >= 5


def test_a_job_is_done(backend):
    backend.workers(1)
    job = wait_for(submit("echo", answer=42), ended)
    assert (job.state, job.progress, job.attempt, job.error) == (JobState.DONE, {"answer": 42}, 1, None)
    assert job.created_at <= job.started_at <= job.finished_at
    assert job.lease_expires_at is None


def test_a_killed_workers_job_goes_on_from_its_checkpoint(backend):
    backend.workers(2)
    job = wait_for(submit("count", **SLOW), counting)
    first = worker_of(job)
    backend.kill(first)
    job = wait_for(job, ended)
    assert (job.state, job.attempt) == (JobState.DONE, 2)
    assert job.progress["digest"] == count_digest(60)
    assert job.progress["resumed_at"] >= 5
    assert job.progress["pid"] != first
    assert job.checkpoint is None


def test_a_worker_that_lost_its_lease_writes_nothing(backend):
    backend.workers(2)
    job = wait_for(submit("count", **SLOW), counting)
    first, token = worker_of(job), job.fencing_token
    backend.kill(first, signal.SIGSTOP)
    wait_for(job, lambda job: job.fencing_token > token and counting(job))
    backend.kill(first, signal.SIGCONT)
    job = wait_for(job, ended)
    assert (job.state, job.attempt) == (JobState.DONE, 2)
    assert job.progress["digest"] == count_digest(60)
    assert job.progress["pid"] != first
    # It noticed, and does the next job.
    backend.workers(2)
    assert wait_for(submit("echo", after=1), ended).progress == {"after": 1}


def test_a_running_job_stops_and_keeps_what_it_has(backend):
    backend.workers(1)
    job = wait_for(submit("count", to=10_000, seconds=0.02), counting)
    assert services.cancel(job.pk)
    job = wait_for(job, ended, 5)
    assert (job.state, job.error) == (JobState.STOPPED, None)
    assert job.progress["digest"] == count_digest(job.progress["value"])
    assert not services.cancel(job.pk)


def test_a_worker_that_is_asked_to_end_gives_its_job_back(backend):
    backend.workers(2)
    job = wait_for(submit("count", **SLOW), counting)
    first = worker_of(job)
    backend.kill(first, signal.SIGTERM)
    assert backend.processes[first].wait(timeout=10) == 0
    job = wait_for(job, ended)
    # An orderly end is nobody's fault and does not count as an attempt.
    assert (job.state, job.attempt) == (JobState.DONE, 1)
    assert job.progress["digest"] == count_digest(60)
    assert job.progress["pid"] != first


@pytest.mark.production
@pytest.mark.parametrize("backend", ["production"], indirect=True)
def test_a_job_survives_the_loss_of_its_connections(backend):
    backend.workers(1)
    job = wait_for(submit("count", **SLOW), counting)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        assert cursor.fetchone()[0] >= 1
    job = wait_for(job, ended)
    assert (job.state, job.attempt) == (JobState.DONE, 1)
    assert job.progress["digest"] == count_digest(60)


def test_three_attempts_and_no_more(backend):
    job = submit("die")

    def ended_with_a_worker_at_hand(job):
        backend.workers(1)
        return job.is_final

    wait_for(job, ended_with_a_worker_at_hand)
    assert (job.state, job.attempt) == (JobState.FAILED, 3)
    assert job.error["code"] == "job_attempts_exhausted"
    assert job.error["params"]["attempts"] == 3


def test_an_error_for_the_user_is_kept_as_it_is(backend):
    backend.workers(1)
    job = wait_for(submit("refuse"), ended)
    assert (job.state, job.attempt) == (JobState.FAILED, 1)
    assert job.error == {
        "code": "model_empty",
        "message": "The file has no operator.",
        "hint": "Export it again.",
        "params": {"bytes": 0},
    }


def test_a_defect_fails_at_once_and_shows_no_details(backend):
    backend.workers(1)
    job = wait_for(submit("defect"), ended)
    assert (job.state, job.attempt, job.error["code"]) == (JobState.FAILED, 1, "job_internal_error")
    assert "secret detail" not in str(job.error)


def test_an_unknown_kind_fails(backend):
    backend.workers(1)
    job = wait_for(submit("unheard-of"), ended)
    assert (job.state, job.error["code"]) == (JobState.FAILED, "job_kind_unknown")


def test_a_job_submitted_while_the_broker_is_down_is_done_later(backend):
    backend.workers(1)
    with override_settings(
        CELERY_BROKER_URL="redis://127.0.0.1:1/0", CELERY_BROKER_TRANSPORT_OPTIONS={"max_retries": 1}
    ):
        dispatch.celery_app.cache_clear()
        assert not dispatch.broker_answers()
        job = submit("echo", late=True)
    dispatch.celery_app.cache_clear()
    job.refresh_from_db()
    assert dispatch.broker_answers()
    assert wait_for(job, ended).progress == {"late": True}


def test_a_lost_message_is_sent_again(backend, monkeypatch):
    backend.workers(1)
    monkeypatch.setattr(dispatch, "ring", lambda job_id, queue: True)
    monkeypatch.setattr(services, "RING_AGAIN_SECONDS", 0.1)
    assert wait_for(submit("echo", again=True), ended).progress == {"again": True}


def test_healthz_sees_all_three_parts(backend, rf):
    backend.workers(1)
    answer = health.healthz(rf.get("/healthz"))
    assert answer.status_code == 200
    with override_settings(JOB_LEASE_SECONDS=-3600.0):
        answer = health.healthz(rf.get("/healthz"))
    assert answer.status_code == 503
    assert b'"database": "ok", "broker": "ok", "workers": "failed"' in answer.content
