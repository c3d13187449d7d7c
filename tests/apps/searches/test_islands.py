"""A search on islands, its jobs done in this process, one by one in any order."""

import random

import pytest

import heteroopt as hopt
from apps.jobs import leases, recovery, services
from apps.jobs.clock import later
from apps.jobs.models import Job, JobState
from apps.pools.marks import load_pool
from apps.searches.models import Island, Search, SearchFront
from heteroopt.front.front import Front
from heteroopt.search.archipelago import search_on_islands
from heteroopt.search.packing import unpack
from heteroopt.search.settings import SearchSettings
from tests.apps.support import add_model, add_pool, long_model, run_jobs, start_search
from workers import tasks
from workers.islands import EpochRunner
from workers.registry import load_runners

SETTINGS = {"population_size": 16, "generations": 6, "seed": 3, "islands": 3}


@pytest.fixture
def model(alice_client):
    return add_model(alice_client, long_model())


@pytest.fixture
def pool(alice_client):
    return add_pool(alice_client)


@pytest.fixture(autouse=True)
def unkept(settings):
    """The lease keeper's thread stays idle, as it would wait for the test's transaction."""
    settings.JOB_RENEW_SECONDS = 3600
    load_runners()


def step(job_id=None, owner="test"):
    """Do one queued job: the given one, or the oldest."""
    jobs = Job.objects.filter(state=JobState.QUEUED).order_by("created_at")
    job = jobs.first() if job_id is None else jobs.get(pk=job_id)
    assert tasks.run(job.pk, owner)
    return job


def front_bytes(search):
    return bytes(SearchFront.objects.get(search_id=search["id"]).data)


def read(client, search):
    return client.get(f"/api/searches/{search['id']}/").json()


def job_of(search):
    return Job.objects.get(search__pk=search["id"])


def test_the_front_is_that_of_the_engine_and_does_not_depend_on_the_order_of_the_jobs(alice_client, model, pool):
    settings = {**SETTINGS, "generations": 2}
    search = start_search(alice_client, model, pool, settings)
    assert search["settings"]["islands"] == 3
    run_jobs()
    done = read(alice_client, search)
    assert (done["state"], done["outcome"], done["generation"]) == ("done", "done", 2)
    history = alice_client.get(f"/api/searches/{search['id']}/front/").json()["history"]
    assert [entry[0] for entry in history] == [0, 1, 2]
    assert search["islands"] == {"count": 3, "epoch": 0, "epochs": 0, "migrated": 0}

    shuffled, chance = start_search(alice_client, model, pool, settings), random.Random(2)
    while queued := list(Job.objects.filter(state=JobState.QUEUED).values_list("pk", flat=True)):
        step(chance.choice(sorted(queued)))
    assert front_bytes(shuffled) == front_bytes(search)

    row = Search.objects.get(pk=search["id"])
    graph = hopt.Graph.from_onnx(long_model())
    problem = hopt.Scheduler(graph, load_pool(row.pool_version.spec)).problem
    alone = search_on_islands(problem, SearchSettings.from_dict(settings), processes=1)
    assert Front.from_snapshot(alone, problem).to_bytes() == front_bytes(search)


def test_one_island_is_the_search_without_islands(alice_client, model, pool):
    one = start_search(alice_client, model, pool, {**SETTINGS, "islands": 1})
    without = start_search(alice_client, model, pool, {key: SETTINGS[key] for key in SETTINGS if key != "islands"})
    run_jobs()
    assert front_bytes(one) == front_bytes(without)
    assert read(alice_client, one)["islands"] is None
    assert Job.objects.filter(kind="search_island").count() == 0


def test_between_two_epochs_nothing_runs_and_the_search_shows_how_far_it_is(alice_client, model, pool):
    search = start_search(alice_client, model, pool, SETTINGS)
    step()
    first = read(alice_client, search)
    assert (first["state"], first["generation"], first["front_revision"]) == ("running", 0, 1)
    assert first["n_plans"] >= 1
    job = job_of(search)
    assert (job.state, job.lease_owner, job.lease_expires_at) == (JobState.WAITING, "", None)
    assert sorted(part.payload["island"] for part in job.parts.all()) == [0, 1, 2]
    for expected in (JobState.WAITING, JobState.WAITING, JobState.QUEUED):
        assert step().parent_id == job.pk
        assert job_of(search).state == expected
    after = read(alice_client, search)
    assert (after["state"], after["generation"]) == ("running", 1)
    assert after["revision"] > first["revision"]
    assert first["islands"] == {"count": 3, "epoch": 0, "epochs": 6, "migrated": 0}
    assert after["islands"] == first["islands"]
    step()
    leaving = [unpack(bytes(island.immigrants))[1]["orders"] for island in Island.objects.all()]
    moved = read(alice_client, search)
    assert moved["islands"] == {"count": 3, "epoch": 1, "epochs": 6, "migrated": sum(map(len, leaving))}
    assert moved["islands"]["migrated"] >= 3
    assert moved["revision"] > after["revision"]
    run_jobs()
    done = read(alice_client, search)
    assert done["state"] == "done"
    assert (done["islands"]["epoch"], done["islands"]["epochs"]) == (6, 6)
    assert done["islands"]["migrated"] > moved["islands"]["migrated"]
    assert Island.objects.count() == 0
    assert Job.objects.exclude(kind="parse_model").count() == 1


