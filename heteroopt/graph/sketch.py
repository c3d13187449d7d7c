"""Small graphs written down as nodes and shapes: a convenience over ONNX for made-up operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from heteroopt.graph.dtypes import BY_NAME
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph

OPSET = 17
Shape = tuple[int, ...]
Node = tuple[str, str, str, Mapping[str, Any]]
"""Type, inputs and outputs (names with blanks between), attributes."""


@dataclass(frozen=True)
class Sketch:
    """``inputs`` and ``weights``: name to shape; ``ints``: constants of whole numbers.

    The outputs of the last node are the graph's.
    """

    nodes: Sequence[Node]
    inputs: Mapping[str, Shape]
    weights: Mapping[str, Shape] = field(default_factory=dict)
    ints: Mapping[str, Sequence[int]] = field(default_factory=dict)
    dtypes: Mapping[str, str] = field(default_factory=dict)
    """Of inputs and weights that are not float32."""

    def graph(self, name: str = "sketch", opset: int = OPSET) -> Graph:
        """The graph, fused as plans place it. Raises ``ModelError`` for nodes that do not fit together."""
        return fuse(Graph.from_onnx(self.model(name, opset), name=name))

    def model(self, name: str = "sketch", opset: int = OPSET, *, declared: bool = True) -> bytes:
        """The serialised ONNX model; weights are declared without data, or not at all."""
        nodes = [
            helper.make_node(op_type, inputs.split(), outputs.split(), name=f"{op_type}{i}", **attributes)
            for i, (op_type, inputs, outputs, attributes) in enumerate(self.nodes)
        ]
        constants = [
            helper.make_node("Constant", [], [key], value=numpy_helper.from_array(np.array(values, np.int64), key))
            for key, values in self.ints.items()
        ]
        made = helper.make_graph(
            [*constants, *nodes],
            name,
            [helper.make_tensor_value_info(key, self._number(key), shape) for key, shape in self.inputs.items()],
            [onnx.ValueInfoProto(name=output) for output in self.nodes[-1][2].split()],
            [
                TensorProto(name=key, data_type=self._number(key), dims=shape)
                for key, shape in self.weights.items()
                if declared
            ],
        )
        model = helper.make_model(made, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        return bytes(model.SerializeToString())

    def _number(self, key: str) -> int:
        return BY_NAME[self.dtypes.get(key, "float32")].number
