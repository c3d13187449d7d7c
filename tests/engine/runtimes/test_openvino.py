"""OpenVINO's plugin: the precision that is asked for, what it tells of the executed graph, memory used in place."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from heteroopt.runtimes.description import Capability, RuntimeDescription
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.protocol import Command
from tests.engine.runtimes.models import model, perceptron, perceptron_of

PLUGIN = "openvino"
SIZE = 64


@pytest.fixture(scope="module")
def matrices():
    generator = np.random.default_rng(4)
    return {name: generator.standard_normal((SIZE, SIZE), np.float32) for name in "ab"}


def run(device, options, matrices):
    program = device.load(perceptron(SIZE), options)
    found = device.run_once(program, matrices, {"y": ("float32", (SIZE, SIZE))})["y"]
    return np.abs(found - perceptron_of(**matrices)).max(), device.details(program)


def test_only_real_devices_are_listed(device):
    described = RuntimeDescription.from_dict(device.process.call(Command.DESCRIBE))
    names = [place.position["openvino_device"] for place in described.devices]
    assert "CPU" in names
    assert not {"AUTO", "HETERO", "MULTI", "BATCH"} & {name.partition(".")[0] for name in names}
    cpu = described.devices[names.index("CPU")]
    assert cpu.device_type == "CPU"
    assert "fp32" in cpu.precisions
    assert "FP32" in cpu.position["library_capabilities"]
    assert cpu.can(Capability.HOST_MEMORY)
    assert described.versions["openvino"] in cpu.versions["CPU"] or cpu.versions["CPU"]


@pytest.mark.parametrize("precision", ["fp32", "model"])
def test_float32_stays_float32(device, matrices, precision):
    error, details = run(device, {"precision": precision}, matrices)
    assert error < 1e-5
    assert {layer["precision"] for layer in details["layers"]} == {"f32"}
    assert details["fallbacks"] == []


def test_the_librarys_own_default_is_what_it_says(device, matrices):
    error, details = run(device, {"precision": "default"}, matrices)
    product = next(layer for layer in details["layers"] if "product" in layer["operators"])
    if details["precision"] == "bf16":
        assert product["precision"] == "bf16"
        assert error > 1e-4
    else:
        assert error < 1e-5


def test_a_precision_that_the_device_lacks_is_refused_not_replaced(device):
    described = RuntimeDescription.from_dict(device.process.call(Command.DESCRIBE)).devices[0]
    if "fp16" in described.precisions:
        assert device.details(device.load(perceptron(SIZE), {"precision": "fp16"}))["precision"] == "f16"
        return
    with pytest.raises(RuntimeFault, match="where fp16 is asked for") as caught:
        device.load(perceptron(SIZE), {"precision": "fp16"})
    assert caught.value.code == "program_refused"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"precision": "fp33"}, "fp33"),
        ({"optimise": "some"}, "some"),
        ({"threads": -1}, "-1"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_an_option_that_does_not_exist_is_refused(device, options, says):
    with pytest.raises(RuntimeFault, match=says) as caught:
        device.load(perceptron(SIZE), options)
    assert caught.value.code == "program_refused"


def test_without_optimisation_no_operator_is_fused(device, matrices):
    error, fused = run(device, {"precision": "fp32"}, matrices)
    _, plain = run(device, {"precision": "fp32", "optimise": "none", "threads": 1}, matrices)
    assert ["product", "clipped", "squashed"] in [layer["operators"] for layer in fused["layers"]]
    assert all(len(layer["operators"]) <= 1 for layer in plain["layers"])
    assert "constant folding" in plain["not_switched_off"]
    assert error < 1e-5


def test_the_profile_names_layers_and_what_they_make(device, matrices):
    host = device.host_buffer(SIZE * SIZE * 4)
    places = {name: (name, device.alloc(SIZE * SIZE * 4), 0, "float32", (SIZE, SIZE)) for name in "aby"}
    for name, array in matrices.items():
        host.array("float32", (SIZE, SIZE))[...] = array
        device.synchronize(device.copy_h2d(places[name][1], host, array.nbytes))
    bound = [places["a"], places["b"]], [places["y"]]
    with pytest.raises(RuntimeFault) as caught:
        device.profile(device.load(perceptron(SIZE)), *bound, 2)
    assert caught.value.code == "profile_unsupported"
    program = device.load(perceptron(SIZE), {"profile": True, "precision": "fp32"})
    times = {time.name: time for time in device.profile(program, *bound, 3)}
    assert times["product"].outputs == ("e",)  # joined with what follows
    assert times["y"].outputs == ("y",)
    assert all(time.seconds >= 0 for time in times.values())
    assert len(device.time_runs(program, *bound, 4)) == 4


def test_what_no_kernel_of_the_device_computes_is_a_fallback(device):
    made = model(
        [helper.make_node("ArgMax", ["x"], ["y"], "last", axis=0, select_last_index=1)],
        {"x": (TensorProto.FLOAT, [4, 2])},
        {"y": (TensorProto.INT64, [1, 2])},
    )
    program = device.load(made)
    assert "Reference" in {fallback["op_type"] for fallback in device.details(program)["fallbacks"]}
    found = device.run_once(program, {"x": np.ones((4, 2), np.float32)}, {"y": ("int64", (1, 2))})["y"]
    assert found.tolist() == [[3, 3]]


def test_an_operator_that_it_does_not_have_is_named(device):
    shape = {"x": (TensorProto.FLOAT, [4, 4])}
    made = model([helper.make_node("Det", ["x"], ["y"], "d")], shape, {"y": (TensorProto.FLOAT, [])})
    with pytest.raises(RuntimeFault, match="Det") as caught:
        device.load(made)
    assert caught.value.code == "program_refused"
    assert "Exception from" not in caught.value.message


def test_tensors_of_every_kind_of_shape_and_of_bfloat16(device):
    nodes = [helper.make_node("Add", [f"{n}", f"{n}"], [f"{n}2"], f"add{n}") for n in ("b", "s", "e")]
    of = {"b": (TensorProto.BFLOAT16, [3]), "s": (TensorProto.FLOAT, []), "e": (TensorProto.INT32, [2, 0])}
    program = device.load(model(nodes, of, {f"{name}2": kind for name, kind in of.items()}))
    import ml_dtypes

    inputs = {
        "b": np.array([1.5, -2, 0.25], ml_dtypes.bfloat16),
        "s": np.array(3, np.float32),
        "e": np.zeros((2, 0), np.int32),
    }
    found = device.run_once(program, inputs, {"b2": ("bfloat16", (3,)), "s2": ("float32", ()), "e2": ("int32", (2, 0))})
    assert found["b2"].astype(np.float32).tolist() == [3, -4, 0.5]
    assert found["s2"] == 6
    assert found["e2"].shape == (2, 0)


@pytest.mark.parametrize(
    ("name", "shape", "says"),
    [("nobody", (SIZE, SIZE), "no output 'nobody'; it has y"), ("y", (SIZE, 3), "tensor")],
)
def test_a_wrong_name_or_shape_fails_that_run_only(device, matrices, name, shape, says):
    program = device.load(perceptron(SIZE), {})
    with pytest.raises(RuntimeFault, match=says) as caught:
        device.run_once(program, matrices, {name: ("float32", shape)})
    assert caught.value.code == "program_failed"
    found = device.run_once(program, matrices, {"y": ("float32", (SIZE, SIZE))})["y"]
    assert np.abs(found - perceptron_of(**matrices)).max() < 1e-5


def test_a_result_smaller_than_its_buffer_is_not_taken_for_whole(device):
    made = model(
        [helper.make_node("NonZero", ["x"], ["y"], "nz")],
        {"x": (TensorProto.FLOAT, [4])}, {"y": (TensorProto.INT64, [1, None])},
    )  # fmt: skip
    program = device.load(made)
    with pytest.raises(RuntimeFault, match=r"shape \[1, 2\], the buffer is for \[1, 4\]"):
        device.run_once(program, {"x": np.array([0, 1, 0, 2], np.float32)}, {"y": ("int64", (1, 4))})
    found = device.run_once(program, {"x": np.array([0, 1, 0, 2], np.float32)}, {"y": ("int64", (1, 2))})
    assert found["y"].tolist() == [[1, 3]]
