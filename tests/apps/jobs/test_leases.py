"""Claims, tokens and endings, one UPDATE each."""

import pytest

from apps.jobs import dispatch, leases, recovery, services
from apps.jobs.clock import later
from apps.jobs.models import Job, JobState
from apps.jobs.signals import job_ended


@pytest.fixture(autouse=True)
def rung(monkeypatch):
    """The bell: every ring is noted and taken."""
    rings = []
    monkeypatch.setattr(dispatch, "ring", lambda job_id, queue: rings.append((job_id, queue)) or True)
    return rings


@pytest.fixture
def endings():
    ended = []

    def receiver(job, **_):
        ended.append((job.pk, job.state))

    job_ended.connect(receiver)
    yield ended
    job_ended.disconnect(receiver)


@pytest.fixture
def job(team):
    return services.submit("echo", team=team, payload={"n": 1})


def expire(job):
    Job.objects.filter(pk=job.pk).update(lease_expires_at=later(-1))


def state(job):
    job.refresh_from_db()
    return job.state


def test_submit_rings_on_commit_only(team, rung, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as callbacks:
        job = services.submit("echo", team=team)
    assert rung == []
    callbacks[0]()
    assert rung == [(job.pk, "heteroopt")]


def test_one_claim_wins(job):
    first, second = leases.claim(job.pk, "first"), leases.claim(job.pk, "second")
    assert second is None
    assert (first.token, state(job), job.attempt, job.lease_owner) == (1, JobState.RUNNING, 1, "first")
    assert job.started_at is not None


def test_a_claim_that_comes_second_at_the_row_loses(job, monkeypatch):
    """Both read the same token; whoever updates second changes no row."""
    real = leases.Job.objects.filter

    def filter_after_somebody_else(*args, **kwargs):
        if "fencing_token" in kwargs:
            monkeypatch.undo()
            assert leases.claim(job.pk, "faster") is not None
        return real(*args, **kwargs)

    monkeypatch.setattr(leases.Job.objects, "filter", filter_after_somebody_else)
    assert leases.claim(job.pk, "slower") is None
    job.refresh_from_db()
    assert (job.lease_owner, job.attempt, job.fencing_token) == ("faster", 1, 1)


def test_an_old_token_changes_nothing(job, endings):
    old = leases.claim(job.pk, "old")
    expire(job)
    assert recovery.reap() == 1
    new = leases.claim(job.pk, "new")
    assert new.token == old.token + 1
    for act in (
        lambda: leases.renew(old),
        lambda: leases.progress(old, {"by": "old"}),
        lambda: leases.checkpoint(old, b"old"),
        lambda: leases.finish(old),
        lambda: leases.stop(old),
        lambda: leases.fail(old, {}),
        lambda: leases.release(old),
    ):
        assert act() is False
    assert (state(job), job.progress, job.checkpoint, endings) == (JobState.RUNNING, {}, None, [])
    assert leases.progress(new, {"by": "new"}) and leases.finish(new)
    assert (state(job), job.progress) == (JobState.DONE, {"by": "new"})
    assert endings == [(job.pk, "done")]


def test_an_expired_lease_that_nobody_took_can_be_renewed(job):
    lease = leases.claim(job.pk, "slow")
    expire(job)
    assert leases.renew(lease)
    assert recovery.reap() == 0


def test_every_visible_change_has_a_revision(job):
    lease = leases.claim(job.pk, "w")
    revisions = []
    for act in (
        leases.renew,
        lambda it: leases.progress(it, {"n": 1}),
        lambda it: leases.checkpoint(it, b"x"),
        leases.finish,
    ):
        act(lease)
        job.refresh_from_db()
        revisions.append(job.revision)
    assert revisions == [2, 3, 3, 4]


def test_three_attempts(job, endings):
    for attempt in (1, 2, 3):
        assert leases.claim(job.pk, "w") is not None
        expire(job)
        recovery.reap()
        job.refresh_from_db()
        assert job.attempt == attempt
    assert (job.state, job.error["code"], job.error["params"]) == (
        JobState.FAILED,
        "job_attempts_exhausted",
        {"attempts": 3, "worker": "w"},
    )
    assert endings == [(job.pk, "failed")]
    assert recovery.reap() == 0


def test_a_checkpoint_survives_until_the_end(job):
    lease = leases.claim(job.pk, "w")
    leases.checkpoint(lease, b"half")
    leases.release(lease)
    job.refresh_from_db()
    assert (job.state, job.attempt, bytes(job.checkpoint)) == (JobState.QUEUED, 0, b"half")
    leases.finish(leases.claim(job.pk, "w"))
    job.refresh_from_db()
    assert job.checkpoint is None


def test_cancel(job, team, endings):
    assert services.cancel(job.pk)
    assert (state(job), endings) == (JobState.STOPPED, [(job.pk, "stopped")])
    assert not services.cancel(job.pk)
    assert leases.claim(job.pk, "w") is None

    running = services.submit("echo", team=team)
    leases.claim(running.pk, "w")
    assert services.cancel(running.pk)
    assert (state(running), running.cancel_requested) == (JobState.RUNNING, True)
    # Its worker is dead: it is stopped and not tried again.
    expire(running)
    recovery.reap()
    assert state(running) == JobState.STOPPED


def test_a_receiver_that_fails_keeps_the_job_open(job):
    def fail(**_):
        raise RuntimeError("receiver")

    lease = leases.claim(job.pk, "w")
    job_ended.connect(fail)
    try:
        with pytest.raises(RuntimeError, match="receiver"):
            leases.finish(lease)
    finally:
        job_ended.disconnect(fail)
    assert state(job) == JobState.RUNNING
    assert leases.finish(lease)


def test_the_reaper_rings_for_jobs_that_wait(job, rung):
    assert recovery.ring_waiting() == 0
    Job.objects.update(ring_after=None)
    assert recovery.ring_waiting() == 1
    assert recovery.ring_waiting() == 0
    job.refresh_from_db()
    assert (rung, job.rings) == ([(job.pk, "heteroopt")], 2)
    first_wait = job.ring_after
    Job.objects.update(ring_after=None)
    recovery.ring_waiting()
    job.refresh_from_db()
    # Twice as long as before, so that a long queue is not flooded with messages.
    assert job.ring_after > first_wait


def test_a_silent_bell_is_left_for_the_reaper(team, monkeypatch, django_capture_on_commit_callbacks):
    monkeypatch.setattr(dispatch, "ring", lambda job_id, queue: False)
    with django_capture_on_commit_callbacks(execute=True):
        job = services.submit("echo", team=team)
    job.refresh_from_db()
    assert (job.state, job.ring_after) == (JobState.QUEUED, None)
    assert recovery.ring_waiting() == 0
    monkeypatch.setattr(dispatch, "ring", lambda job_id, queue: True)
    assert recovery.ring_waiting() == 1


def test_a_dead_workers_jobs_are_freed_at_once(job, team):
    other = services.submit("echo", team=team)
    leases.claim(job.pk, "dead")
    leases.claim(other.pk, "alive")
    recovery.worker_died("dead")
    assert recovery.reap() == 1
    assert (state(job), state(other)) == (JobState.QUEUED, JobState.RUNNING)
