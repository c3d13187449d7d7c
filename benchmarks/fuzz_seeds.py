"""Small sound models that mutations start from: together they use every kind of structure that ONNX has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

_BOOL, _INT64 = TensorProto.BOOL, TensorProto.INT64


def _info(name: str, shape: Sequence[int | str] | None, element: int = TensorProto.FLOAT):  # type: ignore[no-untyped-def]
    return helper.make_tensor_value_info(name, element, shape)


def _weights(name: str, *shape: int) -> TensorProto:
    return numpy_helper.from_array(np.full(shape, 0.5, np.float32), name)


def _ints(name: str, *values: int) -> TensorProto:
    return numpy_helper.from_array(np.array(values, np.int64), name)


def _model(graph: GraphProto, opset: int = 17, functions: Sequence[object] = ()) -> ModelProto:
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("local", 1), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9, functions=list(functions))  # type: ignore[arg-type]


def _graph(
    nodes: Sequence[NodeProto],
    inputs: dict[str, Sequence[int | str]],
    outputs: Sequence[str],
    weights: Sequence[TensorProto] = (),
) -> GraphProto:
    ports = [_info(name, shape) for name, shape in inputs.items()]
    return helper.make_graph(nodes, "g", ports, [_info(name, None) for name in outputs], initializer=list(weights))


def _convolutions() -> ModelProto:
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["a"], name="conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["a", "s", "s", "s", "s"], ["b"], name="bn"),
        helper.make_node("Relu", ["b"], ["c"], name="relu"),
        helper.make_node("Conv", ["c", "w1"], ["d"], name="depthwise", group=8, kernel_shape=[3, 3], strides=[2, 2]),
        helper.make_node("ConvTranspose", ["d", "w2"], ["e"], name="up", strides=[2, 2], output_padding=[1, 1]),
        helper.make_node("Resize", ["e", "", "scales"], ["f"], name="resize", mode="nearest"),
        helper.make_node("MaxPool", ["f"], ["p"], name="pool", kernel_shape=[2, 2], auto_pad="SAME_UPPER"),
        helper.make_node("GlobalAveragePool", ["p"], ["y"], name="gap"),
    ]
    weights = [_weights("w0", 8, 3, 3, 3), _weights("s", 8), _weights("w1", 8, 1, 3, 3), _weights("w2", 8, 4, 2, 2)]
    scales = numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), "scales")
    return _model(_graph(nodes, {"x": ["N", 3, 16, 16]}, ["y"], [*weights, scales]))


def _attention() -> ModelProto:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["q"], name="q"),
        helper.make_node("Shape", ["q"], ["s"], name="shape"),
        helper.make_node("Gather", ["s", "zero"], ["n"], name="batch"),
        helper.make_node("Unsqueeze", ["n", "zero1"], ["n1"], name="unsqueeze"),
        helper.make_node("Concat", ["n1", "rest"], ["target"], name="concat", axis=0),
        helper.make_node("Reshape", ["q", "target"], ["r"], name="reshape"),
        helper.make_node("Transpose", ["r"], ["t"], name="transpose", perm=[0, 2, 1, 3]),
        helper.make_node("Einsum", ["t", "t"], ["e"], name="einsum", equation="bhid,bhjd->bhij"),
        helper.make_node("Softmax", ["e"], ["p"], name="softmax", axis=-1),
        helper.make_node("MatMul", ["p", "t"], ["v"], name="v"),
        helper.make_node("ReduceMean", ["v"], ["m"], name="mean", axes=[-1], keepdims=1),
        helper.make_node("Slice", ["m", "zero1", "one1", "zero1"], ["y"], name="slice"),
    ]
    weights = [_weights("w", 8, 8), _ints("zero1", 0), _ints("one1", 1), _ints("rest", -1, 2, 4)]
    zero = numpy_helper.from_array(np.array(0, np.int64), "zero")
    return _model(_graph(nodes, {"x": ["batch", "seq", 8]}, ["y"], [*weights, zero]))


def _control_flow() -> ModelProto:
    small = helper.make_graph([helper.make_node("Relu", ["x"], ["o"], name="then")], "t", [], [_info("o", [2, 4])])
    large = helper.make_graph([helper.make_node("Add", ["x", "w"], ["o"], name="else")], "e", [], [_info("o", [2, 4])])
    step = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["go_out"]),
            helper.make_node("Mul", ["carried", "w"], ["carried_out"], name="body"),
            helper.make_node("ReduceSum", ["carried_out"], ["scanned"], name="sum", keepdims=0),
        ],
        "body",
        [_info("i", [], _INT64), _info("go", [], _BOOL), _info("carried", [2, 4])],
        [_info("go_out", [], _BOOL), _info("carried_out", [2, 4]), _info("scanned", [])],
    )
    row = helper.make_graph(
        [
            helper.make_node("Add", ["state", "item"], ["state_out"]),
            helper.make_node("Relu", ["state_out"], ["item_out"]),
        ],
        "row",
        [_info("state", [4]), _info("item", [4])],
        [_info("state_out", [4]), _info("item_out", [4])],
    )
    nodes = [
        helper.make_node("If", ["c"], ["a"], name="if", then_branch=small, else_branch=large),
        helper.make_node("Loop", ["trips", "true", "a"], ["b", "sums"], name="loop", body=step),
        helper.make_node("Scan", ["first", "b"], ["last", "rows"], name="scan", body=row, num_scan_inputs=1),
        helper.make_node("Add", ["rows", "b"], ["y"], name="join"),
    ]
    weights = [_weights("w", 4), numpy_helper.from_array(np.array(5, np.int64), "trips"), _weights("first", 4)]
    weights.append(numpy_helper.from_array(np.array(True), "true"))
    graph = _graph(nodes, {"x": [2, 4]}, ["y", "sums", "last"], weights)
    graph.input.append(_info("c", [], _BOOL))
    return _model(graph)


def _functions() -> ModelProto:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    inner = helper.make_function(
        "local", "Act", ["a"], ["b"], [helper.make_node("Tanh", ["a"], ["b"], name="t")], opsets
    )
    body = [
        helper.make_node("MatMul", ["a", "w"], ["m"], name="m"),
        helper.make_node("Act", ["m"], ["n"], domain="local", name="act"),
        helper.make_node("Gemm", ["n", "w"], ["b"], name="gemm"),
    ]
    gemm = body[-1].attribute.add(name="alpha", type=AttributeProto.FLOAT)
    gemm.ref_attr_name = "alpha"
    outer = helper.make_function("local", "Block", ["a", "w"], ["b"], body, opsets, attributes=["alpha"])
    nodes = [
        helper.make_node("Block", ["x", "w"], ["h"], domain="local", name="one", alpha=0.5),
        helper.make_node("Block", ["h", "w"], ["y"], domain="local", name="two", alpha=2.0),
    ]
    return _model(_graph(nodes, {"x": [3, 4]}, ["y"], [_weights("w", 4, 4)]), functions=[inner, outer])


def _quantised() -> ModelProto:
    scale = numpy_helper.from_array(np.array(0.1, np.float32), "scale")
    zero = numpy_helper.from_array(np.array(3, np.uint8), "zero")
    packed = numpy_helper.from_array(np.ones((4, 4), np.uint8), "packed")
    int4 = helper.make_tensor("int4", TensorProto.INT4, [4, 4], np.ones(16, np.int8))
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"], name="q"),
        helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["d"], name="d"),
        helper.make_node("DequantizeLinear", ["packed", "scale", "zero"], ["w"], name="w"),
        helper.make_node("DequantizeLinear", ["int4", "scale"], ["v"], name="v"),
        helper.make_node("MatMul", ["d", "w"], ["m"], name="m"),
        helper.make_node("MatMul", ["m", "v"], ["n"], name="n"),
        helper.make_node("MatMulInteger", ["q", "packed"], ["i"], name="i"),
        helper.make_node("Cast", ["i"], ["f"], name="cast", to=TensorProto.FLOAT),
        helper.make_node("FusedMatMul", ["f", "n"], ["y"], domain="com.microsoft", name="fused", transA=1),
    ]
    return _model(_graph(nodes, {"x": [4, 4]}, ["y"], [scale, zero, packed, int4]), opset=21)


def _recurrent() -> ModelProto:
    nodes = [
        helper.make_node(
            "LSTM", ["x", "w", "r"], ["h", "", "c"], name="lstm", hidden_size=5, direction="bidirectional"
        ),
        helper.make_node("SequenceConstruct", ["h", "h"], ["list"], name="sequence"),
        helper.make_node("ConcatFromSequence", ["list"], ["joined"], name="joined", axis=0),
        helper.make_node("Split", ["joined"], ["first", "second"], name="split", axis=0),
        helper.make_node("TopK", ["first", "k"], ["top", "at"], name="topk"),
        helper.make_node("NonZero", ["second"], ["where"], name="nonzero"),
        helper.make_node("ConstantOfShape", ["k"], ["filled"], name="filled", value=_weights("v", 1)),
        helper.make_node("Range", ["a", "b", "a1"], ["range"], name="range"),
    ]
    scalars = [numpy_helper.from_array(np.array(i, np.int64), name) for i, name in enumerate(("a", "a1", "b"))]
    weights = [_weights("w", 2, 20, 3), _weights("r", 2, 20, 5), _ints("k", 2), *scalars]
    outputs = ["top", "at", "where", "filled", "range", "c"]
    return _model(_graph(nodes, {"x": [6, 1, 3]}, outputs, weights))


def _odd_storage() -> ModelProto:
    outside = TensorProto(name="outside", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "w.bin"), ("offset", "0"), ("length", "16")):
        outside.external_data.add(key=key, value=value)
    halves = TensorProto(name="halves", data_type=TensorProto.FLOAT16, dims=[4], int32_data=[15360] * 4)
    brain = TensorProto(name="brain", data_type=TensorProto.BFLOAT16, dims=[4], raw_data=bytes(8))
    sparse = helper.make_sparse_tensor(_weights("sparse", 1), _ints("at", 2), [4])
    nodes = [
        helper.make_node("Add", ["x", "outside"], ["a"], name="a"),
        helper.make_node("Cast", ["halves"], ["h"], name="h", to=TensorProto.FLOAT),
        helper.make_node("Cast", ["brain"], ["b"], name="b", to=TensorProto.FLOAT),
        helper.make_node("Constant", [], ["k"], name="k", sparse_value=sparse),
        helper.make_node("Sum", ["a", "h", "b", "k"], ["s"], name="s"),
        helper.make_node("Dropout", ["s"], ["y"], name="drop"),
    ]
    return _model(_graph(nodes, {"x": [4]}, ["y"], [outside, halves, brain]))


def seeds() -> list[bytes]:
    """The models, serialised."""
    makers = (
        _convolutions, _attention, _control_flow, _functions, _quantised, _recurrent, _odd_storage,
    )  # fmt: skip
    return [make().SerializeToString() for make in makers]
