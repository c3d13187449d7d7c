"""From an ONNX graph with known shapes to launches: constants are computed here, views cost nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import AttributeProto, numpy_helper

from heteroopt.runtimes.errors import refused
from heteroopt.runtimes.plugins.opencl import operators
from heteroopt.runtimes.plugins.opencl.kernels import Step
from heteroopt.runtimes.plugins.opencl.registry import RULES, Attributes, ContentNeeded, Node
from heteroopt.runtimes.plugins.opencl.values import Value, known, make_value

assert operators  # importing it registers the rules

STANDARD = ("", "ai.onnx")
ON_HOST = ("Shape", "Size", "Constant")
"""Operators whose results follow from shapes and attributes alone."""


@dataclass(slots=True)
class Lowered:
    """``inputs`` and ``outputs`` by name; ``fallbacks``: operators of the program's inputs that the host computes."""

    inputs: dict[str, Value]
    outputs: dict[str, Value] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    fallbacks: list[dict[str, Any]] = field(default_factory=list)


def check_operators(model: onnx.ModelProto) -> None:
    """Refuse a model with an operator that there are no kernels for, naming all of them."""
    missing = sorted(
        {
            f"{node.domain}.{node.op_type}" if node.domain not in STANDARD else node.op_type
            for node in model.graph.node
            if node.domain not in STANDARD or (node.op_type not in RULES and node.op_type not in ON_HOST)
        }
    )
    if missing:
        raise refused(f"no kernels for {', '.join(missing)}", kind="NotImplementedError")
    if model.graph.sparse_initializer:
        raise refused("sparse weights")


def lower(
    model: onnx.ModelProto, shapes: Mapping[str, Sequence[int]], contents: Mapping[str, NDArray[Any]]
) -> Lowered:  # fmt: skip
    """Return the launches for inputs of these shapes.

    ``contents``: what those inputs hold on whose content shapes depend. Raises ``ContentNeeded`` for one that is
    missing, ``RuntimeFault`` ``program_refused`` for what there is no kernel for.
    """
    opset = next((entry.version for entry in model.opset_import if entry.domain in STANDARD), 1)
    values: dict[str, Value] = {}
    for tensor in model.graph.initializer:
        values[tensor.name] = known(numpy_helper.to_array(tensor))
    lowered = Lowered({})
    sources: dict[int, str] = {}
    for info in model.graph.input:
        if info.name in values and info.name not in shapes:
            continue  # a weight that old models list as an input too
        value = make_value(element_type(info), shapes[info.name])
        value.host = contents.get(info.name)
        values[info.name] = lowered.inputs[info.name] = value
        sources[id(value.storage)] = info.name
    from_inputs = {id(value.storage) for value in lowered.inputs.values()}
    for proto in model.graph.node:
        inputs = [values[name] if name else None for name in proto.input]
        attributes = Attributes({attribute.name: _plain(attribute) for attribute in proto.attribute})
        outputs = [name for name in proto.output if name]
        node = Node(proto.op_type, proto.name or outputs[0], inputs, attributes, len(outputs), opset, sources)
        present = [value for value in inputs if value is not None]
        if proto.op_type in ON_HOST or (present and all(value.host is not None for value in present)):
            made = _on_host(proto, node, opset)
            if any(id(value.storage) in from_inputs for value in present):
                lowered.fallbacks.append({"operators": [node.name], "op_type": proto.op_type, "to": "host"})
                from_inputs |= {id(value.storage) for value in made}
        else:
            result = RULES[proto.op_type](node)
            if attributes.ignored():
                raise node.refused(f"attribute {', '.join(attributes.ignored())}")
            made = result.outputs
            lowered.steps += [step for step in result.steps if step.work_items]
        values |= zip(outputs, made, strict=False)
    for info in model.graph.output:
        lowered.outputs[info.name] = values[info.name]
    return lowered


def element_type(info: onnx.ValueInfoProto) -> np.dtype[Any]:
    """Return the element type of an input. Refuses what is no tensor."""
    if not info.type.HasField("tensor_type"):
        raise refused(f"input {info.name!r} is no tensor", kind="TypeError")
    try:
        return np.dtype(onnx.helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type))
    except KeyError as error:
        raise refused(f"input {info.name!r} has no element type", kind="TypeError") from error


def declared_shape(info: onnx.ValueInfoProto) -> tuple[int, ...] | None:
    """Return an input's shape; ``None`` if a dimension is open."""
    if not info.type.tensor_type.HasField("shape"):
        return None
    dimensions = info.type.tensor_type.shape.dim
    if not all(dimension.HasField("dim_value") and dimension.dim_value >= 0 for dimension in dimensions):
        return None
    return tuple(dimension.dim_value for dimension in dimensions)


def _on_host(proto: onnx.NodeProto, node: Node, opset: int) -> list[Value]:
    if proto.op_type in ("Shape", "Size"):
        value = node.value(0)
        rank = len(value.shape)
        part = value.shape[slice(node.whole("start", 0), node.whole("end", rank))]
        return [known(np.array(value.size if proto.op_type == "Size" else part, np.int64))]
    from onnx.reference import ReferenceEvaluator

    names = sorted({name for name in proto.input if name})
    empty = onnx.TypeProto()
    graph = onnx.helper.make_graph(
        [proto],
        "constant",
        [onnx.helper.make_value_info(name, empty) for name in names],
        [onnx.helper.make_value_info(name, empty) for name in proto.output if name],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
    feeds = {name: value.host for name, value in zip(proto.input, node.inputs, strict=True) if value is not None}
    try:
        return [known(np.asarray(array)) for array in ReferenceEvaluator(model).run(None, feeds)]
    except (ContentNeeded, ValueError, TypeError, RuntimeError, IndexError) as error:
        raise node.refused(f"its constant result cannot be computed: {error}") from error


def _plain(attribute: onnx.AttributeProto) -> Any:
    """Return an attribute as a Python value; strings as text."""
    if attribute.type in (AttributeProto.TENSOR, AttributeProto.GRAPH, AttributeProto.GRAPHS):
        return attribute
    value = onnx.helper.get_attribute_value(attribute)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
