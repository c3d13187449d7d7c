"""Scales random weights so that every layer gives values of the size of 1: outputs say something only of such layers.

Through a deep model with weights of the right variance values still grow, by every sum of a branch and its shortcut;
a softmax at the end is then 0 and 1 whatever comes in. Instead of computing how large they get the model is run once
with every layer's output divided by its own root mean square, which is what its weights are divided by afterwards
(after Mishkin and Matas, All you need is a good init, 2016).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from heteroopt.deployment.model_source import reads_of

LAYERS = frozenset(("Conv", "ConvTranspose", "Gemm", "MatMul"))
"""Operators that are linear in a weight and, if they have one, their bias."""
LEAST = 1e-12
"""Added to a root mean square, which may be 0."""
_LEAST_NAME = "heteroopt/level/least"


@dataclass(frozen=True, slots=True)
class Layer:
    """``weights``: initializers to which its output is proportional together; ``level``: the output that tells it."""

    weights: tuple[str, ...]
    level: str


def measuring_model(model: ModelProto, drawn: Collection[str]) -> tuple[ModelProto, list[Layer]]:
    """A model of the same inputs whose outputs are the levels of all layers whose weights were ``drawn``, in order.

    Left out are layers whose weights have other readers or that have a bias of their own, which is not drawn.
    """
    made = ModelProto()
    made.CopyFrom(model)
    graph = made.graph
    kinds = {tensor.name: tensor.data_type for tensor in graph.initializer}
    readers = Counter(name for node in graph.node for name in reads_of(node))
    layers, nodes = [], []
    for number, node in enumerate(model.graph.node):
        nodes.append(node)
        weights = _weights(node, drawn, readers)
        if not weights:
            continue
        own = f"heteroopt/level/{number}"
        nodes[-1] = NodeProto()
        nodes[-1].CopyFrom(node)
        nodes[-1].output[0] = f"{own}/raw"
        nodes += _levelled(f"{own}/raw", node.output[0], own, kinds[weights[0]])
        layers.append(Layer(weights, own))
    del graph.node[:], graph.output[:]
    graph.node.extend(nodes)
    graph.output.extend(helper.make_tensor_value_info(layer.level, TensorProto.FLOAT, []) for layer in layers)
    graph.initializer.append(numpy_helper.from_array(np.array(LEAST, np.float32), _LEAST_NAME))
    return made, layers


def level(model: ModelProto, layers: Sequence[Layer], levels: Sequence[float]) -> int:
    """Divide the weights and the bias of each layer by its level; how many tensors that are."""
    factors: dict[str, float] = {
        name: 1.0 / value
        for layer, value in zip(layers, levels, strict=True)
        if np.isfinite(value) and value > 1e3 * LEAST
        for name in layer.weights
    }
    for tensor in model.graph.initializer:
        if tensor.name in factors:
            values = numpy_helper.to_array(tensor)
            scaled = (values.astype(np.float64) * factors[tensor.name]).astype(values.dtype)
            tensor.CopyFrom(numpy_helper.from_array(scaled, tensor.name))
    return len(factors)


def _weights(node: NodeProto, drawn: Collection[str], readers: Counter[str]) -> tuple[str, ...]:
    if node.op_type not in LAYERS or node.domain not in ("", "ai.onnx"):
        return ()
    own = [name for name in node.input[:2] if name in drawn]
    bias = list(node.input[2:3]) if node.op_type != "MatMul" else []
    wanted = [*own, *(name for name in bias if name)]
    if len(own) != 1 or any(name not in drawn or readers[name] != 1 for name in wanted):
        return ()
    return tuple(wanted)


def _levelled(raw: str, output: str, own: str, kind: int) -> list[NodeProto]:
    """``own``: the root mean square of ``raw``; ``output``: ``raw`` over it."""
    node = helper.make_node
    return [
        node("Cast", [raw], [f"{own}/plain"], to=TensorProto.FLOAT),
        node("Mul", [f"{own}/plain", f"{own}/plain"], [f"{own}/square"]),
        node("ReduceMean", [f"{own}/square"], [f"{own}/mean"], keepdims=0),
        node("Sqrt", [f"{own}/mean"], [f"{own}/root"]),
        node("Add", [f"{own}/root", _LEAST_NAME], [own]),
        node("Cast", [own], [f"{own}/cast"], to=kind),
        node("Div", [raw, f"{own}/cast"], [output]),
    ]
