"""Segments cut from ONNX files load in ONNX Runtime and give what the whole model gives, run by the shipped runner."""

import importlib.util
import json
import os
import threading
from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from benchmarks.split import random_weights
from heteroopt.deployment.conformance import ExporterConformance
from heteroopt.deployment.export_plan import build, export_plan, refusals_of
from heteroopt.deployment.exporters.ort_segments.exporter import EXPORTER
from heteroopt.deployment.exporting import Refusal
from heteroopt.errors import HeteroOptError
from heteroopt.graph.samples import bert_encoder_onnx, onnx_light_model
from tests.engine.deployment import segment_cases as cases
from tests.engine.deployment.plans import model_file, random_request

CPU = {"device.cpu0": "onnxruntime:CPUExecutionProvider", "device.gpu0": "onnxruntime:CPUExecutionProvider"}
BOTH = {"device.cpu0": "onnxruntime:CPUExecutionProvider", "device.gpu0": "openvino:CPU"}


def load_runner(folder):
    spec = importlib.util.spec_from_file_location("plan_runner", folder / "runner.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def thirds(i, n):
    return (3 * i // n) % 2


def compare(request, folder, options=None):
    """Export, run both ways on made-up inputs, and return the largest relative difference and the manifest."""
    manifest = export_plan("ort-segments", replace(request, options=options or CPU), folder)
    runner = load_runner(folder)
    with runner.Plan(str(folder)) as plan:
        inputs = runner.made_up(plan.plan, seed=4)
        found = plan.run(inputs)
        expected = cases.run_whole(request.model_path, inputs)
        assert list(found) == list(expected)
        worst = 0.0
        for name, value in expected.items():
            assert found[name].dtype == value.dtype and found[name].shape == value.shape
            scale = float(np.abs(value).max()) or 1.0
            worst = max(worst, float(np.abs(found[name] - value).max()) / scale)
            assert float(np.std(value)) > 0 or value.size == 1, "a constant answer proves nothing"
    return worst, manifest


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("devices", [thirds, lambda i, n: i % 2, lambda i, n: 1])
@pytest.mark.parametrize("make", [cases.with_sizes_inside, cases.with_control_flow, cases.with_odd_outputs])
def test_every_model_gives_what_it_gives_in_one_piece(tmp_path, make, devices, fused):
    request = cases.request_for(make(tmp_path / "model.onnx"), devices, fused=fused)
    worst, manifest = compare(request, tmp_path / "out")
    assert worst <= 1e-6
    assert manifest["coverage"]["expressed"] == len(request.plan.original.operators)


def test_sizes_of_activations_become_numbers_and_open_no_other_border(tmp_path):
    # The reshape on gpu0 asks for the size of b, which cpu0 makes: no segment reads b for that.
    request = cases.request_for(cases.with_sizes_inside(tmp_path / "m.onnx"), lambda i, n: int(i >= 2))
    export_plan("ort-segments", replace(request, options=CPU), tmp_path / "out")
    model = onnx.load(tmp_path / "out/segments/segment_1.onnx")
    assert "Shape" not in [node.op_type for node in model.graph.node]
    sizes = {t.name: numpy_helper.to_array(t).tolist() for t in model.graph.initializer}
    assert sizes["size"] == [4, 8]
    names = [node.name for node in model.graph.node if node.name]
    assert len(names) == len(set(names))


def test_a_small_encoder_in_segments_on_two_runtimes(tmp_path):
    model = tmp_path / "encoder.onnx"
    model.write_bytes(bert_encoder_onnx(layers=2, hidden=64, heads=2, seq=16))
    loaded = onnx.load(model)
    random_weights(loaded)
    onnx.save(loaded, model)
    for pieces in (2, 4, 6):
        request = cases.request_for(model, lambda i, n, pieces=pieces: (pieces * i // n) % 2, fused=True)
        worst, manifest = compare(request, tmp_path / f"out{pieces}", BOTH)
        assert len(manifest["segments"]) >= pieces
        assert worst <= 1e-5


def test_a_convolutional_net_with_random_weights_in_four_segments_on_two_runtimes(tmp_path):
    loaded = onnx.load(onnx_light_model("squeezenet"))
    random_weights(loaded)
    model = tmp_path / "net.onnx"
    onnx.save(loaded, model)
    worst, manifest = compare(
        cases.request_for(model, lambda i, n: (4 * i // n) % 2, fused=True), tmp_path / "out", BOTH
    )
    assert len(manifest["segments"]) == 4
    assert worst <= 1e-5


def test_external_data_stays_outside_and_is_shared(tmp_path):
    model = cases.with_sizes_inside(tmp_path / "m.onnx")
    onnx.save(
        onnx.load(model), str(model), save_as_external_data=True, location="m.data", size_threshold=16,
        convert_attribute=False,
    )  # fmt: skip
    request = cases.request_for(model, thirds)
    worst, manifest = compare(request, tmp_path / "out")
    assert worst <= 1e-6
    assert "segments/weights_0.bin" in manifest["files"]
    assert (tmp_path / "out/segments/weights_0.bin").read_bytes() == (tmp_path / "m.data").read_bytes()
    stored = (tmp_path / "m.data").rename(tmp_path / "stored-by-hash")
    handed = replace(request, options=CPU, data_files={"m.data": stored})
    assert any(file.data == stored for file in build("ort-segments", handed))
    with pytest.raises(Refusal) as refusal:
        build("ort-segments", replace(handed, data_files={"other.data": stored}))
    assert refusal.value.code == "export_model_data"
    with pytest.raises(Refusal) as refusal:
        build("ort-segments", replace(request, options=CPU))
    assert refusal.value.code == "export_model_data"


def test_another_file_than_the_planned_one_is_refused(tmp_path):
    request = cases.request_for(cases.with_sizes_inside(tmp_path / "a.onnx"), thirds, **CPU)
    other = cases.with_control_flow(tmp_path / "b.onnx")
    with pytest.raises(Refusal) as refusal:
        build("ort-segments", replace(request, model_path=other))
    assert refusal.value.code == "export_model_differs"
    (tmp_path / "c.onnx").write_bytes(b"\x08")
    with pytest.raises(HeteroOptError):
        build("ort-segments", replace(request, model_path=tmp_path / "c.onnx"))


def test_many_items_in_flight_keep_their_order_and_their_values(tmp_path):
    request = cases.request_for(cases.with_sizes_inside(tmp_path / "m.onnx"), lambda i, n: i % 2)
    export_plan("ort-segments", replace(request, options=CPU), tmp_path / "out")
    runner = load_runner(tmp_path / "out")
    rng = np.random.default_rng(3)
    items = [{"x": rng.standard_normal((4, 8)).astype(np.float32)} for _ in range(20)]
    taken = []

    def watched():
        for item in items:
            taken.append(threading.active_count())
            yield item

    with runner.Plan(str(tmp_path / "out"), in_flight=3) as plan:
        found = list(plan.stream(watched()))
        ran = {(number, index) for number, index, _, _ in plan.log}
        assert ran == {(k, s["index"]) for k in range(20) for s in plan.segments}
    for item, outputs in zip(items, found, strict=True):
        assert np.allclose(outputs["y"], cases.run_whole(request.model_path, item)["y"], rtol=1e-5)


def test_closing_waits_for_the_items_in_flight(tmp_path):
    request = cases.request_for(cases.with_sizes_inside(tmp_path / "m.onnx"), thirds)
    export_plan("ort-segments", replace(request, options=CPU), tmp_path / "out")
    runner = load_runner(tmp_path / "out")
    plan = runner.Plan(str(tmp_path / "out"), in_flight=3)
    items = [plan.submit({"x": np.ones((4, 8), np.float32)}) for _ in range(3)]
    plan.close()
    assert all(item.done.is_set() and item.error is None for item in items)
    plan.close()
    with pytest.raises(runner.PlanRefused, match="closed"):
        plan.run({"x": np.ones((4, 8), np.float32)})


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
@pytest.mark.parametrize("runtime", ["onnxruntime", "openvino"])
def test_a_devices_work_stays_on_its_cores(tmp_path, runtime):
    # Left to themselves both runtimes put threads, OpenVINO the calling one too, on cores of their own choice.
    request = cases.request_for(cases.with_sizes_inside(tmp_path / "m.onnx"), thirds)
    export_plan("ort-segments", replace(request, options=CPU), tmp_path / "out")
    runner = load_runner(tmp_path / "out")
    before = set(os.listdir("/proc/self/task"))
    core = max(os.sched_getaffinity(0))
    settings = {
        "cpus": [core],
        "runtime": runtime,
        "provider": {"openvino": "CPU"}.get(runtime, "CPUExecutionProvider"),
    }
    with runner.Plan(str(tmp_path / "out"), devices={"cpu0": settings, "gpu0": settings}) as plan:
        plan.run({"x": np.ones((4, 8), np.float32)})
        working = [thread.native_id for thread in plan._threads]
        assert [os.sched_getaffinity(thread) for thread in working] == [{core}, {core}]
        added = set(os.listdir("/proc/self/task")) - before
        if runtime == "onnxruntime":
            assert {int(thread) for thread in added} == set(working), "a thread for every core of the machine"


def test_a_failing_item_is_reported_and_the_others_go_on(tmp_path):
    request = cases.request_for(cases.with_sizes_inside(tmp_path / "m.onnx"), thirds)
    export_plan("ort-segments", replace(request, options=CPU), tmp_path / "out")
    runner = load_runner(tmp_path / "out")
    good = {"x": np.ones((4, 8), np.float32)}
    with runner.Plan(str(tmp_path / "out"), in_flight=2) as plan:
        with pytest.raises(RuntimeError, match=r"Segment 0 .* failed on device cpu0"):
            plan.run({"x": np.ones((4, 7), np.float32)})
        assert plan.run(good)["y"].shape == (4, 8)
        with pytest.raises(runner.PlanRefused, match="missing: x"):
            plan.run({})
    with pytest.raises(runner.PlanRefused, match="needs NoSuchProvider"):
        runner.Plan(str(tmp_path / "out"), devices={"gpu0": {"provider": "NoSuchProvider"}})


def test_a_device_that_nothing_is_known_of_must_be_named(tmp_path):
    request = cases.request_for(cases.with_sizes_inside(tmp_path / "m.onnx"), thirds)
    strange = cases.hopt.DevicePool.from_toml(cases.POOL.replace('template = "NVIDIA_A100_40G"', """vendor = "Strange"
device_type = "FPGA"
memory_size_bytes = 1000000000
memory_bandwidth_gb_per_s = 10.0
peak_gflop_per_s = { fp32 = 100.0 }"""))  # fmt: skip
    unknown = replace(request, plan=replace(request.plan, pool=strange))
    assert [r.code for r in refusals_of(EXPORTER, unknown)] == ["export_provider_unknown"]
    named = replace(unknown, options={"device.gpu0": "openvino:CPU"})
    assert refusals_of(EXPORTER, named) == []
    (refusal,) = refusals_of(EXPORTER, replace(unknown, options={"device.gpu0": "tensorflow:GPU"}))
    assert refusal.code == "export_runtime_unknown"
    assert refusal.params == {"device": "gpu0", "runtime": "tensorflow", "known": ["onnxruntime", "openvino"]}
    assert "'tensorflow'" in refusal.message and "onnxruntime and openvino" in refusal.message


class TestOrtSegments(ExporterConformance):
    exporter = EXPORTER

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path):
        self.folder = tmp_path

    def requests(self):
        model = model_file(self.folder)
        return [random_request(seed, model=model) for seed in (1, 2)]


def test_devices_that_share_a_cpu_are_kept_to_their_cores(tmp_path):
    model = cases.with_sizes_inside(tmp_path / "m.onnx")
    request = cases.request_for(model, lambda i, n: i % 2, **CPU, **{"cores.cpu0": "2,0-1,1"})
    folder = tmp_path / "out"
    export_plan("ort-segments", request, folder)
    devices = {one["name"]: one for one in json.loads((folder / "plan.json").read_text("utf-8"))["devices"]}
    assert (devices["cpu0"]["cpus"], devices["cpu0"]["threads"]) == ([0, 1, 2], 3)
    assert "cpus" not in devices["gpu0"]
    for wrong in ("a", "3-1", "-1", "0,", "9999999"):
        refused = refusals_of(EXPORTER, replace(request, options={**CPU, "cores.cpu0": wrong}))
        assert [refusal.code for refusal in refused] == ["export_cores"]


def test_a_segment_on_another_device_than_planned_is_found_out(tmp_path):
    request = cases.request_for(cases.with_sizes_inside(tmp_path / "m.onnx"), lambda i, n: i % 2, **CPU)
    export_plan("ort-segments", request, tmp_path / "out")
    document = json.loads((tmp_path / "out" / "plan.json").read_text())
    document["segments"][0]["device"] = next(
        d["name"] for d in document["devices"] if d["name"] != document["segments"][0]["device"]
    )
    (tmp_path / "out" / "plan.json").write_text(json.dumps(document))
    with pytest.raises(HeteroOptError) as failure:
        EXPORTER.check(tmp_path / "out")
    assert failure.value.code == "export_incomplete"
