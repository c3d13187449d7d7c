"""One walk over an ONNX graph: constants are folded, shapes inferred, and what remains are the operators."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from onnx import GraphProto, NodeProto, TypeProto

from heteroopt.errors import ModelError
from heteroopt.graph.answer_keys import AnswerKeys
from heteroopt.graph.attributes import Attributes, node_attributes
from heteroopt.graph.constants import constant_node, sparse_value, tensor_value
from heteroopt.graph.control_flow import inlined_branch, interpret_bodies
from heteroopt.graph.dimensions import declared_shape, tensor_type
from heteroopt.graph.dtypes import element_type
from heteroopt.graph.folding import RULES, fold
from heteroopt.graph.given import NOTHING_GIVEN, Given
from heteroopt.graph.guessing import Guesser, filled
from heteroopt.graph.limits import ReaderLimits
from heteroopt.graph.live import Body, LiveNode, Scope
from heteroopt.graph.names import display_name
from heteroopt.graph.notes import INPUT_UNKNOWN, SHAPE_UNKNOWN, Notes
from heteroopt.graph.ordering import ordered_nodes
from heteroopt.graph.output_type import OutputType
from heteroopt.graph.sequences import is_sequence, joined, sequence_facts
from heteroopt.graph.shapes import infer_outputs
from heteroopt.graph.values import Array, Value

# Operators that give the bytes of a constant another view or layout: the result uses the same weight.
LAYOUT_OPS = frozenset(("Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose", "DequantizeLinear"))
NOT_FOLDED = frozenset((
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli", "If", "Loop",
    "Scan", "SequenceMap",
))  # fmt: skip
# Their output is never larger than their inputs, so they may be computed before its shape is known.
_SHRINKING = frozenset(("NonZero", "Reshape", "Squeeze", "Unsqueeze", "Slice", "Gather", "Shape", "Size"))


MAX_GUESSED_NUMBERS = 4096


class Interpreter:
    """Walks graphs of one model. ``dims`` are the bound dynamic dimensions, ``given`` what a person says of the rest.

    ``guesser`` makes up what nobody knows; ``keys`` are those of answers for operators with bodies; ``used`` holds the
    parts of ``given`` that found their place.
    """

    def __init__(
        self,
        opsets: dict[str, int],
        dims: Mapping[str, int],
        limits: ReaderLimits,
        notes: Notes,
        given: Given = NOTHING_GIVEN,
        guesser: Guesser | None = None,
        keys: AnswerKeys | None = None,
    ) -> None:
        self.opsets = opsets
        self.dims = dims
        self.limits = limits
        self.notes = notes
        self.given = given
        self.guesser = Guesser() if guesser is None else guesser
        self.keys = AnswerKeys() if keys is None else keys
        self.used: set[tuple[str, str]] = set()
        self.fold_budget = limits.max_fold_total
        self.visits_left = limits.max_visits

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
        for place, node in ordered_nodes(graph, scope.find):
            scope.at = place
            live += self.visit(node, scope, declared)
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

    def visit(self, node: NodeProto, scope: Scope, declared: dict[str, TypeProto]) -> list[LiveNode]:
        """Infer one node and define its outputs; returns what remains of it: nothing if it folds into constants."""
        self.visits_left -= 1
        attributes = node_attributes(node)
        domain = "" if node.domain == "ai.onnx" else node.domain
        if domain == "" and node.op_type == "Constant" and node.output:
            constant = constant_node(node.output[0], attributes, self.limits)
            if constant is not None:
                scope.define(node.output[0], constant)
                return []
        inputs = [scope.find(name) if name else None for name in node.input]
        inlined = inlined_branch(self, node, domain, attributes, inputs, scope)
        if inlined is not None:
            return inlined
        folded = self.fold(node, domain, attributes, inputs)
        if folded is not None:
            for value in folded:
                if value.name:
                    scope.define(value.name, value)
            return []
        bodies, types = self.bodies(node, domain, attributes, inputs, scope)
        reason = ""
        if types is None:
            whole = joined(node, attributes, inputs) if domain == "" else None
            if whole is not None and len(node.output) == 1:
                types = [whole]
            else:
                types, reason = infer_outputs(node, attributes, inputs, self.opsets)
        live = LiveNode(node, node.op_type, domain, attributes, inputs, [], bodies, self.opsets.get(domain, 1))
        # A rule that gives a shape without that of an input does not depend on it: only guessed shapes carry over.
        guessed_input = any(value.estimated and value.shape is not None for value in live.all_inputs())
        guessed_input |= any(
            body.guessed or any(value.estimated and value.shape is not None for value in body.outputs)
            for body in bodies
        )
        numbers = self.guessed_numbers(live) if guessed_input else None
        for i, (name, found) in enumerate(zip(node.output, types, strict=True)):
            value = self.output(name, found, live, declared.get(name), guessed_input, reason)
            if numbers is not None and value.shape == numbers[i].shape:
                value.data = numbers[i]
            if value.estimated:
                self.guesser.note(scope.path, value)
            live.outputs.append(value)
            if name:
                scope.define(name, value)
        return [live]

    def guessed_numbers(self, live: LiveNode) -> tuple[Array, ...] | None:
        """Small integers that follow from a guessed shape, so that all that depends on it is guessed consistently."""
        if live.domain != "" or live.op_type not in RULES or live.bodies:
            return None
        arrays: list[Array | None] = []
        for value in live.inputs:
            if value is None:
                arrays.append(None)
            elif live.op_type in ("Shape", "Size") and value.shape is not None and value.container is None:
                arrays.append(np.broadcast_to(np.zeros((), np.uint8), value.shape))
            elif value.data is not None and value.data.size <= MAX_GUESSED_NUMBERS:
                arrays.append(value.data)
            else:
                return None
        if live.op_type in ("Range", "Expand", "Tile", "ConstantOfShape"):  # may be of any size
            return None
        found = fold(live.op_type, live.attributes, arrays, self.opsets.get("", 1), len(live.node.output))
        if found is None or len(found) != len(live.node.output):
            return None
        return found if sum(array.size for array in found) <= MAX_GUESSED_NUMBERS else None

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
        """The value of one output: given by hand, else inferred, else declared in the file, else guessed."""
        element, shape, container = found
        kind = None if declared is None else tensor_type(declared)
        element = element or (kind.elem_type if kind is not None else 0)
        given = self.given_shape(name, shape if not guessed_input else None)
        if given is not None:
            self.check_size(name, element, given)
            return Value(name, element or self.element_of(live), given, source="given", container=container)
        stated = None if declared is None or container is not None else declared_shape(declared, self.dims)
        complete = shape is not None and -1 not in shape
        if shape is not None and complete and not guessed_input:
            self.note_stale(name, shape, stated)
            self.check_size(name, element, shape)
            return Value(name, element, shape, container=container)
        if stated is not None and -1 not in stated:
            self.check_size(name, element, stated)
            return Value(name, element, stated, source="declared")
        if shape is None or not complete:
            shape = united(shape, stated)
        if is_sequence(container):
            return self.sequence(name, element, container, live, guessed_input)
        return self.guess(name, OutputType(element, shape, container), live, guessed_input, reason)

    def guess(self, name: str, found: OutputType, live: LiveNode, guessed_input: bool, reason: str) -> Value:
        """A value whose shape is not known, or follows from one that is not."""
        element, shape, container = found
        if guessed_input and shape is not None and -1 not in shape and not self.fits(element, shape):
            shape = None
        value = Value(name, element, shape, source="estimated", estimated=True, container=container)
        if shape is not None and -1 not in shape:
            value.estimated = guessed_input
            value.source = "estimated" if guessed_input else "declared"
            self.check_size(name, element, shape)
            return value
        largest = max((value.size_bytes for value in live.all_inputs() if not value.constant), default=0)
        largest = largest or max((value.size_bytes for value in live.all_inputs()), default=4)
        value.element = element or self.element_of(live)
        first = live.inputs[0] if live.inputs else None
        if live.op_type == "Dropout" and live.domain == "" and first is not None:  # its mask
            value.shape, value.source, value.estimated = first.shape, "inferred", first.estimated
            value.guessed_bytes = first.guessed_bytes
            return value
        if shape is not None:
            value.shape = filled(shape, largest * 8 // element_type(value.element).bits, self.guesser)
            self.check_size(name, value.element, value.shape)
        else:
            value.guessed_bytes = largest
        follows = any(value.shape is None and value.container is None for value in live.all_inputs())
        if name:
            self.notes.add(
                "size_estimated",
                tensor=display_name(name),
                operator=live.label,
                op_type=display_name(live.op_type),
                size_bytes=value.size_bytes,
                reason=display_name(reason) or (INPUT_UNKNOWN if follows else SHAPE_UNKNOWN),
            )
        return value

    def sequence(self, name: str, element: int, kind: TypeProto | None, live: LiveNode, guessed_input: bool) -> Value:
        """A sequence, of as many bytes as its tensors have."""
        facts = sequence_facts(live, name)
        if facts.size_bytes is None:
            value = self.guess(name, OutputType(element, None, kind), live, guessed_input, "")
        else:
            value = Value(name, element, None, source="inferred", container=kind, guessed_bytes=facts.size_bytes)
            if guessed_input:
                value.source, value.estimated = "estimated", True
        value.length = facts.length
        return value

    def given_shape(self, name: str, inferred: tuple[int, ...] | None) -> tuple[int, ...] | None:
        """The shape that a person gave for a tensor; raises :class:`ModelError` if it cannot be the right one."""
        key = display_name(name)
        shape = self.given.shapes.get(key) if name else None
        if shape is None:
            return None
        self.used.add(("shapes", key))
        if inferred is not None and (
            len(inferred) != len(shape) or any(a not in (-1, b) for a, b in zip(inferred, shape, strict=True))
        ):
            known = ["?" if size < 0 else size for size in inferred]
            raise ModelError(
                "shape_conflict",
                f"The shape {list(shape)} given for {key!r} contradicts what the model says: {known}.",
                hint="Correct the shape, or leave it out.",
                tensor=key,
                shape=list(shape),
                inferred=known,
            )
        self.notes.add("shape_given", tensor=key, shape=list(shape))
        return shape

    def note_stale(self, name: str, shape: tuple[int, ...], stated: tuple[int, ...] | None) -> None:
        """Note a declaration in the file that contradicts the shape that follows from the operators."""
        if stated is None or not name:
            return
        if len(stated) != len(shape) or any(a not in (-1, b) for a, b in zip(stated, shape, strict=True)):
            self.notes.add(
                "declaration_stale",
                tensor=display_name(name),
                declared=["?" if size < 0 else size for size in stated],
                inferred=list(shape),
            )

    @staticmethod
    def element_of(live: LiveNode) -> int:
        """Element type to assume for an output that nothing says: that of the first input that has one."""
        return next((value.element for value in live.all_inputs() if value.element), 1)

    def check_size(self, name: str, element: int, shape: tuple[int, ...] | None) -> None:
        """Raise :class:`ModelError` for a tensor that no memory holds."""
        if shape is not None and not self.fits(element, shape):
            size = math.prod(shape) * element_type(element).bits // 8
            raise ModelError(
                "tensor_too_large",
                f"The tensor {display_name(name)!r} would take {size:,} bytes.",
                hint="Check the dimensions of the inputs: no device holds it.",
                tensor=display_name(name),
                size_bytes=size,
            )

    def fits(self, element: int, shape: tuple[int, ...]) -> bool:
        """Whether some memory may hold a tensor of this shape."""
        size = math.prod(shape) * element_type(element).bits // 8
        return size <= self.limits.max_tensor_bytes and max(shape, default=0) <= self.limits.max_dimension

    def bodies(
        self, node: NodeProto, domain: str, attributes: Attributes, inputs: list[Value | None], scope: Scope
    ) -> tuple[list[Body], list[OutputType] | None]:
        """The bodies of a control-flow operator and the types of its outputs; nothing for any other one."""
        if not any(item.HasField("g") or item.graphs for item in node.attribute):
            return [], None
        return interpret_bodies(self, node, domain, attributes, inputs, scope)


def united(inferred: tuple[int, ...] | None, declared: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """What two sources know of a shape together; the inferred one wins where they differ."""
    if inferred is None or declared is None or len(inferred) != len(declared):
        return declared if inferred is None else inferred
    return tuple(b if a < 0 else a for a, b in zip(inferred, declared, strict=True))
