"""A whole model made ready for a comparison: seeded inputs, and intermediate results that can be asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from heteroopt.errors import ModelError
from heteroopt.graph.graph import Graph, Operator

CHUNK_BYTES = 1 << 28
"""Intermediate results that are asked for in one run."""

_ROWWISE = ("softmax", "normalization")


@dataclass(frozen=True, slots=True)
class ModelProgram:
    """A model with the shapes of its tensors, and inputs for it."""

    model: onnx.ModelProto
    graph: Graph
    inputs: dict[str, NDArray[Any]]
    outputs: dict[str, tuple[str, tuple[int, ...]]]
    """Type and shape of the model's own results."""

    shown: dict[str, tuple[str, tuple[int, ...]]]
    """Type and shape of every result of an operator that can be asked for, in the order of the operators."""

    def bytes_showing(self, names: Iterable[str]) -> bytes:
        """Return the model with these intermediate results as outputs beside its own."""
        changed = onnx.ModelProto()
        changed.CopyFrom(self.model)
        present = {value.name for value in changed.graph.output}
        for name in names:
            if name not in present:
                dtype, shape = self.shown[name]
                kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
                changed.graph.output.append(helper.make_tensor_value_info(name, kind, shape))
        return bytes(changed.SerializeToString())

    def chunks(self) -> list[list[str]]:
        """Return the names in ``shown`` in runs of at most ``CHUNK_BYTES``."""
        chunks: list[list[str]] = [[]]
        used = 0
        for name, (dtype, shape) in self.shown.items():
            size = math.prod(shape) * np.dtype(dtype).itemsize
            if chunks[-1] and used + size > CHUNK_BYTES:
                chunks.append([])
                used = 0
            chunks[-1].append(name)
            used += size
        return [chunk for chunk in chunks if chunk]


def prepare_model(model: bytes, seed: int = 0) -> ModelProgram:
    """Read a model and make inputs for it. Raises ``ModelError`` for what is no readable model in one file.

    Open dimensions get the reader's defaults. Inputs: standard normal numbers; integers that look up rows of a
    constant lie inside it, other integers are 0 or 1; booleans are both.
    """
    graph = Graph.from_onnx(model)  # checks the bytes before anything parses them whole
    parsed = onnx.load_from_string(model)
    rng = np.random.default_rng(seed)
    constants = {tensor.name: tuple(tensor.dims) for tensor in parsed.graph.initializer}
    by_name = {tensor.name: tensor for tensor in graph.tensors}
    inputs: dict[str, NDArray[Any]] = {}
    for value in parsed.graph.input:
        if value.name in constants:
            continue
        shape = by_name[value.name].shape if value.name in by_name else None
        if shape is None:
            shape = _declared(value)
        kind = value.type.tensor_type.elem_type
        if value.type.WhichOneof("value") != "tensor_type" or kind == TensorProto.STRING:
            raise _unsuitable(value.name)
        inputs[value.name] = _numbers(rng, helper.tensor_dtype_to_np_dtype(kind), shape, _rows(parsed, value.name))
    own = [value.name for value in parsed.graph.output]
    made = [name for node in parsed.graph.node for name in node.output if name]
    known = {
        tensor.name: (tensor.dtype, tensor.shape)
        for tensor in graph.tensors
        if tensor.shape is not None and tensor.producer >= 0 and _can_be_held(tensor.dtype)
    }
    lacking = [name for name in own if name not in known]
    if lacking and not [name for name in own if name in known]:
        raise _unsuitable(lacking[0])
    return ModelProgram(
        parsed,
        graph,
        inputs,
        {name: known[name] for name in own if name in known},
        {name: known[name] for name in made if name in known},
    )


def reduction_length(graph: Graph, operator: Operator) -> int:
    """Return how many terms make one element of an operator's result.

    Products: FLOP over twice the elements of the result (2 FLOP a multiply-accumulate). Softmax and normalisations:
    the last axis. Else how many elements come in for each that goes out.
    """
    result = graph.tensors[operator.outputs[0]] if operator.outputs else None
    elements = math.prod(result.shape) if result is not None and result.shape else 1
    if operator.op_class in _ROWWISE and result is not None and result.shape:
        return max(1, int(result.shape[-1]))
    if operator.op_class in ("matmul", "conv", "depthwise_conv", "attention", "recurrent"):
        return max(1, operator.flops // max(1, 2 * elements))
    read = sum(math.prod(graph.tensors[t].shape or (1,)) for t in operator.inputs)
    return max(1, read // max(1, elements))


def _can_be_held(dtype: str) -> bool:
    try:
        return np.dtype(dtype).kind in "fiub"
    except TypeError:
        return False


def _declared(value: onnx.ValueInfoProto) -> tuple[int, ...]:
    return tuple(dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim)


def _rows(model: onnx.ModelProto, name: str) -> int:
    """Return the fewest rows of the constants that an input of indices looks up, 2 if it looks up none."""
    sizes: Mapping[str, tuple[int, ...]] = {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer}
    found = []
    for node in model.graph.node:
        if node.op_type == "Gather" and len(node.input) == 2 and node.input[1] == name and node.input[0] in sizes:
            axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), 0)
            found.append(sizes[node.input[0]][axis])
    return min(found, default=2)


def _numbers(rng: np.random.Generator, dtype: np.dtype[Any], shape: tuple[int, ...], rows: int) -> NDArray[Any]:
    if dtype.kind in "iu":
        return rng.integers(0, max(1, rows), shape).astype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    return rng.standard_normal(shape).astype(dtype)


def _unsuitable(name: str) -> ModelError:
    return ModelError(
        "comparison_unsuitable",
        f"The model cannot be compared: {name!r} is no tensor of numbers with a known shape.",
        hint="Models are compared whose inputs and results are tensors of known shapes.",
        tensor=name,
    )
