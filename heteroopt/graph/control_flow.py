"""If, Loop and Scan as single operators: their bodies are walked for their cost and the types of the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from onnx import GraphProto, NodeProto

from heteroopt.graph.attributes import Attributes
from heteroopt.graph.dimensions import bound_shape, tensor_type
from heteroopt.graph.given import MAX_TRIPS
from heteroopt.graph.live import Body, LiveNode, Scope
from heteroopt.graph.loops import before_last, grown, mean
from heteroopt.graph.output_type import UNKNOWN, OutputType
from heteroopt.graph.sequences import sequence_of
from heteroopt.graph.values import Value

if TYPE_CHECKING:
    from heteroopt.graph.interpret import Interpreter

DEFAULT_TRIPS = 1
"""How often a body runs where neither the model nor a person says it."""


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
        return _if(walker, node, attributes, scope)
    if kind == "Loop" and isinstance(attributes.get("body"), GraphProto):
        return _loop(walker, node, attributes["body"], inputs, scope)
    if kind == "Scan" and isinstance(attributes.get("body"), GraphProto) and walker.opsets.get("", 1) >= 9:
        return _scan(walker, node, attributes, inputs, scope)
    if kind == "SequenceMap" and isinstance(attributes.get("body"), GraphProto):
        return _sequence_map(walker, node, attributes["body"], inputs, scope)
    graphs = [value for value in attributes.values() if isinstance(value, GraphProto)]
    bodies = [_walk(walker, i, graph, [], scope) for i, graph in enumerate(graphs)]
    return bodies, [UNKNOWN] * len(node.output)


def inlined_branch(
    walker: Interpreter,
    node: NodeProto,
    domain: str,
    attributes: Attributes,
    inputs: list[Value | None],
    scope: Scope,
) -> list[LiveNode] | None:
    """The operators of the branch that an If always takes, in its place; ``None`` for anything else."""
    condition = inputs[0] if inputs else None
    if domain != "" or node.op_type != "If" or condition is None or not condition.constant:
        return None
    if condition.data is None or condition.data.size != 1:
        return None
    taken = bool(condition.data.reshape(-1)[0])
    branch = attributes.get("then_branch" if taken else "else_branch")
    if not isinstance(branch, GraphProto) or len(branch.output) < len(node.output):
        return None
    nodes, outputs = walker.walk(branch, Scope(scope, 0 if taken else 1))
    for name, value in zip(node.output, outputs, strict=False):
        if name:
            scope.define(name, value)
    return nodes


def _walk(walker: Interpreter, number: int, graph: GraphProto, given: Sequence[Value | None], scope: Scope) -> Body:
    inner = Scope(scope, number)
    inputs = []
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
        inputs.append(value)
    nodes, outputs = walker.walk(graph, inner)
    return Body(nodes, outputs, list(inner.captured.values()), inputs)


def _type(value: Value) -> OutputType:
    return OutputType(value.element, value.shape, value.container)


def _if(
    walker: Interpreter, node: NodeProto, attributes: Attributes, scope: Scope
) -> tuple[list[Body], list[OutputType]]:
    branches = [attributes.get("then_branch"), attributes.get("else_branch")]
    bodies = [_walk(walker, i, graph, [], scope) for i, graph in enumerate(branches) if isinstance(graph, GraphProto)]
    key = walker.keys.key(node, scope)
    share = walker.given.then_shares.get(key)
    if share is not None:
        walker.used.add(("then_shares", key))
        walker.notes.add("branch_given", operator=key, share=share)
        if len(bodies) == 2:
            bodies[0].share, bodies[1].share = share, 1.0 - share
    else:
        walker.notes.add("branch_unknown", operator=key)
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


def _trips(
    walker: Interpreter, node: NodeProto, scope: Scope, known: int | None, bound: int | None = None
) -> tuple[int, bool]:
    """How often the body runs and whether that is a guess: given by hand, else known, else its bound, else once."""
    key = walker.keys.key(node, scope)
    given = walker.given.trips.get(key)
    if given is not None:
        walker.used.add(("trips", key))
        walker.notes.add("trip_count_given", operator=key, trips=given)
        return given, False
    if known is not None:
        return known, False
    if bound is not None:
        walker.notes.add("trip_count_bound", operator=key, assumed=bound)
        return bound, True
    walker.notes.add("trip_count_unknown", operator=key, assumed=DEFAULT_TRIPS)
    return walker.guesser.size(DEFAULT_TRIPS), True


def _loop(
    walker: Interpreter, node: NodeProto, body_graph: GraphProto, inputs: list[Value | None], scope: Scope
) -> tuple[list[Body], list[OutputType]]:
    limit, condition = (inputs[i] if i < len(inputs) else None for i in (0, 1))
    most = None  # exporters write while loops with 2^63 - 1, which says nothing
    sure = True
    if limit is not None and limit.data is not None and limit.data.size == 1:
        number = int(limit.data.reshape(-1)[0])
        most = max(0, number) if number <= MAX_TRIPS else None
        sure = limit.constant and not limit.estimated
    carried = [_inside(value) for value in inputs[2:]]
    start = [Value("", 7, ()), Value("", 9, ())]
    body = _walk(walker, 0, body_graph, [*start, *carried], scope)
    never_ends = _always_true(condition) and _keeps_going(body_graph, body)
    trips, guessed = _trips(walker, node, scope, most if never_ends and sure else None, most)
    finals = body.outputs[1 : 1 + len(carried)]
    growing = trips > 1 and any(
        a is not None and a.shape is not None and b.shape is not None and a.shape != b.shape
        for a, b in zip(carried, finals, strict=False)
    )
    if growing:
        guessed = True
        halfway = [mean(a, b, trips) for a, b in zip(carried, finals, strict=False)]
        if walker.visits_left > 0:
            body = _walk(walker, 0, body_graph, [*start, *halfway], scope)
        if walker.visits_left > 0:
            last = [before_last(a, b, trips) for a, b in zip(carried, finals, strict=False)]
            with walker.notes.muted():
                body.at_end = _walk(walker, 0, body_graph, [*start, *last], scope)
    types = [grown(a, b, trips) if growing else _type(b) for a, b in zip(carried, finals, strict=False)]
    body.trips, body.guessed = trips, guessed
    types += [_stacked(value, trips, 0) for value in body.outputs[1 + len(carried) :]]
    return [body], (types + [UNKNOWN] * len(node.output))[: len(node.output)]


def _always_true(condition: Value | None) -> bool:
    """Whether a loop's condition holds at the start for sure (one that is left out does)."""
    if condition is None:
        return True
    data = condition.data
    return condition.constant and data is not None and data.size == 1 and bool(data.reshape(-1)[0])


