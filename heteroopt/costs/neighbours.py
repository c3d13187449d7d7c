"""What operators of a graph do not do that they do alone (change layouts), and what they do more (read weights)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from heteroopt.costs.work_terms import PRODUCTS
from heteroopt.graph.graph import Graph, Operator, Tensor

CONVOLUTIONS = frozenset(("conv", "depthwise_conv"))
"""Classes that runtimes compute in blocks of channels."""
ANY_LAYOUT = CONVOLUTIONS | {"pooling"}
FEWEST_CHANNELS = 8
"""Images of fewer are read as they are."""
CACHED_BYTES = 32_000_000
"""Weights of more were not in a cache when their operator was measured alone; a graph that moves less stays in it."""


@dataclass(frozen=True, eq=False, slots=True)
class Neighbours:
    """Of each operator, [n]: ``kept_bytes`` need no change of layout, ``cold_bytes`` of weights come from memory."""

    kept_bytes: npt.NDArray[np.float64]
    cold_bytes: npt.NDArray[np.float64]

    def of(self, rows: Sequence[int]) -> Neighbours:
        """Some operators only."""
        indices = list(rows)
        return Neighbours(self.kept_bytes[indices], self.cold_bytes[indices])


def neighbours(graph: Graph) -> Neighbours:
    """Both of every operator of a graph."""
    return Neighbours(kept_layout_bytes(graph), cold_weight_bytes(graph))


def cold_weight_bytes(graph: Graph) -> npt.NDArray[np.float64]:
    """[n] bytes of weights of products that the rest of the graph has driven out of caches since they were last read.

    None in a graph that moves less than caches hold, nor of weights that are larger than caches: reading those was
    measured.
    """
    found = np.zeros(len(graph.operators))
    if sum(operator.bytes_read + operator.bytes_written for operator in graph.operators) < CACHED_BYTES:
        return found
    for operator in graph.operators:
        if operator.op_class in PRODUCTS:
            size = sum(graph.initializers[index].size_bytes for index in operator.initializers)
            found[operator.index] = size if size < CACHED_BYTES else 0
    return found


def kept_layout_bytes(graph: Graph) -> npt.NDArray[np.float64]:
    """[n] bytes of images that a convolution reads from and hands to operators that take them in the same layout.

    Other convolutions do, pooling, and elementwise operators on images of one shape. What the model itself reads or
    returns is in the layout of the model.
    """
    kept = np.zeros(len(graph.operators))
    outputs = frozenset(graph.outputs)
    for operator in graph.operators:
        if not _changes_layout(graph, operator):
            continue
        for index in (*operator.inputs, *operator.outputs):
            tensor = graph.tensors[index]
            if not _is_image(tensor) or index in outputs or tensor.producer < 0:
                continue
            others = (tensor.producer,) if index in operator.inputs else tensor.consumers
            if all(_follows(graph, graph.operators[other]) for other in others):
                kept[operator.index] += tensor.size_bytes
    return kept


def mean_border_bytes(graph: Graph) -> float:
    """Bytes of images that lose the runtime's layout where a graph is cut: the mean over all places of its order.

    Those are the images that :func:`kept_layout_bytes` keeps between operators. Each changes layout twice at a border:
    out of the segment that makes it and into the one that reads it.
    """
    if not kept_layout_bytes(graph).any() or len(graph.operators) < 2:
        return 0.0
    outputs = frozenset(graph.outputs)
    total = 0
    for index, tensor in enumerate(graph.tensors):
        if tensor.producer < 0 or not tensor.consumers or index in outputs or not _is_image(tensor):
            continue
        if all(_follows(graph, graph.operators[other]) for other in (tensor.producer, *tensor.consumers)):
            total += tensor.size_bytes * max(0, max(tensor.consumers) - tensor.producer)
    return total / (len(graph.operators) - 1)


def _changes_layout(graph: Graph, operator: Operator) -> bool:
    """A convolution over an image. Transposed ones, and those of single points, are computed as they come."""
    if operator.op_class not in CONVOLUTIONS or not operator.inputs:
        return False
    source = graph if graph.original is None else graph.original
    members = [source.operators[i] for i in operator.members] if graph.original is not None else [operator]
    main = max(members, key=lambda member: member.flops)
    first = source.tensors[main.inputs[0]].shape if main.inputs else None
    return main.op_type == "Conv" and first is not None and len(first) == 4 and first[2] * first[3] > 1


def _is_image(tensor: Tensor) -> bool:
    shape = tensor.shape
    return shape is not None and len(shape) == 4 and shape[1] >= FEWEST_CHANNELS and shape[2] * shape[3] > 1


def _follows(graph: Graph, operator: Operator) -> bool:
    if operator.op_class in ANY_LAYOUT:
        return True
    if operator.op_class != "elementwise" or operator.initializers:
        return False
    shapes = {graph.tensors[index].shape for index in (*operator.inputs, *operator.outputs)}
    return len(shapes) == 1
