"""Small ONNX models for the graph tests, built in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, ValueInfoProto, helper, numpy_helper

from heteroopt.graph.graph import Graph
from heteroopt.graph.onnx_reader import read_onnx

Shape = list[int | str | None] | None


def info(name: str, shape: Shape, element: int = TensorProto.FLOAT) -> ValueInfoProto:
    """A graph input or output."""
    return helper.make_tensor_value_info(name, element, shape)


def build_model(
    nodes: list[Any],
    inputs: dict[str, Shape],
    outputs: list[str],
    weights: dict[str, np.ndarray] | None = None,
    *,
    opset: int = 17,
    elements: dict[str, int] | None = None,
    output_shapes: dict[str, Shape] | None = None,
    functions: list[Any] | None = None,
    domains: tuple[str, ...] = (),
) -> ModelProto:
    """A model from parts; outputs have no declared shape unless given."""
    kinds = elements or {}
    graph = helper.make_graph(
        nodes,
        "model",
        [info(name, shape, kinds.get(name, TensorProto.FLOAT)) for name, shape in inputs.items()],
        [info(name, (output_shapes or {}).get(name), kinds.get(name, TensorProto.FLOAT)) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()],
    )
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9, functions=functions or [])


@pytest.fixture
def model() -> Callable[..., ModelProto]:
    """The builder, for tests that look at bytes."""
    return build_model


@pytest.fixture
def read() -> Callable[..., Graph]:
    """Build a model and read it; ``dims`` binds dynamic dimensions."""

    def build_and_read(*parts: Any, dims: dict[str, int] | None = None, **options: Any) -> Graph:
        return read_onnx(build_model(*parts, **options).SerializeToString(), dims)

    return build_and_read
