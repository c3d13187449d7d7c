"""Searches whose workers are killed end with the fronts of undisturbed ones, byte for byte; on islands too."""

import signal

import pytest

from apps.jobs.models import Job, JobState
from apps.modelhub.models import ModelKind
from apps.modelhub.services import add_model
from apps.pools.services import add_pool
from apps.searches.models import Search, SearchFront
from apps.searches.planning import planning_of
from apps.searches.services import start_search
from heteroopt.devices.templates import load_sample_pool
from heteroopt.front.front import Front
from heteroopt.search import warm_up
from heteroopt.search.archipelago import search_on_islands
from heteroopt.search.settings import SearchSettings
from tests.apps.support import long_model, upload
from tests.workers.backends import team, wait_for
from tests.workers.services import wait_until
from tests.workers.test_jobs import ended, worker_of

SETTINGS = {"generations": 3000, "population_size": 48, "seed": 11}
ON_ISLANDS = {"generations": 20, "population_size": 192, "seed": 11, "islands": 3}
PATIENCE_S = 240.0
"""Only what hangs takes as long: every wait ends as soon as what it waits for is there."""


@pytest.fixture(scope="module", autouse=True)
def kernels():
    """Compile the kernels before workers start: with an empty cache each of them would, for minutes."""
    warm_up()


@pytest.fixture
def start(backend):
    """Return a function that starts a search of given settings, with two workers there."""
    backend.environment["HETEROOPT_RUNNERS"] = "workers.runners"
    backend.workers(2)
    model = add_model(team(), None, upload(long_model()), kind=ModelKind.ONNX)
    pool = add_pool(team(), None, load_sample_pool("workstation"))
    wait_for(model.job, ended, PATIENCE_S)
    model.refresh_from_db()
    return lambda settings: start_search(team(), None, model, pool, settings)


def front(search):
    return SearchFront.objects.get(search=search)


def test_a_killed_search_ends_with_the_same_front(backend, start):
    undisturbed, killed = start(SETTINGS), start(SETTINGS)
    job = Job.objects.get(pk=killed.job_id)

    def under_way(_):
        killed.refresh_from_db()
        return killed.generation >= 20

    wait_for(job, under_way, PATIENCE_S)
    backend.kill(worker_of(job))
    job = wait_for(job, ended, PATIENCE_S)
    assert (job.state, job.attempt, job.error) == (JobState.DONE, 2, None)
    assert wait_for(undisturbed.job, ended, PATIENCE_S).attempt == 1

    first, second = front(undisturbed), front(killed)
    assert bytes(first.data) == bytes(second.data)
    assert {**first.body, "revision": 0} == {**second.body, "revision": 0}
    found = Search.objects.filter(pk__in=[undisturbed.pk, killed.pk]).values_list(
        "outcome", "generation", "evaluations"
    )
    assert len(set(found)) == 1
    assert found[0][:2] == ("done", 3000)


def killed_amid_an_epoch(backend, job) -> bool:
    """Kill the worker that runs part of an epoch after the first, if one can be held while it does."""
    part = job.parts.filter(state=JobState.RUNNING, payload__epoch__gte=1).first()
    if part is None:
        return False
    worker = worker_of(part)
    backend.kill(worker, signal.SIGSTOP)
    held = Job.objects.filter(pk=part.pk, state=JobState.RUNNING, fencing_token=part.fencing_token).exists()
    backend.kill(worker, signal.SIGKILL if held else signal.SIGCONT)
    return held


def test_islands_end_with_the_same_front_when_a_worker_is_killed_amid_an_epoch(backend, start):
    search = start(ON_ISLANDS)
    job = Job.objects.get(pk=search.job_id)
    wait_until(lambda: killed_amid_an_epoch(backend, job), PATIENCE_S, "a worker is killed amid an epoch")
    job = wait_for(job, ended, PATIENCE_S)
    assert (job.state, job.error) == (JobState.DONE, None)
    assert not job.parts.exists()

    planning = planning_of(search)
    engine = SearchSettings.from_dict({**ON_ISLANDS, "mutation_prob": 0.15, "makespan_cap": 2.0})
    alone = search_on_islands(planning.problem, engine, processes=1)
    assert bytes(front(search).data) == Front.from_snapshot(alone, planning.problem).to_bytes()
    assert [tuple(entry) for entry in front(search).body["history"]] == list(alone.history)
