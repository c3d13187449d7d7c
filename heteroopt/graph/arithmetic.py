"""The precision in which every operator computes, seen from the quantisation around it.

Exporters write a quantised model as floating-point operators between DequantizeLinear and QuantizeLinear (QDQ).
Runtimes run such an operator on the quantised numbers: where all its activations come from DequantizeLinear and its
result goes to QuantizeLinear alone, and for matrix products and convolutions also where the result stays floating.
Weights that are quantised while the activations are not are only stored so: the arithmetic is the activations'.
"""

from __future__ import annotations

from heteroopt.graph.dtypes import element_type
from heteroopt.graph.live import LiveNode
from heteroopt.graph.op_classes import CONTRACTIONS, OP_CLASS, VIEW_TYPES
from heteroopt.graph.values import Value

_LOW = ("int8", "int4", "fp8", "fp4")
_QUANTISED = frozenset((
    "ConvInteger", "QLinearConv", "MatMulInteger", "QLinearMatMul", "DynamicQuantizeMatMul", "MatMulIntegerToFloat",
    "QGemm", "QAttention", "DynamicQuantizeLSTM", "QLinearAdd", "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu",
    "QLinearAveragePool", "QLinearGlobalAveragePool", "QLinearConcat", "QLinearSoftmax", "NhwcConv",
    "QLinearConvTranspose", "MatMulInteger16", "QOrderedMatMul", "QOrderedAttention", "QLinearReduceMean",
    "QLinearWhere",
))  # fmt: skip
# Operators that runtimes fuse with the one before, so that its result counts as quantised after them.
_PASSED = VIEW_TYPES | {"Relu", "Clip", "Transpose", "LeakyRelu"}
_BOUNDARY = frozenset(("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"))


def own_precision(live: LiveNode) -> str:
    """Precision by the operator alone: int8 for quantised types, else that of the first floating-point value."""
    if live.op_type in _QUANTISED:
        return "int8"
    for value in (*live.inputs, *live.outputs):
        if value is not None and element_type(value.element).is_float:
            return element_type(value.element).precision
    first = next((value for value in (*live.inputs, *live.outputs) if value is not None), None)
    return "fp32" if first is None else element_type(first.element).precision


def node_precisions(nodes: list[LiveNode]) -> list[str]:
    """One precision for each node, in their order."""
    producer = {id(value): node for node in nodes for value in node.outputs if value.name}
    readers: dict[int, list[LiveNode]] = {}
    for node in nodes:
        for value in node.all_inputs():
            readers.setdefault(id(value), []).append(node)
    quantised: dict[int, str] = {}
    for node in nodes:
        quantised[id(node)] = _quantised(node, producer, readers) or _carried_on(node, producer, readers, quantised)
    return [quantised[id(node)] or own_precision(node) for node in nodes]


def _carried_on(
    node: LiveNode, producer: dict[int, LiveNode], readers: dict[int, list[LiveNode]], quantised: dict[int, str]
) -> str:
    """The precision of the quantised operator that ``node`` is fused with, or ``""``."""
    first = node.inputs[0] if node.inputs else None
    if node.domain != "" or node.op_type not in _PASSED or first is None:
        return ""
    source = producer.get(id(first))
    found = "" if source is None else quantised.get(id(source), "")
    return found if found and all(_goes_to_quantise(value, readers) for value in node.outputs) else ""


def _quantised(node: LiveNode, producer: dict[int, LiveNode], readers: dict[int, list[LiveNode]]) -> str:
    """The precision of the quantised numbers that ``node`` really computes with, or ``""``."""
    if node.domain != "" or node.bodies or node.op_type in _BOUNDARY or node.op_type in VIEW_TYPES:
        return ""
    found = ""
    for value in node.inputs:
        if value is None or value.constant or not element_type(value.element).is_float:
            continue
        precision = _dequantised_from(value, producer)
        if not precision:
            return ""
        found = found or precision
    group = OP_CLASS.get(node.op_type)
    if not found or (group in CONTRACTIONS and not _weights_quantised(node)):
        return ""
    if group in ("matmul", "conv") or all(_goes_to_quantise(value, readers) for value in node.outputs if value.name):
        return found
    return ""


def _weights_quantised(node: LiveNode) -> bool:
    """Whether the weight of a contraction, if it is a constant, is stored in few bits."""
    weight = node.inputs[1] if len(node.inputs) > 1 else None
    return weight is None or not weight.constant or element_type(weight.storage.element).precision in _LOW


def _dequantised_from(value: Value, producer: dict[int, LiveNode]) -> str:
    """Precision of the integers that a value was dequantised from, seen through views; ``""`` if it was not."""
    for _ in range(8):
        source = producer.get(id(value))
        if source is None or not source.inputs or source.inputs[0] is None:
            return ""
        first = source.inputs[0]
        if source.op_type == "DequantizeLinear":
            precision = element_type(first.element).precision
            return precision if precision in _LOW else ""
        if source.op_type not in VIEW_TYPES:
            return ""
        value = first
    return ""


def _goes_to_quantise(value: Value, readers: dict[int, list[LiveNode]]) -> bool:
    """Whether only QuantizeLinear reads a value, directly or after operators that runtimes fuse."""
    for _ in range(8):
        after = readers.get(id(value), [])
        if after and all(node.op_type == "QuantizeLinear" for node in after):
            return True
        if len(after) != 1 or after[0].op_type not in _PASSED or not after[0].outputs:
            return False
        value = after[0].outputs[0]
    return False
