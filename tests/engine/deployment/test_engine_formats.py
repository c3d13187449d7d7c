"""Formats of execution engines: refusals with a way out, what is written, and the real placement read back."""

import json
import shlex
import subprocess
import sys
from dataclasses import replace

import numpy as np
import onnx
import pytest
import yaml

from heteroopt.api.exporting import plan_request
from heteroopt.deployment.conformance import ExporterConformance
from heteroopt.deployment.export_plan import describe, export_plan, refusals_of
from heteroopt.deployment.export_registry import SHIPPED, find_exporter
from heteroopt.deployment.exporters.tensorrt import parsed_devices, trtexec_arguments
from heteroopt.deployment.exporters.triton_config import config_text, parsed_config
from heteroopt.deployment.model_cut import cut_model
from heteroopt.deployment.model_ports import ports_of
from heteroopt.errors import HeteroOptError
from heteroopt.simulation.decoder import decode_one
from tests.engine.deployment import plans
from tests.engine.deployment import segment_cases as cases

GPU0, GPU1, CPU0, NPU0 = range(4)
LAYERED = lambda operator: GPU0 if "embeddings" in operator.scope or "mask" in operator.name else CPU0  # noqa: E731
OPTIONS = {
    "openvino-hetero": {"target.gpu0": "AUTO"},
    "tensorrt": {"target.cpu0": "DLA"},
    "ascend": {"soc.npu0": "Ascend910B3"},
    "kubernetes": {"image": "registry.local/runner:1"},
    "compose": {"image": "registry.local/runner:1", "files.npu0": "/dev/davinci0,/dev/davinci_manager"},
}


def placed(place, model, **options):
    """A request with the device of each scheduled operator as ``place(operator)`` says."""
    plan = plans.result().plan(0)
    operators = plan.graph.operators
    order = np.arange(len(operators), dtype=np.int32)
    device = np.array([place(operator) for operator in operators], np.int32)
    plan = replace(plan, schedule=decode_one(plan.problem, order, device), number=None, figures=None)
    return plan_request(plan, model=model, options=options)


def codes(key, request):
    return [refusal.code for refusal in refusals_of(find_exporter(key), request)]