def _keeps_going(graph: GraphProto, body: Body) -> bool:
    """Whether the body hands on a condition that is true for sure: a constant, or the one that it got."""
    if not body.outputs or not graph.output:
        return True
    handed_on, source = body.outputs[0], graph.output[0].name
    if handed_on.constant:
        return _always_true(handed_on)
    received = graph.input[1].name if len(graph.input) > 1 else ""
    passed = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Identity" and node.output}
    for _ in range(len(passed)):
        source = passed.get(source, source)
    return bool(received) and source == received


def _scan(
    walker: Interpreter, node: NodeProto, attributes: Attributes, inputs: list[Value | None], scope: Scope
) -> tuple[list[Body], list[OutputType]]:
    asked = attributes.get("num_scan_inputs", 0)
    n_scanned = min(asked, len(inputs)) if isinstance(asked, int) else 0
    n_states = len(inputs) - n_scanned
    axes = attributes.get("scan_input_axes") or [0] * n_scanned
    given = [_inside(value) for value in inputs[:n_states]]
    known, guessed_length = None, False
    for i, value in enumerate(inputs[n_states:]):
        axis = axes[i] if i < len(axes) else 0
        if value is None or value.shape is None or not -len(value.shape) <= axis < len(value.shape):
            given.append(None if value is None else Value("", value.element, None, guessed_bytes=4, estimated=True))
            continue
        axis %= len(value.shape)
        known = min(value.shape[axis], MAX_TRIPS)
        guessed_length |= value.estimated
        shape = (*value.shape[:axis], *value.shape[axis + 1 :])
        given.append(Value("", value.element, shape, estimated=value.estimated))
    body = _walk(walker, 0, attributes["body"], given, scope)
    body.trips, guessed = _trips(walker, node, scope, known)
    body.guessed = guessed or guessed_length
    types = [_type(value) for value in body.outputs[:n_states]]
    out_axes = attributes.get("scan_output_axes") or []
    for i, value in enumerate(body.outputs[n_states:]):
        types.append(_stacked(value, body.trips, out_axes[i] if i < len(out_axes) else 0))
    return [body], (types + [UNKNOWN] * len(node.output))[: len(node.output)]


def _sequence_map(
    walker: Interpreter, node: NodeProto, graph: GraphProto, inputs: list[Value | None], scope: Scope
) -> tuple[list[Body], list[OutputType]]:
    """The body runs once for each tensor of the first sequence; its outputs are collected in sequences."""
    first = inputs[0] if inputs else None
    body = _walk(walker, 0, graph, [_element(value) for value in inputs], scope)
    body.trips, body.guessed = _trips(walker, node, scope, None if first is None else first.length)
    types = [sequence_of(value) for value in body.outputs]
    return [body], (types + [UNKNOWN] * len(node.output))[: len(node.output)]


def _element(value: Value | None) -> Value | None:
    """One tensor of a sequence as the body sees it; anything else as it is."""
    if value is None or value.container is None or not value.container.HasField("sequence_type"):
        return _inside(value)
    kind = tensor_type(value.container.sequence_type.elem_type)
    if kind is None or not kind.HasField("shape") or any(dim.dim_value < 1 for dim in kind.shape.dim):
        return None
    return Value("", kind.elem_type, tuple(dim.dim_value for dim in kind.shape.dim), estimated=value.estimated)


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
        length=value.length,
    )


def _stacked(value: Value, trips: int, axis: int) -> OutputType:
    if value.shape is None:
        return OutputType(value.element)
    axis %= len(value.shape) + 1
    return OutputType(value.element, (*value.shape[:axis], trips, *value.shape[axis:]))
