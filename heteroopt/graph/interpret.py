"""One walk over an ONNX graph: constants are folded, shapes inferred, and what remains are the operators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from onnx import GraphProto, NodeProto, TypeProto

from heteroopt.errors import ModelError
from heteroopt.graph.attributes import Attributes, node_attributes
from heteroopt.graph.constants import constant_node, sparse_value, tensor_value
from heteroopt.graph.dimensions import declared_shape, tensor_type
from heteroopt.graph.dtypes import element_type
from heteroopt.graph.folding import fold
from heteroopt.graph.limits import ReaderLimits
from heteroopt.graph.names import display_name, is_bare
from heteroopt.graph.notes import Notes
from heteroopt.graph.ordering import ordered_nodes
from heteroopt.graph.shapes import STANDARD_DOMAINS, OutputType, infer_outputs
from heteroopt.graph.values import Value

# Operators that give the bytes of a constant another view or layout: the result uses the same weight.
LAYOUT_OPS = frozenset(("Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose", "DequantizeLinear"))
NOT_FOLDED = frozenset((
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli", "If", "Loop",
    "Scan", "SequenceMap",
))  # fmt: skip
# Their output is never larger than their inputs, so they may be computed before its shape is known.
_SHRINKING = frozenset(("NonZero", "Reshape", "Squeeze", "Unsqueeze", "Slice", "Gather", "Shape", "Size"))


@dataclass(slots=True)
class Body:
    """A subgraph of a control-flow operator and the number of times that it runs."""

    nodes: list[LiveNode]
    outputs: list[Value]
    captured: list[Value]
    trips: int = 1


@dataclass(slots=True)
class LiveNode:
    """An operator that remains after folding; ``inputs`` keeps positions (``None``: left out)."""

    node: NodeProto
    op_type: str
    domain: str
    attributes: Attributes
    inputs: list[Value | None]
    outputs: list[Value]
    bodies: list[Body] = field(default_factory=list)

    @property
    def label(self) -> str:
        """A name to show: its own unless that is a mere number, else that of its first output, else its type."""
        own = self.node.name
        output = next((value.name for value in self.outputs if value.name), "")
        if is_bare(own) and output and not is_bare(output):
            return display_name(output)
        return display_name(own or output or self.op_type)

    def all_inputs(self) -> Iterable[Value]:
        """Everything it reads: its inputs, then what its bodies capture from outside."""
        yield from (value for value in self.inputs if value is not None)
        for body in self.bodies:
            yield from body.captured


class Scope:
    """Names visible in a graph; a body sees the names outside it and remembers which it used."""

    def __init__(self, parent: Scope | None = None) -> None:
        self._local: dict[str, Value] = {}
        self._parent = parent
        self.captured: dict[int, Value] = {}

    def define(self, name: str, value: Value) -> None:
        """Bind ``name``; raises :class:`ModelError` if this graph already has it."""
        if name in self._local:
            raise ModelError(
                "duplicate_name",
                f"Two values of the model are called {display_name(name)!r}.",
                hint="Every output needs its own name; export the model again.",
                value=display_name(name),
            )
        self._local[name] = value

    def find(self, name: str) -> Value | None:
        """The value called ``name`` here or outside."""
        value = self._local.get(name)
        if value is None and self._parent is not None:
            value = self._parent.find(name)
            if value is not None:
                self.captured[id(value)] = value
        return value


class Interpreter:
    """Walks graphs of one model. ``dims`` are the bound dynamic dimensions."""

    def __init__(self, opsets: dict[str, int], dims: Mapping[str, int], limits: ReaderLimits, notes: Notes) -> None:
        self.opsets = opsets
        self.dims = dims
        self.limits = limits
        self.notes = notes
        self.fold_budget = limits.max_fold_total

    def walk(self, graph: GraphProto, scope: Scope) -> tuple[list[LiveNode], list[Value]]:
        """The operators of ``graph`` in topological order and its outputs; inputs are already in ``scope``."""
        for tensor in graph.initializer:
            scope.define(tensor.name, tensor_value(tensor.name, tensor, self.limits, from_weights=True))
        for sparse in graph.sparse_initializer:
            name = sparse.values.name
            scope.define(name, sparse_value(name, sparse, from_weights=True))
        declared: dict[str, TypeProto] = {item.name: item.type for item in graph.value_info}
        declared.update((item.name, item.type) for item in graph.output)
        live: list[LiveNode] = []
        for node in ordered_nodes(graph, scope.find):
            kept = self.visit(node, scope, declared)
            if kept is not None:
                live.append(kept)
        outputs = []
        for item in graph.output:
            value = scope.find(item.name)
            if value is None:
                raise ModelError(
                    "output_missing",
                    f"No operator produces the output {display_name(item.name)!r}.",
                    hint="Export the model again.",
                    output=display_name(item.name),
                )
            outputs.append(value)
        return live, outputs

    def visit(self, node: NodeProto, scope: Scope, declared: dict[str, TypeProto]) -> LiveNode | None:
        """Infer one node and define its outputs; returns it unless it folds into constants."""
        attributes = node_attributes(node)
        domain = "" if node.domain == "ai.onnx" else node.domain
        if domain == "" and node.op_type == "Constant" and node.output:
            constant = constant_node(node.output[0], attributes, self.limits)
            if constant is not None:
                scope.define(node.output[0], constant)
                return None
        inputs = [scope.find(name) if name else None for name in node.input]
        folded = self.fold(node, domain, attributes, inputs)
        if folded is not None:
            for value in folded:
                if value.name:
                    scope.define(value.name, value)
            return None
        bodies, types = self.bodies(node, domain, attributes, inputs, scope)
        reason = ""
        if types is None:
            types, reason = infer_outputs(node, attributes, inputs, self.opsets)
        live = LiveNode(node, node.op_type, domain, attributes, inputs, [], bodies)
        guessed_input = any(value.estimated for value in live.all_inputs())
        guessed_input |= any(value.estimated for body in bodies for value in body.outputs)
        for name, found in zip(node.output, types, strict=True):
            value = self.output(name, found, live, declared.get(name), guessed_input, reason)
            live.outputs.append(value)
            if name:
                scope.define(name, value)
        return live

    def fold(
        self, node: NodeProto, domain: str, attributes: Attributes, inputs: list[Value | None]
    ) -> list[Value] | None:
        """The outputs as constants if they depend on constants (or known shapes) only."""
        if domain != "" or node.op_type in NOT_FOLDED or not node.output:
            return None
        first = inputs[0] if inputs else None
        if node.op_type in ("Shape", "Size") and first is not None and not first.constant:
            if first.shape is None or first.estimated or first.container is not None or len(node.output) > 1:
                return None
            sizes = first.shape[slice(attributes.get("start", 0), attributes.get("end"))]
            numbers = np.array(sizes if node.op_type == "Shape" else math.prod(first.shape), np.int64)
            return [Value(node.output[0], 7, numbers.shape, constant=True, data=numbers)]
        if not inputs or not all(value is None or value.constant for value in inputs):
            return None
        known = all(value is None or value.data is not None for value in inputs)
        limit = min(self.limits.max_fold_elements, self.fold_budget)
        types, _ = infer_outputs(node, attributes, inputs, self.opsets)
        complete = all(shape is not None and -1 not in shape for _, shape, _ in types)
        small = complete and sum(math.prod(shape) for _, shape, _ in types if shape is not None) <= limit
        results = None
        if known and (small or (not complete and node.op_type in _SHRINKING)):
            arrays = [None if value is None else value.data for value in inputs]
            results = fold(node.op_type, attributes, arrays, self.opsets.get("", 1), len(node.output))
            results = results if results is not None and len(results) == len(node.output) else None
            self.fold_budget -= sum(array.size for array in results or ())
        if results is None and not complete:
            return None
        weight = first.storage if first is not None and node.op_type in LAYOUT_OPS else None
        from_weights = any(value is not None and value.from_weights for value in inputs)
        folded = []
        for i, name in enumerate(node.output):
            element, shape, _ = types[i]
            data = results[i] if results is not None and i < len(results) else None
            if data is not None:
                shape = data.shape
            self.check_size(name, element, shape)
            folded.append(
                Value(name, element or (first.element if first else 1), shape, constant=True, data=data, weight=weight,
                      from_weights=from_weights)
            )  # fmt: skip
        return folded

    def output(
        self,
        name: str,
        found: OutputType,
        live: LiveNode,
        declared: TypeProto | None,
        guessed_input: bool,
        reason: str,
    ) -> Value:
        """The value of one output: inferred, else declared in the file, else guessed."""
        element, shape, container = found
        kind = None if declared is None else tensor_type(declared)
        if not element and kind is not None:
            element = kind.elem_type
        if shape is not None and -1 not in shape:
            self.check_size(name, element, shape)
            return Value(name, element, shape, source="estimated" if guessed_input else "inferred",
                         estimated=guessed_input, container=container)  # fmt: skip
        stated = None if declared is None else declared_shape(declared, self.dims)
        if stated is not None:
            self.check_size(name, element, stated)
            return Value(name, element, stated, source="declared")
        largest = max((value.size_bytes for value in live.all_inputs() if not value.constant), default=0)
        largest = largest or max((value.size_bytes for value in live.all_inputs()), default=4)
        value = Value(name, element or self.element_of(live), None, source="estimated", estimated=True)
        value.container = container
        first = live.inputs[0] if live.inputs else None
        if live.op_type == "Dropout" and live.domain == "" and first is not None:  # its mask
            value.shape, value.source, value.estimated = first.shape, "inferred", first.estimated
            value.guessed_bytes = first.guessed_bytes
            return value
        if shape is not None:
            value.shape = filled(shape, largest * 8 // element_type(value.element).bits)
            self.check_size(name, value.element, value.shape)
        else:
            value.guessed_bytes = largest
        if name:
            self.notes.add(
                "size_estimated",
                tensor=display_name(name),
                operator=live.label,
                op_type=display_name(live.op_type),
                size_bytes=value.size_bytes,
                reason=display_name(reason) or "shape_unknown",
            )
        return value

    @staticmethod
    def element_of(live: LiveNode) -> int:
        """Element type to assume for an output that nothing says: that of the first input that has one."""
        return next((value.element for value in live.all_inputs() if value.element), 1)

    def check_size(self, name: str, element: int, shape: tuple[int, ...] | None) -> None:
        """Raise :class:`ModelError` for a tensor that no memory holds."""
        if shape is None:
            return
        size = math.prod(shape) * element_type(element).bits // 8
        if size > self.limits.max_tensor_bytes or max(shape, default=0) > self.limits.max_dimension:
            raise ModelError(
                "tensor_too_large",
                f"The tensor {display_name(name)!r} would take {size:,} bytes.",
                hint="Check the dimensions of the inputs: no device holds it.",
                tensor=display_name(name),
                size_bytes=size,
            )

    def bodies(
        self, node: NodeProto, domain: str, attributes: Attributes, inputs: list[Value | None], scope: Scope
    ) -> tuple[list[Body], list[OutputType] | None]:
        """The bodies of a control-flow operator and the types of its outputs; nothing for any other one."""
        from heteroopt.graph.control_flow import interpret_bodies

        if not any(item.HasField("g") or item.graphs for item in node.attribute):
            return [], None
        return interpret_bodies(self, node, domain, attributes, inputs, scope)


def filled(shape: tuple[int, ...], elements: int) -> tuple[int, ...]:
    """``shape`` with its unknown sizes (-1) guessed, so that it holds about ``elements``: the first takes them all."""
    known = math.prod(size for size in shape if size > 0)
    guess = max(1, elements // max(known, 1))
    result = []
    for size in shape:
        result.append(guess if size < 0 else size)
        if size < 0:
            guess = 1
    return tuple(result)


def is_standard(domain: str) -> bool:
    """Whether operators of ``domain`` are ONNX's own or Microsoft's published fused ones."""
    return domain in STANDARD_DOMAINS or domain == "com.microsoft"
