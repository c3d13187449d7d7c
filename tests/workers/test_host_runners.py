"""Jobs that need a device of this host, on the simulated runtime in a process of its own."""

import pytest
from django.test import override_settings

from apps.accounts.models import Team
from apps.hosts.models import DeviceUse, HostDevice, OperatorMap, PrecisionRun
from apps.hosts.runs import Asker, Side, start_loss, start_map, start_operators
from apps.jobs.models import Job, JobState
from heteroopt.runtimes.configuration import PluginConfiguration
from tests.apps.hosts.factories import device, fingerprint, healthy, reported_host
from workers import devices, tasks
from workers.host_runners import operator_map, precision

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
    return HostDevice.objects.get(runtime__host=reported_host(healthy(device(0), name="simulated")))


def run(row) -> OperatorMap:
    made = start_map(row, Asker(Team.objects.get_or_create(name="team")[0]))
    Job.objects.filter(pk=made.job_id).update(payload={"only": ["Abs", "Neg", "Relu"]})
    with override_settings(JOB_RENEW_SECONDS=3600):
        assert tasks.run(made.job_id, "test")
    made.refresh_from_db()
    made.job.refresh_from_db()
    return made


def test_a_map_is_kept_with_the_fingerprint_it_was_made_with(row):
    made = run(row)
    assert (made.job.state, made.job.error) == (JobState.DONE, None)
    assert made.job.progress == {"done": 3, "total": 3, "phase": "operators"}
    assert {entry["op_type"]: entry["status"] for entry in made.body["operators"]} == {
        "Abs": "native",
        "Neg": "native",
        "Relu": "native",
    }
    assert made.body["not_supported"] == {}
    use = DeviceUse.objects.get()
    assert (use.job_id, use.device, use.fingerprint_id) == (made.job_id, row, made.fingerprint_id)
    assert use.fingerprint.versions["python"]


def test_a_cordon_that_came_after_the_start_is_obeyed(row):
    made = start_map(row, Asker(Team.objects.create(name="team")))
    HostDevice.objects.update(cordoned=True)
    with override_settings(JOB_RENEW_SECONDS=3600):
        tasks.run(made.job_id, "test")
    made.job.refresh_from_db()
    assert (made.job.state, made.job.error["code"]) == (JobState.FAILED, "device_cordoned")
    assert not DeviceUse.objects.exists()


def test_a_stopped_map_does_not_hide_a_whole_one(row, monkeypatch):
    def measured(stopped):
        def measure(kind, devices, watcher, **_):
            watcher.opened([fingerprint().to_dict()])
            return {"stopped": stopped, "summary": {"native": 1}, "operators": []}

        return measure

    monkeypatch.setattr(operator_map, "measure", measured(True))
    first = run(row)
    assert first.body["stopped"] and first.counts == {"native": 1}
    monkeypatch.setattr(operator_map, "measure", measured(False))
    whole = run(row)
    monkeypatch.setattr(operator_map, "measure", measured(True))
    assert run(row).body is None
    assert whole.fingerprint_id == fingerprint().hash


def compare(row, start, **payload) -> PrecisionRun:
    """Two simulated devices, of which the second computes as its runtime does by default."""
    made = start(Side(row), Side(row, "default"), Asker(Team.objects.get_or_create(name="team")[0]))
    Job.objects.filter(pk=made.job_id).update(payload=payload)
    with override_settings(JOB_RENEW_SECONDS=3600):
        assert tasks.run(made.job_id, "test")
    made.refresh_from_db()
    made.job.refresh_from_db()
    assert (made.job.state, made.job.error) == (JobState.DONE, None)
    return made


def test_operators_are_compared_and_set_against_the_run_before(row, monkeypatch):
    first = compare(row, start_operators, cases=3)
    assert (len(first.body["cases"]), first.summary["out"], first.summary["stopped"]) == (3, 0, False)
    assert first.left_fingerprint_id == first.right_fingerprint_id != ""
    assert DeviceUse.objects.filter(job=first.job_id).count() == 2
    out = {**first.body, "cases": [{**case, "status": "out"} for case in first.body["cases"]], "stopped": True}

    def measure(kind, devices, watcher, **_):
        watcher.opened([fingerprint().to_dict()] * 2)
        return out

    monkeypatch.setattr(precision, "measure", measure)
    second = compare(row, start_operators)
    assert (second.before_id, second.summary["stopped"]) == (first.pk, True)
    changes = second.body["summary"]["changes"]
    assert (changes["compared"], len(changes["findings"]), changes["mended"]) == (3, 3, [])


def test_the_loss_of_a_training_is_kept_step_by_step(row):
    found = compare(row, start_loss, steps=3)
    assert [case["key"] for case in found.body["cases"]] == [f"{net}/{n}" for net in ("conv", "mlp") for n in range(3)]
    assert [one["status"] for one in found.summary["networks"]] == ["within", "within"]
    assert found.job.progress == {"done": 2, "total": 2, "phase": "networks"}
