"""OpenCL's plugin: kernels against the standard's reference, what is refused, and platforms that cannot compile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, load_from_string
from onnx.reference import ReferenceEvaluator

from heteroopt.runtimes.configuration import read_configuration
from heteroopt.runtimes.description import DeviceState
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.manager import RuntimeManager
from heteroopt.runtimes.registry import SHIPPED, Plugin
from tests.engine.runtimes.models import model, perceptron, perceptron_of

PLUGIN = "opencl"
F, I64, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL

pytestmark = pytest.mark.skipif(
    not list(Path("/etc/OpenCL/vendors").glob("*.icd")),
    reason="no OpenCL platform here (Debian: apt install pocl-opencl-icd)",
)


def check(device, made, inputs, tolerance=1e-5):
    """Run a model on the device and compare every output with ONNX's reference."""
    expected = ReferenceEvaluator(load_from_string(made)).run(None, inputs)
    names = [info.name for info in load_from_string(made).graph.output]
    wanted = {
        name: (array.dtype.name, array.shape) for name, array in zip(names, map(np.asarray, expected), strict=True)
    }
    program = device.load(made)
    found = device.run_once(program, inputs, wanted)
    for name, array in zip(names, expected, strict=True):
        assert np.allclose(found[name], array, rtol=tolerance, atol=tolerance, equal_nan=True), name
    return device.details(program)


def test_elements_for_themselves(device):
    """Every pointwise operator once, in one program."""
    unary = ["Relu", "Sigmoid", "Tanh", "Erf", "Exp", "Floor", "Ceil", "Round", "Sin", "Cos", "Atan", "Softplus",
             "Softsign", "HardSwish", "Mish", "LeakyRelu", "Elu", "Celu", "Selu", "HardSigmoid", "ThresholdedRelu",
             "Shrink", "Abs", "Neg", "Sign", "Gelu", "IsNaN", "IsInf"]  # fmt: skip
    binary = ["Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Mean", "PRelu", "Less", "GreaterOrEqual", "Equal"]
    logical = ["IsNaN", "IsInf", "Less", "GreaterOrEqual", "Equal"]
    nodes = [helper.make_node(op, ["x"], [op]) for op in unary]
    nodes += [helper.make_node(op, ["x", "v"], [op]) for op in binary]
    nodes += [
        helper.make_node("Where", ["Less", "x", "v"], ["Where"]),
        helper.make_node("Clip", ["x", "low"], ["Clip"]),
        helper.make_node("Cast", ["x"], ["Cast"], to=I64),
        helper.make_node("Mod", ["i", "three"], ["Mod"]),
        helper.make_node("Pow", ["Abs", "three"], ["Pow"]),
    ]
    shape = [2, 3, 4]
    kinds = {name: (B if name in logical else F, shape) for name in [*unary, *binary, "Where", "Clip", "Pow"]}
    kinds |= {"Cast": (I64, shape), "Mod": (I64, [5])}
    weights = {"low": np.float32(-0.5), "three": np.array([3], np.int64)}
    made = model(nodes, {"x": (F, shape), "v": (F, [3, 1]), "i": (I64, [5])}, kinds, weights, opset=20)
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32) * 3
    x[0, 0, :3] = np.nan, np.inf, -np.inf
    made_of_numbers = x.copy()
    made_of_numbers[0, 0, :3] = 0.5, -2.5, 2
    for data, only in ((x, {"IsNaN", "IsInf", "Relu", "Max", "Min"}), (made_of_numbers, set(kinds))):
        inputs = {"x": data, "v": np.array([[1], [-2], [0.5]], np.float32), "i": np.array([-7, -3, 0, 4, 8])}
        part = load_from_string(made)
        kept = [info for info in part.graph.output if info.name in only]
        del part.graph.output[:]
        part.graph.output.extend(kept)
        with np.errstate(all="ignore"):
            check(device, part.SerializeToString(), inputs)


