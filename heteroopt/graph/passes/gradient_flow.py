"""Where gradients flow: which tensors and weights get one, given what the loss is taken of."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from heteroopt.graph.dtypes import BY_NAME, UNKNOWN_TYPE
from heteroopt.graph.graph import Graph, Operator, Tensor

# Their outputs are constant almost everywhere, are integers, or do not depend on what they read.
WITHOUT_GRADIENT = frozenset((
    "Floor", "Ceil", "Round", "Sign", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Xor",
    "Not", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "IsNaN", "IsInf", "ArgMax", "ArgMin",
    "Hardmax", "Shape", "Size", "Range", "ConstantOfShape", "OneHot", "EyeLike", "NonZero", "Unique",
    "NonMaxSuppression", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli",
    "Multinomial", "QuantizeLinear", "DynamicQuantizeLinear", "SequenceLength", "StringSplit", "StringConcat",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class GradientFlow:
    """``tensors``: those that get a gradient; ``weights``: initializer -> operators that contribute to its gradient,
    ascending; ``losses``: tensors that the loss is taken of."""

    tensors: frozenset[int]
    weights: dict[int, tuple[int, ...]]
    losses: tuple[int, ...]

    def active(self, op: Operator) -> bool:
        """Whether the operator takes part in the backward pass."""
        return any(t in self.tensors for t in op.outputs)


def is_float(dtype: str) -> bool:
    """Whether values of this type have gradients."""
    element = BY_NAME.get(dtype)
    return element is not None and element.is_float


def elements_of(tensor: Tensor) -> int:
    """Number of elements, from the bytes where the shape is unknown."""
    if tensor.shape is not None:
        return math.prod(tensor.shape)
    return tensor.size_bytes * 8 // BY_NAME.get(tensor.dtype, UNKNOWN_TYPE).bits


def trained_weights(graph: Graph, op: Operator, frozen: Collection[int] = ()) -> tuple[int, ...]:
    """Initializers of ``op`` that training changes: floating-point ones that are neither frozen nor running
    statistics (those of a BatchNormalization, whose scale and bias come first)."""
    if op.op_type in WITHOUT_GRADIENT:
        return ()
    own = op.initializers[:2] if op.op_type == "BatchNormalization" else op.initializers
    return tuple(i for i in own if is_float(graph.initializers[i].dtype) and i not in frozen)


def find_flow(graph: Graph, losses: Collection[int], frozen: Collection[int] = ()) -> GradientFlow:
    """Follow weights forward and the loss backward; what both reach has a gradient."""
    depends: set[int] = set()
    for op in graph.operators:
        if op.op_type not in WITHOUT_GRADIENT and (
            trained_weights(graph, op, frozen) or any(t in depends for t in op.inputs)
        ):
            depends.update(t for t in op.outputs if is_float(graph.tensors[t].dtype))
    taken = tuple(t for t in losses if t in depends)
    reached = set(taken)
    weights: dict[int, list[int]] = {}
    for op in reversed(graph.operators):
        if any(t in reached for t in op.outputs):
            reached.update(t for t in op.inputs if t in depends)
            for i in trained_weights(graph, op, frozen):
                weights.setdefault(i, []).append(op.index)
    return GradientFlow(frozenset(reached), {i: tuple(reversed(weights[i])) for i in sorted(weights)}, taken)
