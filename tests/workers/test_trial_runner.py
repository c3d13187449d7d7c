"""A trial run as a job of a host: the segments run in the confined process, beside the whole model."""

from importlib.util import find_spec

import numpy as np
import pytest
from django.test import override_settings
from onnx import helper, numpy_helper

from apps.deployments import trials
from apps.deployments.models import PlanTrial
from apps.hosts.models import DeviceUse, HostDevice
from apps.jobs.models import JobState
from apps.searches.fronts import load_plan
from apps.searches.models import Search
from heteroopt.errors import HeteroOptError
from heteroopt.progress import Progress
from heteroopt.runtimes.configuration import PluginConfiguration
from tests.apps.deployments import test_exports_with_model as parts
from tests.apps.hosts.factories import device, healthy, reported_host
from tests.apps.modelhub import tus_client as files
from tests.apps.support import add_model, add_pool, onnx_bytes, run_jobs, start_search, value
from workers import devices, tasks, trying
from workers.host_runners import trial as runner  # noqa: F401  (registers the runner)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(find_spec("onnxruntime") is None, reason="onnxruntime is not installed"),
]


class Keeper:
    def ready(self, runtime):
        assert runtime == "onnxruntime"

    def configuration(self, runtime):
        return PluginConfiguration(runtime, "heteroopt.runtimes.plugins.onnxruntime.runtime:OnnxRuntime")


def model_bytes() -> bytes:
    weight = numpy_helper.from_array(np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32) / 8, "w")
    nodes = [helper.make_node("MatMul", [f"t{i}", "w"], [f"t{i + 1}"], name=f"mul {i}") for i in range(4)]
    return onnx_bytes(nodes, [value("t0", [4, 32])], [value("t4", [4, 32])], [weight])


def start(client, model):
    found = start_search(client, model, add_pool(client), {"population_size": 16, "generations": 2})
    run_jobs()
    search = Search.objects.get(pk=found["id"])
    return trials.start_trial(search, load_plan(search, 1, None), None, None, {})


@pytest.fixture
def alice(monkeypatch, alice_client, settings):
    settings.JOB_LEASE_SECONDS = 3600  # nobody speaks for the host again
    monkeypatch.setattr(devices, "_keeper", [Keeper()])
    reported_host(healthy(device(0, name="CPU", device_type="CPU"), name="onnxruntime"))
    return alice_client


@pytest.fixture
def row(alice):
    return start(alice, add_model(alice, model_bytes()))


def run(row) -> PlanTrial:
    with override_settings(JOB_RENEW_SECONDS=3600):
        assert tasks.run(row.job_id, "test")
    return PlanTrial.objects.select_related("job").get(pk=row.pk)


def test_the_report_has_results_and_every_segment_beside_the_prediction(row, alice_client, settings, tmp_path):
    settings.TEMPORARY_DIR = tmp_path
    made = run(row)
    assert (made.job.state, made.job.error) == (JobState.DONE, None)
    assert list(tmp_path.iterdir()) == []  # nothing of the model stays
    shown = alice_client.get(f"/api/trials/{row.pk}/").json()
    result = shown["result"]
    request = trials.request_of(made)
    assert shown["plan_hash"] == request.plan.content_hash
    assert result["same_results"] and [out["name"] for out in result["outputs"]] == ["t4"]
    assert (
        result["outputs"][0]["distance"] <= result["outputs"][0]["tolerance"] and not result["outputs"][0]["constant"]
    )
    assert [part["index"] for part in result["segments"]] == list(range(request.partition.n_segments))
    for part in result["segments"]:
        assert part["measured_ms"] > 0 and part["memory_bytes"] >= 0
        assert part["predicted_start_ms"] + part["predicted_ms"] <= part["predicted_finish_ms"] * (1 + 1e-9)
    assert result["segments"][0]["measured_start_ms"] == 0
    assert result["latency_ms"] > 0 and result["throughput_per_s"] > 0 and result["whole_ms"] > 0
    assert shown["progress"]["done"] == shown["progress"]["total"]
    use = DeviceUse.objects.get(job=made.job)
    assert (use.runtime_name, use.device_name, use.host_name) == ("onnxruntime", "CPU", "machine")
    assert {place["fingerprint"] for place in shown["places"]} == {use.fingerprint_id}


def test_a_model_with_data_files_runs_like_any_other(alice, settings, tmp_path):
    settings.TEMPORARY_DIR = tmp_path
    model = files.add(alice, {"m.onnx": parts.model(*parts.WEIGHTS), **parts.WEIGHTS})
    made = run(start(alice, model))
    assert (made.job.state, made.job.error) == (JobState.DONE, None)
    assert made.result["same_results"] and list(tmp_path.iterdir()) == []


def test_it_ends_where_it_is_told_to_stop(row, tmp_path):
    heard: list[Progress] = []

    def progress(at: Progress) -> bool:
        heard.append(at)
        return at.done < 4

    options = {"request": trying.packed(trials.request_of(row)), "progress": progress}
    with pytest.raises(HeteroOptError) as stopped:
        trying.run_segments(model_bytes(), tmp_path, options)
    assert stopped.value.code == "trial_stopped"
    assert [at.done for at in heard] == [0, 1, 2, 3, 4] and heard[-1].phase == "alone"


def test_a_device_that_gets_no_work_now_is_named(row):
    HostDevice.objects.update(cordoned=True)
    made = run(row)
    assert made.job.state == JobState.FAILED and made.job.error["code"] == "device_cordoned" and made.result is None