def test_joined_moved_and_multiplied(device):
    nodes = [
        helper.make_node("Conv", ["x", "w", "bias"], ["conv"], pads=[1, 0, 1, 2], strides=[2, 1], group=2),
        helper.make_node("MaxPool", ["conv"], ["pooled"], kernel_shape=[2, 2], ceil_mode=1, strides=[2, 2]),
        helper.make_node("AveragePool", ["conv"], ["mean"], kernel_shape=[3, 3], auto_pad="SAME_UPPER"),
        helper.make_node("GlobalAveragePool", ["mean"], ["global"]),
        helper.make_node("Flatten", ["global"], ["flat"]),
        helper.make_node("Gemm", ["flat", "dense", "six"], ["gemm"], transB=1, alpha=0.5),
        helper.make_node("Softmax", ["gemm"], ["soft"]),
        helper.make_node("Transpose", ["pooled"], ["turned"], perm=[0, 2, 3, 1]),
        helper.make_node("Slice", ["turned", "from", "to", "on", "by"], ["cut"]),
        helper.make_node("Concat", ["cut", "cut"], ["twice"], axis=3),
        helper.make_node("ReduceSum", ["twice", "on"], ["sum"], keepdims=0),
        helper.make_node("ReduceLogSumExp", ["twice"], ["lse"], keepdims=0),
        helper.make_node("ArgMax", ["twice"], ["place"], axis=-1),
        helper.make_node("MatMul", ["twice", "b"], ["product"]),
        helper.make_node("LayerNormalization", ["product", "scale"], ["normal"], axis=-1),
        helper.make_node("Split", ["normal"], ["half", "other"], axis=-1, num_outputs=2),
        helper.make_node("Pad", ["half", "pads"], ["padded"], mode="reflect"),
        helper.make_node("Gather", ["padded", "places"], ["picked"], axis=3),
        helper.make_node("Tile", ["picked", "times"], ["tiled"]),
    ]  # fmt: skip
    random = np.random.default_rng(2)
    weights = {
        "w": random.standard_normal((6, 2, 3, 3)).astype(np.float32), "bias": np.arange(6, dtype=np.float32),
        "dense": random.standard_normal((5, 6)).astype(np.float32), "six": np.ones((1, 5), np.float32),
        "from": np.array([-1]), "to": np.array([-100]), "on": np.array([2]), "by": np.array([-1]),
        "b": random.standard_normal((12, 16)).astype(np.float32), "scale": random.random(16).astype(np.float32),
        "pads": np.array([0, 0, 0, 2, 0, 0, 0, 1]), "places": np.array([[0, -1], [3, 1]]),
        "times": np.array([1, 2, 1, 1, 3]),
    }  # fmt: skip
    floats = ["pooled", "mean", "soft", "sum", "lse", "product", "normal", "padded", "tiled"]
    kinds = {name: (F, None) for name in floats} | {"place": (I64, None)}
    made = model(nodes, {"x": (F, [2, 4, 7, 6])}, kinds, weights, opset=18)
    x = random.standard_normal((2, 4, 7, 6)).astype(np.float32)
    details = check(device, made, {"x": x}, 1e-4)
    assert details["fallbacks"] == []
    assert details["kernels"] == len(nodes) + 1 + 1 - 1  # Concat and Split take two, Flatten none
    assert details["workspace_bytes"] > 0


def test_what_there_is_no_kernel_for_is_named(device):
    shape = (F, [4, 4])
    made = model(
        [helper.make_node("Det", ["x"], ["d"]), helper.make_node("Einsum", ["x"], ["y"], equation="ij->ji")],
        {"x": shape}, {"y": shape, "d": (F, [])},
    )  # fmt: skip
    for bad, says in [
        (made, "no kernels for Det, Einsum"),
        (model([helper.make_node("Relu", ["x"], ["y"], new=1)], {"x": shape}, {"y": shape}), "attribute new"),
        (perceptron(4, TensorProto.BFLOAT16), "bfloat16"),
        (b"no model", "cannot be read"),
    ]:
        with pytest.raises(RuntimeFault, match=says) as caught:
            device.load(bad)
        assert caught.value.code == "program_refused"
    with pytest.raises(RuntimeFault, match="own types"):
        device.load(perceptron(4), {"precision": "fp16"})


