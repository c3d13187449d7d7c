"""From operators of a graph back to a small ONNX model that runs them alone, without the values of weights.

A graph keeps what a plan needs: it does not say at which position an input stood, nor what small constants that only
steer an operator were. Both are found again: positions by trying which order gives the output's shape, constants from
the shapes on both sides. What cannot be found is refused; nothing is guessed that would change the work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations
from typing import Any

import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from heteroopt.errors import ModelError
from heteroopt.graph.dtypes import BY_NAME
from heteroopt.graph.graph import Graph, Operator
from heteroopt.graph.rebuild_constants import Constants, Shapes, steering_constants

DEFAULT_OPSET = 17
IR_VERSION = 8
MOST_ORDERS = 24
FILLABLE = frozenset((
    "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "bool", "float16", "float64", "uint32", "uint64",
))  # fmt: skip


@dataclass
class SmallModel:
    """A model without weights: ``model`` is a serialised ModelProto; each tensor is ``{"name", "dtype", "shape"}``.

    ``weights`` may say ``positive``, ``inputs`` the exclusive bound ``high`` of integers.
    """

    model: bytes
    weights: list[dict[str, Any]] = field(default_factory=list)
    inputs: list[dict[str, Any]] = field(default_factory=list)
    outputs: list[dict[str, Any]] = field(default_factory=list)


def rebuild(graph: Graph, index: int) -> SmallModel:
    """The model of operator ``index``, with all its members where it is fused.

    Raises ``ModelError`` ``operator_not_rebuilt`` with the reason.
    """
    operator = graph.operators[index]
    source = graph if graph.original is None else graph.original
    members = [source.operators[member] for member in operator.members] if graph.original is not None else [operator]
    made = {t for member in members for t in member.outputs}
    read = list(dict.fromkeys(t for member in members for t in member.inputs if t not in made))
    written = [graph.tensors[t].name for t in operator.outputs]
    names = {tensor.name: tensor.index for tensor in source.tensors}
    highs: dict[str, int] = {}
    nodes: list[NodeProto] = []
    views: Views = {}
    constants: Constants = {}
    for member in members:
        nodes.append(_node(source, member, constants, highs, views))
    positive = {f"w{w}" for m in members if m.op_type == "BatchNormalization" for w in m.initializers}
    weights = dict.fromkeys(w for member in members for w in member.initializers)
    found = SmallModel(
        b"",
        [{**_described(source, f"w{w}"), **({"positive": True} if f"w{w}" in positive else {})} for w in weights],
        [{**_described(source, f"t{t}"), "high": highs.get(f"t{t}", 2)} for t in read],
        [_described(source, f"t{names[name]}") for name in written],
    )
    found.model = _model(source, nodes, found, constants).SerializeToString()
    return found


Views = dict[str, tuple[int, ...]]
"""Shapes in which weights are read, where those differ from how they are stored."""


def _views_of_weights(op: Operator, shapes: Shapes) -> Iterator[Views]:
    """Weights as stored, then as models read them through constant reshapes: with trailing ones, or transposed."""
    yield {}
    weights = {f"w{w}": shapes[f"w{w}"][1] for w in op.initializers}
    for ones in (1, 2, 3):
        yield {name: (*shape, *(1,) * ones) for name, shape in weights.items() if len(shape) == 1}
    yield {name: tuple(reversed(shape)) for name, shape in weights.items()}
    yield {name: shape[:1] for name, shape in weights.items() if max(shape[1:], default=1) == 1}


def _node(source: Graph, op: Operator, constants: Constants, highs: dict[str, int], views: Views) -> NodeProto:
    """The member's node, with the first order of inputs from which its outputs' shapes follow."""
    data = [f"t{t}" for t in op.inputs] + [f"w{w}" for w in op.initializers]
    outputs = [f"t{t}" for t in op.outputs]
    shapes = {name: _shape(source, op, name) for name in (*data, *outputs)}
    attributes = {name: value for name, value in op.attributes.items() if value != []}
    orders = [data, *(list(order) for order in islice(permutations(data), 1, MOST_ORDERS))]
    tried = []
    for viewed in _views_of_weights(op, shapes):
        for order in orders if len(data) <= 4 else orders[:1]:
            for given in steering_constants(source.opset or DEFAULT_OPSET, op, order, outputs, shapes, attributes):
                node = helper.make_node(
                    op.op_type, given.inputs, outputs, name=f"n{op.index}", domain=op.domain, **given.attributes
                )
                said = _check(source, node, given.constants, {**views, **viewed})
                if not said:
                    constants.update(given.constants)
                    highs.update(given.highs)
                    views.update(viewed)
                    return node
                tried.append(said)
    raise _refused(op, tried[0] if tried else "its inputs are not known")


def _check(source: Graph, node: NodeProto, constants: Constants, views: Views) -> str:
    """Why the node does not give the outputs that the graph says, "" where it does. Other domains are not checked."""
    if node.domain not in ("", "ai.onnx"):
        return ""
    inputs = [_described(source, name, views) for name in dict.fromkeys(node.input) if name and name not in constants]
    outputs = [_described(source, name) for name in node.output]
    try:
        model = _model(source, [node], SmallModel(b"", [], inputs, []), constants)
        inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    except Exception as error:  # the inference raises several unrelated kinds
        return str(error).strip().splitlines()[-1][:200]
    known = {value.name: value.type.tensor_type for value in (*inferred.graph.value_info, *inferred.graph.output)}
    for wanted in outputs:
        kind = known.get(wanted["name"])
        if kind is None:
            return f"nothing is known of {wanted['name']}"
        shape = [dim.dim_value if dim.HasField("dim_value") else -1 for dim in kind.shape.dim]
        if kind.elem_type != BY_NAME[wanted["dtype"]].number:
            return "the element type of an output differs"
        if kind.HasField("shape") and (len(shape) != len(wanted["shape"]) or any(
            got not in (-1, want) for got, want in zip(shape, wanted["shape"], strict=True)
        )):  # fmt: skip
            return f"an output has the shape {shape}, not {wanted['shape']}"
    return ""


def _model(source: Graph, nodes: Sequence[NodeProto], tensors: SmallModel, constants: Constants) -> onnx.ModelProto:
    def value(tensor: dict[str, Any]) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(tensor["name"], BY_NAME[tensor["dtype"]].number, tensor["shape"])

    # As nodes: among the initializers they would count as weights.
    fixed = [
        helper.make_node("Constant", [], [name], value=numpy_helper.from_array(values, name))
        for name, values in constants.items()
    ]
    graph = helper.make_graph(
        [*fixed, *nodes],
        "case",
        [value(tensor) for tensor in tensors.inputs],
        [value(tensor) for tensor in tensors.outputs] or [onnx.ValueInfoProto(name=name) for name in nodes[-1].output],
    )
    opsets = {
        "": source.opset or DEFAULT_OPSET,
        **{node.domain: 1 for node in nodes if node.domain not in ("", "ai.onnx")},
    }
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid(domain, version) for domain, version in opsets.items()],
        ir_version=IR_VERSION,
    )  # fmt: skip


def with_declared_weights(small: SmallModel) -> bytes:
    """The model with its weights declared but without data: what a reader of graphs needs, and no more."""
    model = onnx.ModelProto.FromString(small.model)
    for weight in small.weights:
        model.graph.initializer.append(
            TensorProto(name=weight["name"], data_type=BY_NAME[weight["dtype"]].number, dims=weight["shape"])
        )
    return bytes(model.SerializeToString())


def _described(source: Graph, name: str, views: Views | None = None) -> dict[str, Any]:
    item = (source.tensors if name[0] == "t" else source.initializers)[int(name[1:])]
    return {"name": name, "dtype": item.dtype, "shape": list((views or {}).get(name, item.shape or ()))}


def _shape(source: Graph, op: Operator, name: str) -> tuple[str, tuple[int, ...]]:
    item = (source.tensors if name[0] == "t" else source.initializers)[int(name[1:])]
    if item.shape is None:
        raise _refused(op, "a shape is not known")
    if item.dtype not in FILLABLE:
        raise _refused(op, f"no values can be made of the type {item.dtype}")
    return item.dtype, item.shape


def _refused(op: Operator, why: str) -> ModelError:
    return ModelError(
        "operator_not_rebuilt",
        f"The operator {op.name} ({op.op_type}) cannot be run alone: {why}.",
        hint="Its cost comes from operators like it, or from the device's figures.",
        operator=op.name,
        op_type=op.op_type,
        says=why,
    )
