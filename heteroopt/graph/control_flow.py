"""If, Loop and Scan as single operators: their bodies are walked for their cost and the types of the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from onnx import GraphProto, NodeProto

from heteroopt.graph.attributes import Attributes
from heteroopt.graph.dimensions import bound_shape, tensor_type
from heteroopt.graph.names import display_name
from heteroopt.graph.shapes import UNKNOWN, OutputType
from heteroopt.graph.values import Value

if TYPE_CHECKING:
    from heteroopt.graph.interpret import Body, Interpreter, Scope

MAX_TRIPS = 2**20


def interpret_bodies(
    walker: Interpreter,
    node: NodeProto,
    domain: str,
    attributes: Attributes,
    inputs: list[Value | None],
    scope: Scope,
) -> tuple[list[Body], list[OutputType]]:
    """The bodies of ``node`` and its output types. Bodies of unknown operators run once on unknown inputs."""
    kind = node.op_type if domain == "" else ""
    if kind == "If":
        return _if(walker, node, attributes, inputs, scope)
    if kind == "Loop" and isinstance(attributes.get("body"), GraphProto):
        return _loop(walker, node, attributes["body"], inputs, scope)
    if kind == "Scan" and isinstance(attributes.get("body"), GraphProto) and walker.opsets.get("", 1) >= 9:
        return _scan(walker, node, attributes, inputs, scope)
    graphs = [value for value in attributes.values() if isinstance(value, GraphProto)]
    bodies = [_walk(walker, graph, [], scope) for graph in graphs]
    return bodies, [UNKNOWN] * len(node.output)


def _walk(walker: Interpreter, graph: GraphProto, given: Sequence[Value | None], scope: Scope) -> Body:
    from heteroopt.graph.interpret import Body, Scope

    inner = Scope(scope)
    constants = {tensor.name for tensor in graph.initializer}
    for i, item in enumerate(graph.input):
        if item.name in constants:
            continue
        value = given[i] if i < len(given) else None
        if value is None:
            shape, _ = bound_shape(item.name, item.type, walker.dims)
            kind = tensor_type(item.type)
            value = Value(item.name, kind.elem_type if kind else 0, shape, estimated=True, guessed_bytes=4)
            value.container = None if item.type.HasField("tensor_type") else item.type
        inner.define(item.name, value)
    nodes, outputs = walker.walk(graph, inner)
    return Body(nodes, outputs, list(inner.captured.values()))


def _type(value: Value) -> OutputType:
    return OutputType(value.element, value.shape, value.container)


def _if(
    walker: Interpreter, node: NodeProto, attributes: Attributes, inputs: list[Value | None], scope: Scope
) -> tuple[list[Body], list[OutputType]]:
    branches = [attributes.get("then_branch"), attributes.get("else_branch")]
    condition = inputs[0] if inputs else None
    if condition is not None and condition.data is not None and condition.data.size == 1:
        branches = [branches[0] if bool(condition.data.reshape(-1)[0]) else branches[1]]
    bodies = [_walk(walker, graph, [], scope) for graph in branches if isinstance(graph, GraphProto)]
    types: list[OutputType] = []
    for i in range(len(node.output)):
        found = [body.outputs[i] for body in bodies if i < len(body.outputs)]
        known = [value for value in found if value.shape is not None]
        if not known:
            types.append(_type(found[0]) if found else UNKNOWN)
        elif len({value.shape for value in known}) == 1:
            types.append(_type(known[0]))
        else:  # branches differ: the larger one counts
            types.append(_type(max(known, key=lambda value: value.size_bytes)))
    return bodies, types


def _loop(
    walker: Interpreter, node: NodeProto, body_graph: GraphProto, inputs: list[Value | None], scope: Scope
) -> tuple[list[Body], list[OutputType]]:
    limit = inputs[0] if inputs else None
    trips = None
    if limit is not None and limit.data is not None and limit.data.size == 1:
        trips = max(0, min(int(limit.data.reshape(-1)[0]), MAX_TRIPS))
    carried = [_inside(value) for value in inputs[2:]]
    body = _walk(walker, body_graph, [Value("", 7, ()), Value("", 9, ()), *carried], scope)
    if trips is None:
        walker.notes.add("trip_count_unknown", operator=_label(node), assumed=1)
    body.trips = 1 if trips is None else trips
    finals = body.outputs[1:]
    types = [_type(value) for value in finals[: len(carried)]]
    types += [_stacked(value, trips, 0) for value in finals[len(carried) :]]
    return [body], (types + [UNKNOWN] * len(node.output))[: len(node.output)]


def _scan(
    walker: Interpreter, node: NodeProto, attributes: Attributes, inputs: list[Value | None], scope: Scope
) -> tuple[list[Body], list[OutputType]]:
    n_scanned = min(int(attributes.get("num_scan_inputs", 0)), len(inputs))
    n_states = len(inputs) - n_scanned
    axes = attributes.get("scan_input_axes") or [0] * n_scanned
    given = [_inside(value) for value in inputs[:n_states]]
    trips = None
    for i, value in enumerate(inputs[n_states:]):
        axis = axes[i] if i < len(axes) else 0
        if value is None or value.shape is None or not -len(value.shape) <= axis < len(value.shape):
            given.append(None if value is None else Value("", value.element, None, guessed_bytes=4, estimated=True))
            continue
        axis %= len(value.shape)
        trips = value.shape[axis]
        given.append(Value("", value.element, (*value.shape[:axis], *value.shape[axis + 1 :])))
    body = _walk(walker, attributes["body"], given, scope)
    if trips is None:
        walker.notes.add("trip_count_unknown", operator=_label(node), assumed=1)
    body.trips = 1 if trips is None else min(trips, MAX_TRIPS)
    types = [_type(value) for value in body.outputs[:n_states]]
    out_axes = attributes.get("scan_output_axes") or []
    for i, value in enumerate(body.outputs[n_states:]):
        types.append(_stacked(value, trips, out_axes[i] if i < len(out_axes) else 0))
    return [body], (types + [UNKNOWN] * len(node.output))[: len(node.output)]


def _inside(value: Value | None) -> Value | None:
    """A value as the body sees it: of the same type, its numbers forgotten because they change."""
    if value is None:
        return None
    return Value(
        value.name,
        value.element,
        value.shape,
        guessed_bytes=value.guessed_bytes,
        estimated=value.estimated,
        container=value.container,
    )


def _stacked(value: Value, trips: int | None, axis: int) -> OutputType:
    if value.shape is None:
        return OutputType(value.element)
    axis %= len(value.shape) + 1
    return OutputType(value.element, (*value.shape[:axis], -1 if trips is None else trips, *value.shape[axis:]))


def _label(node: NodeProto) -> str:
    return display_name(node.name or (node.output[0] if node.output else "") or node.op_type)