def test_shapes_that_only_a_run_brings(device):
    """An open dimension, and a shape that is an input: compiled when the run comes, again for other ones."""
    nodes = [helper.make_node("Reshape", ["x", "s"], ["r"]), helper.make_node("Add", ["r", "r"], ["y"])]
    made = model(nodes, {"x": (F, ["n", 4]), "s": (I64, [2])}, {"y": (F, [None, None])})
    program = device.load(made)
    assert device.details(program)["compiled"] is False
    for rows, shape in ((3, (2, 6)), (3, (6, 2)), (1, (2, 2))):
        x = np.arange(rows * 4, dtype=np.float32).reshape(rows, 4)
        found = device.run_once(program, {"x": x, "s": np.array(shape)}, {"y": ("float32", shape)})
        assert np.array_equal(found["y"], 2 * x.reshape(shape))
    with pytest.raises(RuntimeFault, match=r"output 'y' is float32 \[2, 2\]"):
        device.run_once(program, {"x": x, "s": np.array(shape)}, {"y": ("float32", (4,))})


def test_outputs_that_are_inputs_constants_or_the_same(device):
    nodes = [
        helper.make_node("Identity", ["x"], ["same"]),
        helper.make_node("Relu", ["x"], ["r"]),
        helper.make_node("Reshape", ["r", "s"], ["view"]),
        helper.make_node("Shape", ["x"], ["shape"]),
    ]
    kinds = {"same": (F, [2, 2]), "r": (F, [2, 2]), "view": (F, [4]), "shape": (I64, [2])}
    made = model(nodes, {"x": (F, [2, 2])}, kinds, {"s": np.array([4])})
    check(device, made, {"x": np.array([[1, -1], [-2, 2]], np.float32)})


def test_tensors_lie_anywhere_in_their_buffers(device):
    size = 16
    random = np.random.default_rng(5)
    a, b = (random.standard_normal((size, size)).astype(np.float32) for _ in range(2))
    nbytes = a.nbytes
    host, buffer = device.host_buffer(3 * nbytes + 4), device.alloc(3 * nbytes + 4)
    host.array("float32", (2, size, size), 4)[...] = [a, b]
    device.copy_h2d(buffer, host, 2 * nbytes, offset=4, source_offset=4)
    program = device.load(perceptron(size))
    place = lambda name, at: (name, buffer, at, "float32", (size, size))  # noqa: E731
    event = device.launch(program, [place("a", 4), place("b", 4 + nbytes)], [place("y", 4 + 2 * nbytes)])
    device.synchronize(event)
    assert (device.elapsed_s(event) or 0) > 0
    device.synchronize(device.copy_d2h(buffer, host, nbytes, offset=4 + 2 * nbytes))
    assert np.allclose(host.array("float32", (size, size)), perceptron_of(a, b), atol=1e-5)
    for wrong, says in ((place("y", 6), "inside an element"), (place("y", 8 + 2 * nbytes), "its buffer has fewer")):
        with pytest.raises(RuntimeFault, match=says):
            device.synchronize(device.launch(program, [place("a", 4), place("b", 4)], [wrong]))
        device.reset_stream()


@pytest.mark.parametrize(
    ("environment", "state"),
    [({"OCL_ICD_VENDORS": "/no/such/folder"}, None), ({"PATH": "/no/such/folder"}, DeviceState.UNUSABLE)],
    ids=["no platform", "a platform that lists a device and cannot link a kernel"],
)
def test_a_host_where_nothing_can_compile(tmp_path, environment, state):
    shipped = read_configuration(SHIPPED / "opencl")
    environment = {"POCL_CACHE_DIR": str(tmp_path), **environment}
    asked = replace(shipped, environment=environment, probe_timeout_s=30.0)
    manager = RuntimeManager([Plugin("opencl", Path(), asked)])
    manager.start()
    assert manager.wait(60.0)
    try:
        devices = manager.status("opencl").devices()
        if state is None:
            assert devices == []
            status = manager.status("opencl")
            assert status.state == DeviceState.ABSENT
            assert status.reason is not None
            assert "no OpenCL platform" in status.reason.message
            return
        assert {device.state for device in devices} == {state}
        assert all(device.reason and "link" in device.reason.message for device in devices)
        with pytest.raises(RuntimeFault):
            manager.open("opencl", devices[0].index)
    finally:
        manager.stop()
