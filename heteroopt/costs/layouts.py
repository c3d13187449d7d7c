"""Which bytes of a graph stay in a runtime's own layout between operators, though each alone would change them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from heteroopt.graph.graph import Graph, Operator, Tensor

CONVOLUTIONS = frozenset(("conv", "depthwise_conv"))
"""Classes that runtimes compute in blocks of channels."""
ANY_LAYOUT = CONVOLUTIONS | {"pooling"}
FEWEST_CHANNELS = 8
"""Images of fewer are read as they are."""


def kept_layout_bytes(graph: Graph) -> npt.NDArray[np.float64]:
    """[n] bytes of images that a convolution reads from and hands to operators that take them in the same layout.

    Other convolutions do, pooling, and elementwise operators on images of one shape. What the model itself reads or
    returns is in the layout of the model.
    """
    kept = np.zeros(len(graph.operators))
    outputs = frozenset(graph.outputs)
    for operator in graph.operators:
        if operator.op_class not in CONVOLUTIONS:
            continue
        for index in (*operator.inputs, *operator.outputs):
            tensor = graph.tensors[index]
            if not _is_image(tensor) or index in outputs or tensor.producer < 0:
                continue
            others = (tensor.producer,) if index in operator.inputs else tensor.consumers
            if all(_follows(graph, graph.operators[other]) for other in others):
                kept[operator.index] += tensor.size_bytes
    return kept


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
