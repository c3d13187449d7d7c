"""Calibrations as jobs of a host, on the simulated runtime in a process of its own."""

import json
import zlib

import pytest
from django.db.models.functions import Now
from django.test import override_settings
from onnx import helper

from apps.calibrations import services
from apps.calibrations.models import Calibration
from apps.hosts.models import DeviceUse, Host, HostDevice
from apps.jobs.models import Job, JobState
from apps.modelhub.models import Model
from heteroopt.costs.bundle import read_bundle
from heteroopt.runtimes.configuration import PluginConfiguration
from heteroopt.runtimes.errors import RuntimeFault
from tests.apps.hosts.factories import device, fingerprint, healthy, reported_host
from tests.apps.support import add_model, onnx_bytes, value
from workers import devices, tasks
from workers.host_runners import calibration

pytestmark = pytest.mark.django_db


class Keeper:
    def ready(self, runtime):
        assert runtime == "simulated"

    def configuration(self, runtime):
        return PluginConfiguration(runtime, "heteroopt.runtimes.plugins.simulated.runtime:SimulatedRuntime")


def small_model() -> bytes:
    """Two operators of 64 numbers, which the simulated device runs at once."""
    nodes = [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Softmax", ["a"], ["y"])]
    return onnx_bytes(nodes, [value("x", [1, 64])], [value("y", [1, 64])])


@pytest.fixture
def row(monkeypatch, alice_client) -> Calibration:
    monkeypatch.setattr(devices, "_keeper", [Keeper()])
    found = HostDevice.objects.get(runtime__host=reported_host(healthy(device(0), name="simulated")))
    model = Model.objects.get(pk=add_model(alice_client, small_model())["id"])
    return services.start(found, model.team, None, [model], count=1, budget_s=30)


def run(row: Calibration, job_id=None) -> Calibration:
    with override_settings(JOB_RENEW_SECONDS=3600):
        assert tasks.run(job_id or row.job_id, "test")
    return Calibration.objects.select_related("job", "check_job").get(pk=row.pk)


def test_what_the_device_took_is_kept_with_its_fingerprint_and_holds_when_checked(row):
    made = run(row)
    assert (made.job.state, made.job.error) == (JobState.DONE, None)
    database = read_bundle(services.bundle_bytes(row.pk))
    assert len(database) == made.n_rows == 2
    use = DeviceUse.objects.get()
    assert use.fingerprint_id == made.fingerprint == database.device.fingerprint
    assert made.figures["rows"] == made.figures["from_models"] == 2 and made.figures["held_out"] is None
    assert made.job.progress["phase"] == "judge" and made.finished_at is not None
    transfers = services.transfers_of(row.pk)
    assert transfers == dict(database.transfers) and set(transfers) == {"h2d", "d2h"}
    Host.objects.update(seen_at=Now())  # measuring takes its time on a loaded machine
    services.recheck(made, None)
    made.refresh_from_db()
    checked = run(made, made.check_job_id)
    assert (checked.check_job.state, checked.check_job.error) == (JobState.DONE, None)
    assert checked.check_result["n"] == 2 and checked.check_result["fingerprint"] == made.fingerprint


def measured(state, calls):
    """A measuring process that dies once after it has said how far it is."""

    def measure(kind, requests, watcher, *, options):
        calls.append(options["checkpoint"])
        watcher.opened([fingerprint().to_dict()])
        if len(calls) == 1:
            watcher.checkpoint(state)
            raise RuntimeFault("checkpoint_other", "other")
        told = {"runtime": "r", "fingerprint": "f", "measured_at": 5, "rows": 1, "hash": "h"}
        return {"bundle": {}, "described": told, "figures": {"rows": 1}}

    return measure


def test_a_later_attempt_goes_on_from_the_checkpoint_and_anew_where_it_fits_no_more(row, monkeypatch):
    calls: list = []
    monkeypatch.setattr(calibration, "measure", measured({"rows": {}}, calls))
    Job.objects.filter(pk=row.job_id).update(checkpoint=zlib.compress(json.dumps({"rows": {"a": 1}}).encode()))
    made = run(row)
    assert (made.job.state, calls) == (JobState.DONE, [{"rows": {"a": 1}}, None])
    assert made.n_rows == 1