def test_an_island_that_lost_its_worker_goes_on_where_it_was(alice_client, model, pool, monkeypatch):
    undisturbed = start_search(alice_client, model, pool, SETTINGS)
    run_jobs()
    search = start_search(alice_client, model, pool, {**SETTINGS})
    step()

    def dies(self, engine):
        self.job.checkpoint(engine.checkpoint())
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(EpochRunner, "_go_on", dies)
        step()
    # The same once more, after the epoch's state was written and before the job could be ended.
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(leases, "finish", lambda lease: (_ for _ in ()).throw(KeyboardInterrupt))
        step()
    assert Job.objects.filter(state=JobState.RUNNING, kind="search_island").count() == 2
    Job.objects.filter(state=JobState.RUNNING).update(lease_expires_at=later(-1))
    assert recovery.reap() == 2
    run_jobs()
    assert read(alice_client, search)["state"] == "done"
    assert front_bytes(search) == front_bytes(undisturbed)


def test_a_search_that_lost_its_worker_between_two_epochs_makes_the_next_one_once(
    alice_client, model, pool, monkeypatch
):
    undisturbed = start_search(alice_client, model, pool, SETTINGS)
    run_jobs()
    search = start_search(alice_client, model, pool, SETTINGS)
    for _ in range(4):
        step()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(leases, "wait", lambda lease, data: (_ for _ in ()).throw(KeyboardInterrupt))
        step()
    job = job_of(search)
    assert job.state == JobState.RUNNING
    assert job.parts.filter(state=JobState.QUEUED).count() == 0
    Job.objects.filter(pk=job.pk).update(lease_expires_at=later(-1))
    recovery.reap()
    step()
    assert sorted((part.payload["epoch"], part.payload["island"]) for part in job.parts.all()) == [
        (1, 0), (1, 1), (1, 2),
    ]  # fmt: skip
    run_jobs()
    assert front_bytes(search) == front_bytes(undisturbed)


def test_an_epoch_that_is_asked_for_twice_counts_once(alice_client, model, pool):
    undisturbed = start_search(alice_client, model, pool, SETTINGS)
    run_jobs()
    search = start_search(alice_client, model, pool, SETTINGS)
    step()
    part = step()
    services.submit(
        "search_island", team=job_of(search).team, object_id=search["id"], payload=part.payload, parent=part.parent_id
    )
    run_jobs()
    assert front_bytes(search) == front_bytes(undisturbed)


def test_stopping_keeps_what_the_islands_have_found(alice_client, model, pool):
    search = start_search(alice_client, model, pool, SETTINGS)
    for _ in range(5):
        step()
    half_way = read(alice_client, search)
    step()
    assert alice_client.post(f"/api/searches/{search['id']}/stop/").status_code == 202
    assert Job.objects.filter(kind="search_island").exclude(state__in=("stopped", "done")).count() == 0
    run_jobs()
    stopped = read(alice_client, search)
    assert (stopped["state"], stopped["outcome"]) == ("stopped", "stopped")
    assert stopped["hypervolume"] >= half_way["hypervolume"]
    assert Front.from_bytes(front_bytes(search)).feasible
    assert Island.objects.count() == 0


def test_stopping_between_two_epochs_and_while_one_is_made(alice_client, model, pool, monkeypatch):
    searches = [start_search(alice_client, model, pool, SETTINGS) for _ in range(2)]
    step(job_of(searches[0]).pk)
    for part in job_of(searches[0]).parts.all():
        step(part.pk)
    assert job_of(searches[0]).state == JobState.QUEUED
    alice_client.post(f"/api/searches/{searches[0]['id']}/stop/")
    assert job_of(searches[0]).state == JobState.QUEUED

    waits = leases.wait

    def stopped_first(lease, data):
        services.cancel(lease.job_id)
        return waits(lease, data)

    with monkeypatch.context() as patch:
        patch.setattr(leases, "wait", stopped_first)
        step(job_of(searches[1]).pk)
    run_jobs()
    for search in searches:
        done = read(alice_client, search)
        assert (done["state"], done["outcome"]) == ("stopped", "stopped")
        assert done["n_plans"] >= 1


def test_a_part_is_stopped_with_the_whole(alice_client, model, pool):
    search = start_search(alice_client, model, pool, SETTINGS)
    step()
    part = job_of(search).parts.first()
    assert alice_client.post(f"/api/jobs/{part.pk}/stop/").status_code == 200
    run_jobs()
    assert read(alice_client, search)["state"] == "stopped"


def test_an_island_that_fails_fails_the_search_which_keeps_its_front(alice_client, model, pool):
    search = start_search(alice_client, model, pool, SETTINGS)
    step()
    part = job_of(search).parts.first()
    lease = leases.claim(part.pk, "test")
    leases.fail(lease, {"code": "job_memory", "message": "No memory.", "hint": "", "params": {}})
    run_jobs()
    failed = read(alice_client, search)
    assert (failed["state"], failed["error"]["code"]) == ("failed", "job_memory")
    assert failed["n_plans"] >= 1
    assert Island.objects.count() == 0


def test_a_deleted_search_leaves_no_jobs_that_run_on(alice_client, model, pool):
    search = start_search(alice_client, model, pool, SETTINGS)
    step()
    assert alice_client.delete(f"/api/searches/{search['id']}/").status_code == 204
    run_jobs()
    assert Island.objects.count() == 0
    assert not Job.objects.exclude(state__in=("done", "stopped")).exists()


def test_the_number_of_islands_is_checked(alice_client, model, pool):
    body = {"model": model["id"], "pool": pool["id"], "settings": {"islands": 65}}
    assert alice_client.post("/api/searches/", body, "json").status_code == 400
