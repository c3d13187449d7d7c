"""Jobs that need a device of this host, on the simulated runtime in a process of its own."""

import functools

import pytest
from django.test import override_settings

from apps.accounts.models import Team
from apps.hosts.models import DeviceUse, HostDevice, OperatorMap
from apps.hosts.runs import Asker, start_map
from apps.jobs import services as jobs
from apps.jobs.models import JobState
from heteroopt.precision import operator_map
from heteroopt.runtimes.configuration import PluginConfiguration
from tests.apps.hosts.factories import device, healthy, reported_host
from workers import devices, tasks
from workers.host_runners import operator_map as _runner  # noqa: F401  (registers it)

pytestmark = pytest.mark.django_db


class Keeper:
    """What a job asks of the process that keeps the devices."""

    def ready(self, runtime):
        assert runtime == "simulated"

    def configuration(self, runtime):
        return PluginConfiguration(runtime, "heteroopt.runtimes.plugins.simulated.runtime:SimulatedRuntime")


@pytest.fixture
def row(monkeypatch):
    monkeypatch.setattr(devices, "_keeper", [Keeper()])
    few = functools.partial(operator_map.map_operators, only=("Relu", "Neg"))
    monkeypatch.setattr(operator_map, "map_operators", few)
    return HostDevice.objects.get(runtime__host=reported_host(healthy(device(0), name="simulated")))


def run(row) -> OperatorMap:
    made = start_map(row, Asker(Team.objects.get_or_create(name="team")[0]))
    with override_settings(JOB_RENEW_SECONDS=3600):
        assert tasks.run(made.job_id, "test")
    made.refresh_from_db()
    made.job.refresh_from_db()
    return made


def test_a_map_is_kept_with_the_fingerprint_it_was_made_with(row):
    made = run(row)
    assert (made.job.state, made.job.error) == (JobState.DONE, None)
    assert made.job.progress == {"done": 2, "total": 2, "phase": "operators"}
    assert {entry["op_type"]: entry["status"] for entry in made.body["operators"]} == {
        "Neg": "native",
        "Relu": "native",
    }
    use = DeviceUse.objects.get()
    assert (use.job_id, use.device, use.fingerprint_id) == (made.job_id, row, made.fingerprint_id)
    assert use.fingerprint.versions["python"]


def test_a_cordon_that_came_after_the_start_is_obeyed(row, monkeypatch):
    made = start_map(row, Asker(Team.objects.create(name="team")))
    HostDevice.objects.update(cordoned=True)
    with override_settings(JOB_RENEW_SECONDS=3600):
        tasks.run(made.job_id, "test")
    made.job.refresh_from_db()
    assert (made.job.state, made.job.error["code"]) == (JobState.FAILED, "device_cordoned")
    assert not DeviceUse.objects.exists()


def test_a_stopped_map_does_not_hide_a_whole_one(row, monkeypatch):
    whole = run(row)
    few = operator_map.map_operators

    def stopped(device, **more):
        jobs.cancel(OperatorMap.objects.first().job_id)
        return few(device, **more)

    monkeypatch.setattr(operator_map, "map_operators", stopped)
    made = run(row)
    assert (made.job.state, made.body) == (JobState.STOPPED, None)
    assert OperatorMap.objects.exclude(body=None).get() == whole
