"""Constants are computed without a session, small ones only, and count as weights of the folded shape."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from heteroopt.errors import ModelError
from heteroopt.graph.folding import fold
from heteroopt.graph.graph import Graph
from heteroopt.graph.samples import onnx_light_model


@pytest.mark.parametrize(
    ("name", "operators", "parameters"),
    [("resnet50", 176, 25_610_152), ("densenet121", 668, 8_146_152), ("inception_v1", 143, 6_998_552)],
)
def test_light_models_fold_to_their_operators(name, operators, parameters):
    graph = Graph.from_onnx(onnx_light_model(name))
    assert len(graph.operators) == operators
    assert graph.parameters == parameters
    assert "ConstantOfShape" not in graph.op_type_histogram()
    assert graph.notes == ()


def test_a_large_constant_is_a_weight_without_numbers(read):
    nodes = [
        helper.make_node("ConstantOfShape", ["shape"], ["big"]),
        helper.make_node("Transpose", ["big"], ["wide"], perm=[1, 0]),
        helper.make_node("Cast", ["wide"], ["half"], to=TensorProto.FLOAT16),
        helper.make_node("Cast", ["x"], ["xh"], to=TensorProto.FLOAT16),
        helper.make_node("MatMul", ["xh", "half"], ["y"]),
    ]
    graph = read(nodes, {"x": [1, 30_000]}, ["y"], {"shape": np.array([20_000, 30_000])})
    assert [op.op_type for op in graph.operators] == ["Cast", "MatMul"]
    (weight,) = graph.initializers
    assert (weight.shape, weight.dtype, weight.size_bytes) == ((30_000, 20_000), "float16", 1_200_000_000)
    assert graph.operators[1].precision == "fp16"


def test_quantised_weights_keep_their_bytes(read):
    nodes = [
        helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["w"]),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    weights = {"q": np.zeros((64, 64), np.int8), "scale": np.float32(0.1), "zero": np.int8(0)}
    graph = read(nodes, {"x": [2, 64]}, ["y"], weights)
    assert [op.op_type for op in graph.operators] == ["MatMul"]
    assert graph.weight_bytes == 64 * 64


def test_random_operators_are_not_folded(read):
    nodes = [
        helper.make_node("RandomNormal", [], ["r"], shape=[4]),
        helper.make_node("Add", ["x", "r"], ["y"]),
    ]
    assert [op.op_type for op in read(nodes, {"x": [4]}, ["y"]).operators] == ["RandomNormal", "Add"]


def test_dead_operators_leave_with_a_note(read):
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Exp", ["x"], ["unused"])]
    graph = read(nodes, {"x": [4]}, ["y"])
    assert [op.op_type for op in graph.operators] == ["Relu"]
    assert graph.notes == ({"code": "dead_operators_removed", "params": {"count": 1}},)


def test_a_model_of_constants_only_is_refused(read):
    with pytest.raises(ModelError) as caught:
        read([helper.make_node("Shape", ["x"], ["y"])], {"x": [4]}, ["y"], elements={"y": TensorProto.INT64})
    assert caught.value.code == "model_empty"


def f32(*shape: int) -> np.ndarray:
    return np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)


def i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


CASES = [
    ("Gather", [f32(3, 4), i64(-1, 0)], {"axis": 1}),
    ("GatherElements", [f32(2, 3), np.array([[0, -1, 1], [1, 0, 0]])], {"axis": 1}),
    ("Unsqueeze", [f32(3), i64(0, 2)], {}),
    ("Squeeze", [f32(1, 3, 1), i64(0)], {}),
    ("Squeeze", [f32(1, 3, 1)], {}),
    ("Concat", [i64(1, 2), i64(3)], {"axis": 0}),
    ("Slice", [f32(4, 5), i64(1), i64(9), i64(1)], {}),
    ("Slice", [f32(5), i64(-1), i64(-99), i64(0), i64(-2)], {}),
    ("Reshape", [f32(2, 6), i64(0, -1, 3)], {}),
    ("Split", [f32(7)], {"axis": 0, "num_outputs": 3}),
    ("Split", [f32(6), i64(2, 4)], {"axis": 0}),
    ("Cast", [np.array([1.9, -1.9], np.float32)], {"to": TensorProto.INT64}),
    ("Div", [i64(7, -7, 6), i64(2, 2, -4)], {}),
    ("Mod", [i64(7, -7), i64(3, 3)], {}),
    ("Mod", [i64(7, -7), i64(3, 3)], {"fmod": 1}),
    ("Range", [np.array(2), np.array(11), np.array(3)], {}),
    ("Expand", [f32(3, 1), i64(2, 1, 4)], {}),
    ("Tile", [f32(2, 2), i64(1, 3)], {}),
    ("Transpose", [f32(2, 3, 4)], {"perm": [2, 0, 1]}),
    ("Where", [np.array([True, False]), i64(1, 2), i64(3, 4)], {}),
    ("Equal", [i64(1, 2), i64(1, 3)], {}),
    ("ReduceProd", [i64(2, 3, 4), i64(0)], {"keepdims": 0}),
    ("ReduceSum", [f32(2, 3), i64(1)], {"keepdims": 1}),
    ("ReduceSum", [f32(2, 3)], {"keepdims": 0}),
    ("ConstantOfShape", [i64(2, 2)], {"value": numpy_helper.from_array(np.array([7], np.int64))}),
    ("Flatten", [f32(2, 3, 4)], {"axis": 2}),
    ("NonZero", [np.array([[1, 0], [1, 1]], np.float32)], {}),
    ("Trilu", [f32(3, 3), np.array(1)], {"upper": 0}),
    ("Max", [i64(1, 5), i64(3, 3), i64(2, 9)], {}),
    ("Pow", [f32(3), np.array(2.0, np.float32)], {}),
    ("Shape", [f32(3, 4, 5)], {"start": 1, "end": -1}),
]


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes"), CASES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_rules_agree_with_the_reference_evaluator(op_type, inputs, attributes):
    names = [f"i{k}" for k in range(len(inputs))]
    n_outputs = attributes.get("num_outputs", 2 if op_type == "Split" else 1)
    outputs = [f"o{k}" for k in range(n_outputs)]
    graph = helper.make_graph(
        [helper.make_node(op_type, names, outputs, **attributes)],
        "one",
        [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in zip(names, inputs, strict=True)
        ],
        [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in outputs],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    expected = ReferenceEvaluator(model).run(None, dict(zip(names, inputs, strict=True)))
    found = fold(op_type, attributes, inputs, 18, n_outputs)
    assert found is not None
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)
        assert mine.dtype == theirs.dtype


def test_a_rule_that_does_not_apply_gives_nothing():
    assert fold("Reshape", {}, [f32(5), i64(2, 2)], 18, 1) is None
    assert fold("Gather", {}, [f32(5), i64(9)], 18, 1) is None
    assert fold("Unheard", {}, [f32(5)], 18, 1) is None