def run(script, *arguments):
    done = subprocess.run([sys.executable, str(script), *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def suite(wanted, folder):
    class Suite(ExporterConformance):
        exporter = wanted

        def requests(self):
            model, options = plans.model_file(folder), OPTIONS.get(wanted.key, {})
            place = (lambda operator: NPU0 if operator.index % 9 == 4 else CPU0) if wanted.key == "ascend" else LAYERED
            return [placed(place, model, **options), plans.random_request(3, model=model, **options)]

    return Suite()


@pytest.mark.parametrize("key", SHIPPED)
def test_what_ships_conforms(key, tmp_path):
    checks = suite(find_exporter(key), tmp_path)
    for name in dir(ExporterConformance):
        if name.startswith("test_"):
            getattr(checks, name)()


def test_segments_give_what_the_model_gives(tmp_path):
    ort = pytest.importorskip("onnxruntime")
    model = plans.model_file(tmp_path)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    whole = ort.InferenceSession(str(model), options)
    request = plans.random_request(2, model=model)
    rng = np.random.default_rng(0)
    tensors = {
        item.name: rng.integers(0, 2, [request.plan.original.dims.get(size, size) for size in item.shape])
        for item in whole.get_inputs()
    }
    wanted = whole.run(None, tensors)
    for piece in cut_model(request)[1]:
        _, outputs = ports_of(piece)
        session = ort.InferenceSession(piece.model.SerializeToString(), options)
        made = session.run(list(piece.outputs), {name: tensors[name] for name in piece.inputs})
        assert [array.shape for array in made] == [port.shape for port in outputs]
        tensors |= dict(zip(piece.outputs, made, strict=True))
    for item, array in zip(whole.get_outputs(), wanted, strict=True):
        assert np.array_equal(tensors[item.name], array)


def test_another_model_is_refused_by_name(tmp_path):
    model = plans.model_file(tmp_path)
    other = onnx.load(str(model))
    made = {name for node in other.graph.node for name in node.output}
    for node in other.graph.node:
        node.output[:] = [f"{name}_" for name in node.output]
        node.input[:] = [f"{name}_" if name in made else name for name in node.input]
    for output in other.graph.output:
        output.name += "_"
    onnx.save(other, str(tmp_path / "other.onnx"))
    request = placed(LAYERED, tmp_path / "other.onnx", **OPTIONS["openvino-hetero"])
    with pytest.raises(HeteroOptError) as caught:
        export_plan("openvino-hetero", request, tmp_path / "out")
    assert caught.value.code == "export_model_differs" and caught.value.params["expressed"] == 0
    assert not (tmp_path / "out").exists()


def test_openvino_places_every_operator_as_planned(tmp_path):
    pytest.importorskip("openvino")
    model = plans.model_file(tmp_path)
    request = placed(LAYERED, model, **OPTIONS["openvino-hetero"])
    export_plan("openvino-hetero", request, tmp_path / "out")
    code, said, _ = run(tmp_path / "out" / "load_openvino.py", model, "--json")
    found = json.loads(said)
    assert code == 0 and found["placed"] == found["planned"] == len(request.plan.original.operators)
    assert found["every_op_has_an_affinity"] and sorted(found["devices"]) == ["AUTO", "CPU"]
    (tmp_path / "other.onnx").write_bytes(model.read_bytes() + b"\x00")
    code, _, said = run(tmp_path / "out" / "load_openvino.py", tmp_path / "other.onnx")
    assert code == 1 and "SHA-256" in said


def test_openvino_finds_what_only_dropouts_and_identities_read(tmp_path):
    """Its importer leaves those out and keeps the last name of their tensor alone."""
    pytest.importorskip("openvino")
    node = onnx.helper.make_node
    nodes = [
        node("MatMul", ["x", "w"], ["a"]),
        node("Dropout", ["a"], ["b"]),
        node("Identity", ["b"], ["c"]),
        node("Relu", ["c"], ["y"]),
    ]
    ends = [cases.float_input("x", [4, 8])], [cases.float_input("y", [4, 8])]
    model = cases.save(tmp_path / "model.onnx", nodes, *ends, [cases.weight("w", 8, 8)])
    export_plan("openvino-hetero", cases.request_for(model, lambda i, n: 0), tmp_path / "out")
    rows = json.loads((tmp_path / "out" / "affinities.json").read_text())["operators"]
    assert {row["outputs"][0]: row["passed_on"] for row in rows}["a"] == ["b", "c"]
    code, said, wrong = run(tmp_path / "out" / "load_openvino.py", model, "--json")
    assert code == 0, wrong
    assert json.loads(said)["placed"] == json.loads(said)["planned"] == len(rows)


def test_onnxruntime_places_every_operator_as_planned(tmp_path):
    pytest.importorskip("onnxruntime", minversion="1.25")
    model = plans.model_file(tmp_path)
    request = placed(lambda operator: CPU0, model)
    export_plan("ort-annotations", request, tmp_path / "out")
    script = tmp_path / "out" / "load_onnxruntime.py"
    code, said, _ = run(script, "--json")
    found = json.loads(said)
    assert code == 0 and not found["elsewhere"]
    assert found["placed"] + len(found["merged"]) == found["planned"] == len(request.plan.original.operators)
    code, said, _ = run(script, "--as-planned", "--json")
    assert code == 0 and json.loads(said)["placed"] == found["planned"]


def test_onnxruntime_without_the_provider_or_too_old_is_refused(tmp_path):
    ort = pytest.importorskip("onnxruntime")
    model = plans.model_file(tmp_path)
    export_plan("ort-annotations", placed(LAYERED, model), tmp_path / "out")
    settings = json.loads((tmp_path / "out" / "session.json").read_text())
    assert settings["session_config"]["session.layer_assignment_settings"] == "cuda(=device0); cpu(=device2)"
    script = tmp_path / "out" / "load_onnxruntime.py"
    if "CUDAExecutionProvider" not in ort.get_available_providers():
        code, _, said = run(script)
        assert code == 1 and "CUDAExecutionProvider" in said
    script.write_text(script.read_text().replace("OLDEST = (1, 25)", "OLDEST = (99, 0)"))
    code, _, said = run(script)
    assert code == 1 and "99.0 is needed" in said


def test_devices_that_an_engine_cannot_tell_apart_are_refused(tmp_path):
    model = plans.model_file(tmp_path)
    both = placed(lambda operator: operator.index % 2, model)
    assert codes("ort-annotations", both) == ["export_target_shared"]
    assert codes("openvino-hetero", both) == ["export_device", "export_device"]
    assert codes("openvino-hetero", placed(LAYERED, model, **{"target.gpu9": "CPU"})) == [
        "export_target_unknown", "export_device",
    ]  # fmt: skip
    assert codes("ascend", both) == ["export_no_device_of"]
    assert codes("ascend", placed(lambda operator: NPU0, model)) == ["export_soc"]
    assert codes("kubernetes", both) == ["export_image"]


def test_a_training_step_goes_into_no_engine(tmp_path):
    import heteroopt as hopt

    graph = hopt.Graph.from_onnx(plans.MODEL).training_step()
    result = hopt.Scheduler(graph, hopt.load_sample_pool("data_center"), generations=0, population_size=8).run(seed=1)
    request = plan_request(result.pareto_front[0].plan, model=plans.model_file(tmp_path))
    for key in ("openvino-hetero", "ort-annotations", "ort-segments", "triton", "tensorrt", "ascend"):
        assert "export_training" in codes(key, request)
    for key in ("plan-json", "csv", "trace"):
        assert codes(key, request) == []


def test_trtexec_arguments_read_back():
    devices = {"op0000000": "GPU", "op0000001": "DLA", "op0000002": "DLA"}
    arguments = trtexec_arguments(devices, {"op0000000": "fp32", "op0000001": "fp16", "op0000002": "fp16"}, "1")
    assert arguments == [
        "--skipInference", "--useDLACore=1", "--allowGPUFallback",
        "--layerDeviceTypes=op0000000:GPU,op0000000_*:GPU", "--fp16", "--precisionConstraints=prefer",
        "--layerPrecisions=*:fp16,op0000000:fp32",
    ]  # fmt: skip
    read = parsed_devices(arguments)
    assert {layer: read.get(layer, read[""]) for layer in devices} == devices
    assert trtexec_arguments({"op0000000": "GPU"}, {}, "0") == ["--skipInference"]


def test_tensorrt_11_builds_for_no_dla(tmp_path):
    model = plans.model_file(tmp_path)
    dla = placed(LAYERED, model, version="11", **OPTIONS["tensorrt"])
    assert codes("tensorrt", dla) == ["export_dla_version"]
    assert codes("tensorrt", placed(lambda operator: GPU0, model, version="9")) == ["export_version"]
    manifest = export_plan("tensorrt", placed(lambda operator: GPU0, model, version="11"), tmp_path / "out")
    assert [note["code"] for note in manifest["notes"]] == ["export_strongly_typed"]
    code, said, _ = run(tmp_path / "out" / "build_tensorrt.py", "--print", "x.plan")
    assert code == 0 and "--saveEngine=x.plan" in said and "layerPrecisions" not in said


def test_triton_configurations_are_protobuf_text():
    config = {"name": "a", "backend": "onnxruntime", "max_batch_size": 0,
              "input": [{"name": 'x"y', "data_type": "TYPE_FP32", "dims": [1], "reshape": {"shape": []}}],
              "instance_group": [{"kind": "KIND_GPU", "gpus": [1]}]}  # fmt: skip
    message = parsed_config(config_text(config))
    assert message.input[0].name == 'x"y' and message.input[0].HasField("reshape")
    assert message.instance_group[0].kind == 1 and list(message.instance_group[0].gpus) == [1]
    with pytest.raises(ValueError, match="no field"):
        parsed_config('name: "a" colour: 3')
    with pytest.raises(ValueError, match="colour"):
        config_text({"colour": 3})


def test_an_ensemble_that_reads_before_it_writes_is_found_out(tmp_path):
    export_plan("triton", placed(LAYERED, plans.model_file(tmp_path)), tmp_path / "out")
    config = next(p for p in (tmp_path / "out").rglob("config.pbtxt") if "ensemble" in p.read_text())
    message = parsed_config(config.read_text())
    steps = list(message.ensemble_scheduling.step)
    assert len(steps) == 2 and {"KIND_GPU", "KIND_CPU"} <= set(
        word for path in (tmp_path / "out").rglob("config.pbtxt") for word in path.read_text().split()
    )
    del message.ensemble_scheduling.step[:]
    message.ensemble_scheduling.step.extend(reversed(steps))
    config.write_text(str(message))
    with pytest.raises(HeteroOptError, match="before it is made"):
        find_exporter("triton").check(tmp_path / "out")


def test_atc_is_called_for_ascend_segments_alone(tmp_path):
    request = placed(lambda op: NPU0 if op.index > 20 else CPU0, plans.model_file(tmp_path), **OPTIONS["ascend"])
    export_plan("ascend", request, tmp_path / "out")
    runtime = json.loads((tmp_path / "out" / "runtime.json").read_text())
    lines = [line for line in (tmp_path / "out" / "convert.sh").read_text().splitlines() if line.startswith("atc ")]
    assert [entry["runtime"] for entry in runtime["segments"]] == ["onnxruntime", "acl"] and len(lines) == 1
    words = shlex.split(lines[0])
    assert "--framework=5" in words and "--soc_version=Ascend910B3" in words
    shapes = next(word for word in words if word.startswith("--input_shape="))
    ports = runtime["segments"][1]["inputs"]
    assert shapes == "--input_shape=" + ";".join(f"{p['name']}:{','.join(map(str, p['shape']))}" for p in ports)


def test_a_device_map_needs_module_borders(tmp_path):
    whole = placed(LAYERED, None)
    export_plan("accelerate", whole, tmp_path / "out")
    found = json.loads((tmp_path / "out" / "device_map.json").read_text())
    assert found["embeddings"] == 0 and found["encoder"] == "cpu"
    torn = placed(lambda operator: GPU0 if operator.index % 2 else CPU0, None)
    refusal = describe("accelerate", torn)["refusals"][0]
    assert refusal["code"] == "export_module_border" and refusal["params"]["module"] and refusal["hint"]
    assert codes("torch-pipelining", torn) == ["export_module_border"]
    document = json.loads((tmp_path / "out" / "device_map.json").read_text())
    document.pop("encoder")
    (tmp_path / "out" / "device_map.json").write_text(json.dumps(document))
    with pytest.raises(HeteroOptError, match="21 of 71 operators"):
        find_exporter("accelerate").check(tmp_path / "out")


def test_containers_say_what_the_platform_hands_to_a_job(tmp_path):
    request = placed(LAYERED, None, **OPTIONS["kubernetes"])
    export_plan("kubernetes", request, tmp_path / "k")
    pods = [d for d in yaml.safe_load_all((tmp_path / "k" / "plan.yaml").read_text()) if d["kind"] == "Deployment"]
    first = pods[0]["spec"]["template"]["spec"]["containers"][0]
    variables = {entry["name"]: entry["value"] for entry in first["env"]}
    assert first["resources"] == {"limits": {"nvidia.com/gpu": 1}}
    assert variables["PLATFORM_DEVICE_TYPE"] == "gpu" and variables["PLATFORM_RUNTIME"] == "cuda"
    assert variables["PLATFORM_VISIBLE_DEVICES"] == "0" and variables["PLATFORM_OP_CACHE_DIR"].startswith("/")
    export_plan("compose", request, tmp_path / "c")
    services = yaml.safe_load((tmp_path / "c" / "compose.yaml").read_text())["services"]
    assert sorted(services) == ["cpu0", "gpu0"] and "deploy" not in services["cpu0"]
    reserved = services["gpu0"]["deploy"]["resources"]["reservations"]["devices"]
    assert reserved == [{"driver": "nvidia", "device_ids": ["0"], "capabilities": ["gpu"]}]
    segments = [number for s in services.values() for number in s["environment"]["HETEROOPT_SEGMENTS"].split(",")]
    assert sorted(map(int, segments)) == list(range(request.partition.n_segments))


def test_no_device_file_of_an_npu_is_made_up(tmp_path):
    place = lambda op: NPU0 if op.index > 20 else CPU0  # noqa: E731
    unasked = placed(place, None, image="registry.local/runner:1")
    refusal = refusals_of(find_exporter("compose"), unasked)[0]
    assert (refusal.code, refusal.params["devices"]) == ("export_device_files", ["npu0"])
    assert "files.npu0=/dev/" in refusal.hint
    export_plan("compose", placed(place, None, **OPTIONS["compose"]), tmp_path / "c")
    services = yaml.safe_load((tmp_path / "c" / "compose.yaml").read_text())["services"]
    assert services["npu0"]["devices"] == ["/dev/davinci0", "/dev/davinci_manager"]


@pytest.mark.parametrize("make", [cases.with_sizes_inside, cases.with_control_flow, cases.with_odd_outputs])
def test_an_ensemble_followed_step_by_step_gives_what_the_model_gives(tmp_path, make):
    ort = pytest.importorskip("onnxruntime")
    model = make(tmp_path / "model.onnx")
    if make is not cases.with_control_flow:  # ONNX Runtime does not find data files from inside a branch
        onnx.save(onnx.load(model), model, save_as_external_data=True, location="w.data", size_threshold=100)
    export_plan("triton", cases.request_for(model, lambda i, n: i % 2), tmp_path / "out")
    root = tmp_path / "out" / "models"
    configs = {path.parent.name: parsed_config(path.read_text()) for path in root.glob("*/config.pbtxt")}
    ensemble = next(config for config in configs.values() if config.platform == "ensemble")
    tensors = {"x": np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32)}
    whole = ort.InferenceSession(str(model))
    wanted = dict(zip([item.name for item in whole.get_outputs()], whole.run(None, tensors), strict=True))
    assert len(ensemble.ensemble_scheduling.step) > 1
    for step in ensemble.ensemble_scheduling.step:
        session = ort.InferenceSession(str(root / step.model_name / "1" / "model.onnx"))
        names = [item.name for item in session.get_outputs()]
        made = session.run(names, {item.name: tensors[item.name] for item in session.get_inputs()})
        tensors |= dict(zip(names, made, strict=True))
    assert {port.name for port in ensemble.output} == set(wanted)
    for name, value in wanted.items():
        np.testing.assert_allclose(tensors[name], value, rtol=1e-5, atol=1e-6)


def test_weights_that_old_models_list_among_their_inputs_are_none_of_atcs(tmp_path):
    model = cases.with_sizes_inside(tmp_path / "model.onnx")
    old = onnx.load(model)
    old.ir_version = 3
    old.graph.input.extend(
        onnx.helper.make_tensor_value_info(weight.name, weight.data_type, weight.dims)
        for weight in old.graph.initializer
    )
    onnx.save(old, model)
    pool = """
name = "npu"
[[devices]]
name = "cpu0"
template = "Intel_Xeon_8380"
[[devices]]
name = "npu0"
template = "Ascend_910"
"""
    options = {"soc.npu0": "Ascend910B3"}
    request = cases.request_for(model, lambda i, n: i % 2, pool=pool, **options)
    manifest = export_plan("ascend", request, tmp_path / "out")
    assert manifest["coverage"]["n_unmatched"] == 0
    runtime = json.loads((tmp_path / "out" / "runtime.json").read_text())
    assert {port["tensor"] for entry in runtime["segments"] for port in entry["inputs"]}.isdisjoint({"w", "first"})
