"""Small models and arrays for the tests of runtimes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

Shaped = Mapping[str, tuple[int, Sequence[int | str | None]]]


def model(
    nodes: Sequence[NodeProto],
    inputs: Shaped,
    outputs: Shaped,
    weights: Mapping[str, NDArray[Any]] | None = None,
    opset: int = 17,
) -> bytes:
    """An ONNX model of these nodes; ``inputs`` and ``outputs``: ``name: (element type, shape)``."""
    infos = [[helper.make_tensor_value_info(name, *of) for name, of in part.items()] for part in (inputs, outputs)]
    kept = [numpy_helper.from_array(value, name) for name, value in (weights or {}).items()]
    graph = helper.make_graph(list(nodes), "g", *infos, kept)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return bytes(made.SerializeToString())


def perceptron(size: int = 64, element: int = TensorProto.FLOAT) -> bytes:
    """y = Sigmoid(Relu(a @ b)) + a, [size, size]."""
    shape = (element, [size, size])
    nodes = [
        helper.make_node("MatMul", ["a", "b"], ["c"], "product"),
        helper.make_node("Relu", ["c"], ["d"], "clipped"),
        helper.make_node("Sigmoid", ["d"], ["e"], "squashed"),
        helper.make_node("Add", ["e", "a"], ["y"], "sum"),
    ]
    return model(nodes, {"a": shape, "b": shape}, {"y": shape})


def perceptron_of(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """What ``perceptron`` gives, in float64."""
    product = np.maximum(a.astype(np.float64) @ b.astype(np.float64), 0)
    result: NDArray[Any] = 1 / (1 + np.exp(-product)) + a
    return result
