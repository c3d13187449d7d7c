"""Attributes of a node as Python values, and the small JSON-able part of them that an operator keeps."""

from __future__ import annotations

import math
from typing import Any

from onnx import AttributeProto, NodeProto

from heteroopt.errors import ModelError
from heteroopt.graph.names import display_name

Attributes = dict[str, Any]

MAX_LIST = 16
MAX_TEXT = 64
_POSITIVE = frozenset((
    "strides", "dilations", "kernel_shape", "group", "block_size", "blocksize", "num_outputs", "num_heads",
    "kv_num_heads", "q_num_heads", "hidden_size", "num_groups", "groups", "num_scan_inputs", "pooled_shape",
    "output_height", "output_width", "sampling_ratio_h",
))  # fmt: skip


def node_attributes(node: NodeProto) -> Attributes:
    """Name to int, float, str, list, TensorProto or GraphProto.

    Raises :class:`ModelError` where an attribute that counts or divides something is not positive.
    """
    values: Attributes = {}
    for attribute in node.attribute:
        value = _value(attribute)
        if attribute.name in _POSITIVE:
            numbers = value if isinstance(value, list) else [value]
            if not all(isinstance(number, int) and 1 <= number <= 2**31 for number in numbers):
                raise ModelError(
                    "attribute_invalid",
                    f"The attribute {attribute.name!r} of the operator {_label(node)!r} must be positive.",
                    hint="The model is damaged; export it again.",
                    operator=_label(node),
                    attribute=attribute.name,
                )
        values[attribute.name] = value
    return values


def _label(node: NodeProto) -> str:
    return display_name(node.name or (node.output[0] if node.output else "") or node.op_type)


def _value(attribute: AttributeProto) -> Any:
    kind = attribute.type
    if kind == AttributeProto.INT:
        return attribute.i
    if kind == AttributeProto.FLOAT:
        return attribute.f
    if kind == AttributeProto.STRING:
        return attribute.s.decode("utf-8", errors="replace")
    if kind == AttributeProto.TENSOR:
        return attribute.t
    if kind == AttributeProto.GRAPH:
        return attribute.g
    if kind == AttributeProto.INTS:
        return list(attribute.ints)
    if kind == AttributeProto.FLOATS:
        return list(attribute.floats)
    if kind == AttributeProto.STRINGS:
        return [text.decode("utf-8", errors="replace") for text in attribute.strings]
    if kind == AttributeProto.SPARSE_TENSOR:
        return attribute.sparse_tensor
    return None


def summary(attributes: Attributes) -> dict[str, object]:
    """The numbers and short texts among ``attributes``, without NaN or infinity, for display and cost models."""
    kept: dict[str, object] = {}
    for name, value in attributes.items():
        items = value if isinstance(value, list) else [value]
        if len(items) > MAX_LIST or len(kept) >= MAX_LIST:
            continue
        if all(isinstance(item, int) or (isinstance(item, float) and math.isfinite(item)) for item in items):
            kept[display_name(name)] = value
        elif all(isinstance(item, str) and len(item) <= MAX_TEXT for item in items):
            texts = [display_name(item) for item in items]
            kept[display_name(name)] = texts if isinstance(value, list) else texts[0]
    return kept
