"""Jobs that wait for their parts: queued again once, by the last part to end, whatever gets lost."""

import pytest

from apps.jobs import dispatch, leases, recovery, services
from apps.jobs.models import Job, JobState


@pytest.fixture(autouse=True)
def rung(monkeypatch):
    """The bell: every ring is noted and taken."""
    rings = []
    monkeypatch.setattr(dispatch, "ring", lambda job_id, queue: rings.append(job_id) or True)
    return rings


@pytest.fixture
def whole(team):
    """A job that waits for two parts."""
    job = services.submit("echo", team=team)
    lease = leases.claim(job.pk, "worker")
    for number in range(2):
        services.submit("echo", team=team, payload={"n": number}, parent=job.pk)
    assert leases.wait(lease, b"kept")
    job.refresh_from_db()
    return job


def state(job):
    job.refresh_from_db()
    return job.state


def end(part):
    assert leases.finish(leases.claim(part.pk, "worker"))


def test_the_last_part_to_end_queues_the_job_and_rings_once(whole, rung, django_capture_on_commit_callbacks):
    first, second = whole.parts.all()
    with django_capture_on_commit_callbacks(execute=True):
        end(first)
    assert (state(whole), rung) == (JobState.WAITING, [])
    with django_capture_on_commit_callbacks(execute=True):
        end(second)
    assert (state(whole), rung) == (JobState.QUEUED, [whole.pk])
    assert not leases.wake(whole.pk)
    assert (bytes(whole.checkpoint), whole.attempt) == (b"kept", 0)
    assert leases.claim(whole.pk, "worker").token == 2


def test_whoever_waited_has_lost_its_lease(team):
    job = services.submit("echo", team=team)
    lease = leases.claim(job.pk, "worker")
    assert leases.wait(lease, b"")
    assert not any((leases.renew(lease), leases.finish(lease), leases.wait(lease, b""), leases.release(lease)))
    assert state(job) == JobState.WAITING


def test_a_waiting_job_is_not_reaped_and_a_part_that_failed_counts_as_ended(whole):
    assert recovery.reap() == 0
    first, second = whole.parts.all()
    end(first)
    leases.fail(leases.claim(second.pk, "worker"), {"code": "x", "message": "", "hint": "", "params": {}})
    assert state(whole) == JobState.QUEUED


def test_the_reaper_wakes_a_job_whose_parts_are_gone_and_rings_where_the_bell_failed(
    whole, rung, monkeypatch, django_capture_on_commit_callbacks
):
    assert recovery.wake_waiting() == 0
    whole.parts.all().delete()
    with monkeypatch.context() as patch, django_capture_on_commit_callbacks(execute=True):
        patch.setattr(dispatch, "ring", lambda job_id, queue: False)
        assert recovery.wake_waiting() == 1
    assert (state(whole), whole.ring_after) == (JobState.QUEUED, None)
    assert recovery.ring_waiting() == 1
    assert rung == [whole.pk]


def test_cancelling_stops_queued_parts_tells_running_ones_and_then_runs_the_job_a_last_time(whole):
    running, _queued = whole.parts.all()
    lease = leases.claim(running.pk, "worker")
    assert services.cancel(whole.pk)
    assert sorted(whole.parts.values_list("state", flat=True)) == [JobState.RUNNING, JobState.STOPPED]
    assert whole.parts.get(state=JobState.RUNNING).cancel_requested
    assert state(whole) == JobState.WAITING
    assert leases.stop(lease)
    assert state(whole) == JobState.QUEUED
    assert services.cancel(whole.pk)
    assert (state(whole), whole.cancel_requested) == (JobState.QUEUED, True)
    assert leases.stop(leases.claim(whole.pk, "worker"))
    assert not services.cancel(whole.pk)


def test_a_job_that_is_told_to_stop_does_not_wait(team):
    job = services.submit("echo", team=team)
    lease = leases.claim(job.pk, "worker")
    services.cancel(job.pk)
    assert not leases.wait(lease, b"")
    assert state(job) == JobState.RUNNING


def test_a_stopped_job_with_parts_whose_worker_fell_silent_is_run_again(whole):
    for part in whole.parts.all():
        end(part)
    leases.claim(whole.pk, "worker")
    services.cancel(whole.pk)
    recovery.worker_died("worker")
    assert recovery.reap() == 1
    assert (state(whole), Job.objects.get(pk=whole.pk).cancel_requested) == (JobState.QUEUED, True)
