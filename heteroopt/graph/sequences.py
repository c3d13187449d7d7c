"""Sequences of tensors: how many they hold and how many bytes, followed through the operators that build them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from onnx import NodeProto, TypeProto, helper

from heteroopt.graph.attributes import Attributes
from heteroopt.graph.dimensions import held_tensor
from heteroopt.graph.dtypes import element_type, size_in_bytes
from heteroopt.graph.live import LiveNode
from heteroopt.graph.output_type import OutputType
from heteroopt.graph.values import Value


@dataclass(frozen=True, slots=True)
class SequenceFacts:
    """Number of tensors in a sequence and their bytes together; ``None``: not known."""

    length: int | None
    size_bytes: int | None


def is_sequence(kind: TypeProto | None) -> bool:
    """Whether values of this type are sequences, optional ones included."""
    while kind is not None and kind.HasField("optional_type"):
        kind = kind.optional_type.elem_type
    return kind is not None and kind.HasField("sequence_type")


def element_bytes(kind: TypeProto) -> int | None:
    """Bytes of one tensor of a sequence, or ``None`` where its shape is open."""
    tensor = held_tensor(kind)
    if tensor is None or not tensor.HasField("shape"):
        return None
    if any(dim.dim_value < 1 for dim in tensor.shape.dim):
        return None
    elements = math.prod(dim.dim_value for dim in tensor.shape.dim)
    return size_in_bytes(elements, element_type(tensor.elem_type).bits)


def sequence_facts(live: LiveNode, name: str) -> SequenceFacts:
    """What is known of the sequence ``name`` that a node gives."""
    node, attributes, inputs = live.node, live.attributes, live.inputs
    if node.op_type == "SequenceMap" and live.bodies:
        body, position = live.bodies[0], list(node.output).index(name)
        if position >= len(body.outputs):
            return SequenceFacts(body.trips, None)
        return SequenceFacts(body.trips, body.trips * body.outputs[position].size_bytes)
    present = [value for value in inputs if value is not None]
    first = present[0] if present else None
    kind = node.op_type
    if kind == "SequenceEmpty":
        return SequenceFacts(0, 0)
    if kind == "SequenceConstruct":
        return SequenceFacts(len(present), sum(value.size_bytes for value in present))
    if first is None:
        return SequenceFacts(None, None)
    if kind in ("Identity", "Optional", "OptionalGetElement"):
        return SequenceFacts(first.length, first.size_bytes)
    if kind == "SplitToSequence" and first.shape is not None:
        return SequenceFacts(_parts(attributes, inputs), first.size_bytes)
    if kind == "SequenceInsert" and len(present) > 1:
        grown = first.size_bytes if first.length != 0 else 0
        return SequenceFacts(None if first.length is None else first.length + 1, grown + present[1].size_bytes)
    if kind == "SequenceErase" and first.length:
        return SequenceFacts(first.length - 1, first.size_bytes * (first.length - 1) // first.length)
    return SequenceFacts(None, None)


def _parts(attributes: Attributes, inputs: Sequence[Value | None]) -> int | None:
    """How many parts SplitToSequence makes."""
    source, sizes = inputs[0], inputs[1] if len(inputs) > 1 else None
    if source is None or source.shape is None:
        return None
    axis = attributes.get("axis", 0)
    if not isinstance(axis, int) or not -len(source.shape) <= axis < len(source.shape):
        return None
    size = source.shape[axis]
    if sizes is None:
        return size
    if sizes.shape is not None and len(sizes.shape) == 1:
        return sizes.shape[0]
    if sizes.data is not None and sizes.data.size == 1 and int(sizes.data.reshape(-1)[0]) > 0:
        return -(-size // int(sizes.data.reshape(-1)[0]))
    return None


def joined(node: NodeProto, attributes: Attributes, inputs: Sequence[Value | None]) -> OutputType | None:
    """The tensor that ConcatFromSequence makes of a sequence of tensors of one shape and known number."""
    first = inputs[0] if inputs else None
    if node.op_type != "ConcatFromSequence" or first is None or first.container is None or not first.length:
        return None
    tensor = held_tensor(first.container)
    if tensor is None or not tensor.HasField("shape"):
        return None
    shape = [dim.dim_value if dim.HasField("dim_value") else -1 for dim in tensor.shape.dim]
    axis, new = attributes.get("axis", 0), attributes.get("new_axis", 0)
    rank = len(shape) + (1 if new else 0)
    if -1 in shape or not isinstance(axis, int) or not -rank <= axis < rank:
        return None
    axis %= rank
    if new:
        shape.insert(axis, first.length)
    else:
        shape[axis] *= first.length
    return OutputType(tensor.elem_type, tuple(shape))


def sequence_of(value: Value) -> OutputType:
    """The type of a sequence of tensors like ``value``."""
    tensor = helper.make_tensor_type_proto(value.element, value.shape)
    return OutputType(container=helper.make_sequence_type_proto(tensor))
