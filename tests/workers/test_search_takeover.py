"""A search whose worker is killed ends with the front of an undisturbed one, byte for byte."""

from apps.jobs.models import Job, JobState
from apps.modelhub.models import ModelKind
from apps.modelhub.services import add_model
from apps.pools.services import add_pool
from apps.searches.models import Search, SearchFront
from apps.searches.services import start_search
from heteroopt.devices.templates import load_sample_pool
from tests.apps.support import long_model, upload
from tests.workers.backends import team, wait_for
from tests.workers.test_jobs import ended, worker_of

SETTINGS = {"generations": 3000, "population_size": 48, "seed": 11}


def test_a_killed_search_ends_with_the_same_front(backend):
    backend.environment["HETEROOPT_RUNNERS"] = "workers.runners"
    backend.workers(2)
    model = add_model(team(), None, upload(long_model()), kind=ModelKind.ONNX)
    pool = add_pool(team(), None, load_sample_pool("workstation"))
    wait_for(model.job, ended, 60)
    model.refresh_from_db()

    def search():
        return start_search(team(), None, model, pool, SETTINGS)

    def front(found):
        return SearchFront.objects.get(search=found)

    undisturbed, killed = search(), search()
    job = Job.objects.get(pk=killed.job_id)

    def under_way(_):
        killed.refresh_from_db()
        return killed.generation >= 20

    wait_for(job, under_way, 60)
    backend.kill(worker_of(job))
    job = wait_for(job, ended, 60)
    assert (job.state, job.attempt, job.error) == (JobState.DONE, 2, None)
    assert wait_for(undisturbed.job, ended, 60).attempt == 1

    first, second = front(undisturbed), front(killed)
    assert bytes(first.data) == bytes(second.data)
    assert {**first.body, "revision": 0} == {**second.body, "revision": 0}
    found = Search.objects.filter(pk__in=[undisturbed.pk, killed.pk]).values_list(
        "outcome", "generation", "evaluations"
    )
    assert len(set(found)) == 1
    assert found[0][:2] == ("done", 3000)
