"""What decides how long an operator takes: its types, attributes, shapes and element types; and a key for equality."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from heteroopt.errors import CostError
from heteroopt.graph.graph import Graph, Operator

Tensor = tuple[str, tuple[int, ...] | None]
"""Element type and shape; ``None`` where the shape is not known."""

MAX_TENSORS = 1024
MAX_RANK = 64
MAX_TEXT = 200
LARGEST = 2**62


@dataclass(frozen=True)
class OperatorFacts:
    """One schedulable operator, alone or fused, without its name and its place in a model.

    ``op_types``: of the members in their order; ``main``: of the member with the most work (FLOP, then bytes), whose
    numeric ``attributes`` these are. ``inputs``, ``weights``, ``outputs``: what it reads from and writes to outside.
    ``structure``: a digest of all members with attributes, shapes and wiring; equal operators have equal ones.
    """

    op_types: tuple[str, ...]
    main: str
    op_class: str
    precision: str
    flops: int
    bytes_read: int
    bytes_written: int
    weight_bytes: int
    inputs: tuple[Tensor, ...]
    weights: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    attributes: Mapping[str, object]
    structure: str

    @cached_property
    def group(self) -> str:
        """Operators that are fitted together: of one main type, told apart where kernels are quite different."""
        if self.op_class == "depthwise_conv":
            return f"{self.main} depthwise"
        if self.op_class == "matmul":
            shape = self.outputs[0][1] if self.outputs else None
            row = shape is not None and math.prod(shape[:-1]) == 1
            return f"{self.main} {'weights' if self.weights else 'batched'}{' row' if row else ''}"
        return self.main

    @property
    def kind(self) -> str:
        """The types as one text, ``Conv+Relu``."""
        return "+".join(self.op_types)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form; exact inverse of ``from_dict``."""
        tensors = {
            name: [[dtype, None if shape is None else list(shape)] for dtype, shape in getattr(self, name)]
            for name in ("inputs", "weights", "outputs")
        }
        return {
            "op_types": list(self.op_types),
            **{name: getattr(self, name) for name in ("main", "op_class", "precision", "structure")},
            **{name: getattr(self, name) for name in _COUNTS},
            **tensors,
            "attributes": dict(self.attributes),
        }

    @classmethod
    def from_dict(cls, data: object) -> OperatorFacts:
        """Read what may come from anybody. Raises ``CostError`` ``facts_invalid`` naming the field."""
        if not isinstance(data, Mapping):
            raise _invalid("facts", "it is no object")
        types = data.get("op_types")
        if not isinstance(types, list) or not 0 < len(types) <= MAX_TENSORS or not all(map(_is_text, types)):
            raise _invalid("op_types", "it must be a list of types")
        attributes = data.get("attributes")
        if not isinstance(attributes, Mapping) or len(attributes) > MAX_TENSORS:
            raise _invalid("attributes", "it must be an object")
        kept = {name: value for name, value in attributes.items() if _is_text(name) and _is_plain(value)}
        return cls(
            op_types=tuple(types),
            main=_text(data, "main"),
            op_class=_text(data, "op_class"),
            precision=_text(data, "precision"),
            flops=_count(data, "flops"),
            bytes_read=_count(data, "bytes_read"),
            bytes_written=_count(data, "bytes_written"),
            weight_bytes=_count(data, "weight_bytes"),
            inputs=_tensors(data, "inputs"),
            weights=_tensors(data, "weights"),
            outputs=_tensors(data, "outputs"),
            attributes=kept,
            structure=_text(data, "structure"),
        )


_COUNTS = ("flops", "bytes_read", "bytes_written", "weight_bytes")


def graph_facts(graph: Graph) -> list[OperatorFacts]:
    """Facts of every operator of a graph, fused or not, in their order."""
    source = graph if graph.original is None else graph.original
    return [_facts(graph, operator, source) for operator in graph.operators]


def _facts(graph: Graph, operator: Operator, source: Graph) -> OperatorFacts:
    members = [source.operators[member] for member in operator.members] if graph.original is not None else [operator]
    working = [member for member in members if not member.is_view] or members
    main = max(working, key=lambda member: (member.flops, member.bytes_read + member.bytes_written, -member.index))
    weights = tuple((w.dtype, w.shape) for w in (graph.initializers[i] for i in operator.initializers))
    weight_bytes = sum(graph.initializers[i].size_bytes for i in operator.initializers)
    return OperatorFacts(
        op_types=tuple(member.op_type for member in working),
        main=main.op_type,
        op_class=operator.op_class,
        precision=operator.precision,
        flops=operator.flops,
        bytes_read=operator.bytes_read,
        bytes_written=operator.bytes_written,
        weight_bytes=min(weight_bytes, operator.bytes_read),
        inputs=_outside(graph, operator.inputs),
        weights=weights,
        outputs=_outside(graph, operator.outputs),
        attributes=main.attributes,
        structure=structure(source, members),
    )


def structure(source: Graph, members: Sequence[Operator]) -> str:
    """32 hex digits over members, attributes, shapes and wiring; names and positions in the model do not count."""
    numbers: dict[tuple[str, int], int] = {}
    described = []
    for member in members:
        tensors = [
            [part, numbers.setdefault((part, index), len(numbers)), *facts]
            for part, indices in (("t", member.inputs), ("w", member.initializers), ("t", member.outputs))
            for index, facts in ((index, _tensor(source, part, index)) for index in indices)
        ]
        described.append([member.domain, member.op_type, sorted(member.attributes.items()), tensors])
    return hashlib.sha256(json.dumps(described, default=str).encode()).hexdigest()[:32]


def _tensor(source: Graph, part: str, index: int) -> Tensor:
    item = source.tensors[index] if part == "t" else source.initializers[index]
    return item.dtype, item.shape


def _outside(graph: Graph, indices: Sequence[int]) -> tuple[Tensor, ...]:
    return tuple((graph.tensors[index].dtype, graph.tensors[index].shape) for index in indices)


# reading what may come from anybody


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT


def _is_plain(value: object) -> bool:
    items = value if isinstance(value, list) else [value]
    return len(items) <= MAX_RANK and all(
        _is_text(item) or (isinstance(item, int | float) and -LARGEST < item < LARGEST) for item in items
    )


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise _invalid(name, f"it must be a text of at most {MAX_TEXT} characters")
    return value


def _count(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < LARGEST:
        raise _invalid(name, "it must be a whole number that is not negative")
    return value


def _tensors(data: Mapping[str, Any], name: str) -> tuple[Tensor, ...]:
    rows = data.get(name)
    if not isinstance(rows, list) or len(rows) > MAX_TENSORS:
        raise _invalid(name, "it must be a list of element types and shapes")
    found: list[Tensor] = []
    for row in rows:
        if not isinstance(row, list) or len(row) != 2 or not _is_text(row[0]):
            raise _invalid(name, "each tensor is an element type and a shape")
        shape = row[1]
        if shape is not None:
            if not isinstance(shape, list) or len(shape) > MAX_RANK:
                raise _invalid(name, "a shape is a list of sizes")
            if not all(isinstance(size, int) and not isinstance(size, bool) and 0 <= size < LARGEST for size in shape):
                raise _invalid(name, "sizes are whole numbers that are not negative")
        found.append((str(row[0]), None if shape is None else tuple(shape)))
    return tuple(found)


def _invalid(field: str, why: str) -> CostError:
    return CostError(
        "facts_invalid",
        f"The description of an operator cannot be used: {field}: {why}.",
        hint="Write the cases and the bundle again with one version of HeteroOpt.",
        field=field,
        says=why,
    )
