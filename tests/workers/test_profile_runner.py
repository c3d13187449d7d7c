"""A profile as a job of a host: the model runs in the confined process with ONNX Runtime's own profiler."""

from importlib.util import find_spec

import numpy as np
import pytest
from django.test import override_settings
from onnx import TensorProto, helper, numpy_helper

from apps.calibrations import profiles
from apps.calibrations.models import ModelProfile
from apps.hosts.models import DeviceUse, HostDevice
from apps.jobs.models import JobState
from apps.modelhub.graphs import load_graph
from apps.modelhub.models import Model
from heteroopt.costs.profile import Profile
from heteroopt.runtimes.configuration import PluginConfiguration
from tests.apps.hosts.factories import device, healthy, reported_host
from tests.apps.support import add_model, onnx_bytes, value
from workers import devices, tasks
from workers.host_runners import profile  # noqa: F401  (registers the runner)

pytestmark = pytest.mark.django_db


class Keeper:
    def ready(self, runtime):
        assert runtime in ("onnxruntime", "simulated")

    def configuration(self, runtime):
        plugin = {"onnxruntime": "onnxruntime.runtime:OnnxRuntime", "simulated": "simulated.runtime:SimulatedRuntime"}
        return PluginConfiguration(runtime, f"heteroopt.runtimes.plugins.{plugin[runtime]}")


def profiled(monkeypatch, client, runtime: str, data: bytes | None = None) -> ModelProfile:
    monkeypatch.setattr(devices, "_keeper", [Keeper()])
    found = HostDevice.objects.get(runtime__host=reported_host(healthy(device(0), name=runtime)))
    model = Model.objects.get(pk=add_model(client, data)["id"])
    row = profiles.start(model, found, model.team, None)
    with override_settings(JOB_RENEW_SECONDS=3600):
        assert tasks.run(row.job_id, "test")
    return ModelProfile.objects.select_related("job").get(pk=row.pk)


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="onnxruntime is not installed")
def test_operators_take_what_the_profiler_says_and_add_up_to_the_run_without_it(monkeypatch, alice_client):
    made = profiled(monkeypatch, alice_client, "onnxruntime")
    assert (made.job.state, made.job.error) == (JobState.DONE, None)
    found = Profile.load(profiles.profile_bytes(made.pk))
    graph = load_graph(made.graph_id)
    assert found.seconds_of(graph).sum() == pytest.approx(found.median_s)
    assert found.matched > 0.9 and made.figures["total_ms"] == pytest.approx(found.median_s * 1e3)
    assert made.fingerprint == DeviceUse.objects.get().fingerprint_id == found.device.fingerprint
    assert made.finished_at is not None and made.measured_at is not None


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="onnxruntime is not installed")
def test_a_model_that_fails_with_made_up_inputs_says_so_with_the_names_of_its_own_tensors(monkeypatch, alice_client):
    empty = numpy_helper.from_array(np.zeros(0, np.float32), "table")
    nodes = [helper.make_node("Gather", ["table", "i"], ["picked"], name="pick")]
    model = onnx_bytes(nodes, [value("i", [4], TensorProto.INT64)], [value("picked", [4])], [empty])
    made = profiled(monkeypatch, alice_client, "onnxruntime", model)
    assert made.job.state == JobState.FAILED and made.job.error["code"] == "profile_run_failed"
    assert "Name:'picked'" in made.job.error["params"]["says"] and "out of data bounds" in made.job.error["message"]


def test_a_runtime_without_a_profiler_fails_with_that_reason(monkeypatch, alice_client):
    made = profiled(monkeypatch, alice_client, "simulated")
    assert made.job.state == JobState.FAILED and made.job.error["code"] == "profile_unsupported"
    assert made.body is None and made.finished_at is not None
