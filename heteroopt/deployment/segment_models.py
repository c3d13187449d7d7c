"""One ONNX model per segment of a plan: its nodes, what they need of the constants, and what crosses its border."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper

from heteroopt.deployment.exporting import ExportRequest, Refusal
from heteroopt.deployment.model_nodes import ModelNodes, nodes_of
from heteroopt.graph.dtypes import ELEMENT_TYPES
from heteroopt.graph.graph import Tensor
from heteroopt.graph.names import display_name
from heteroopt.graph.onnx_model import attribute_graphs
from heteroopt.graph.ordering import names_read

MAX_MODEL_BYTES = (1 << 31) - 1
_SHAPES = ("Shape", "Size")
ONNX_TYPE = {kind.name: code for code, kind in ELEMENT_TYPES.items()}
"""ONNX's element type by the graph's name of it."""


@dataclass(frozen=True)
class Port:
    """A tensor at a border: its name in the file, dtype (the graph's name) and shape."""

    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class SegmentModel:
    """A segment as a model of its own, valid for the sizes that were planned."""

    index: int
    model: ModelProto
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]


class SegmentCutter:
    """Cuts the matched model. Raises :class:`Refusal` ``export_not_a_tensor`` or ``export_size_unknown`` for what
    crosses a border and cannot be declared, ``export_branch_split`` for a branch that is in two segments,
    ``export_model_large``.
    """

    def __init__(self, request: ExportRequest, matched: ModelNodes, folder: Path) -> None:
        self._request = request
        self._folder = folder
        self._matched = matched
        self._model = matched.model
        self._graph = matched.model.graph
        self._tensors = {tensor.name: tensor for tensor in request.plan.graph.tensors} | {
            tensor.name: tensor for tensor in request.plan.original.tensors
        }
        names = [name for node in matched.every_node for name in node.output] + [i.name for i in self._graph.input]
        self._real = {display_name(name): name for name in names if name}
        self._producer = {name: node for node in self._graph.node for name in node.output if name}
        self._constants = {item.name: item for item in self._graph.initializer}
        self._sparse = {item.values.name: item for item in self._graph.sparse_initializer}
        segment_of = {m: part.index for part in request.partition.segments for m in part.members}
        self._segment: dict[int, int] = {}
        for index, nodes in matched.nodes.items():
            for node in nodes:
                self._segment[id(node)] = segment_of[index]
        self._settle_bodies()

    def models(self) -> Iterator[SegmentModel]:
        """Each segment's model, in the order of the segments."""
        for segment in self._request.partition.segments:
            graph = self._request.plan.graph
            inputs = [self._port(graph.tensors[tensor]) for tensor in segment.inputs]
            outputs = [self._port(graph.tensors[tensor]) for tensor in segment.outputs]
            yield SegmentModel(segment.index, self._cut(segment.index, inputs, outputs), tuple(inputs), tuple(outputs))

    def _settle_bodies(self) -> None:
        """Operators that the plan has inside a branch belong to the node that holds the branch."""
        for node in self._graph.node:
            inside = {
                self._segment[id(inner)]
                for body in attribute_graphs(node)
                for inner in nodes_of(body)
                if id(inner) in self._segment
            }
            if len(inside) > 1:
                raise Refusal(
                    "export_branch_split",
                    f"The branches of {node.name or node.output[0]!r} are in {len(inside)} segments, but one file "
                    "holds them.",
                    hint="Fold the model's constants first, so that the branch is part of the graph, or pin its "
                    "operators to one device.",
                    operator=display_name(node.name or node.output[0]),
                    count=len(inside),
                )
            for segment in inside:
                self._segment.setdefault(id(node), segment)

    def _cut(self, index: int, inputs: Sequence[Port], outputs: Sequence[Port]) -> ModelProto:
        given = {port.name for port in inputs}
        wanted: dict[int, NodeProto] = {}
        initializers: dict[str, TensorProto] = {}
        sparse: dict[str, onnx.SparseTensorProto] = {}
        replaced: dict[int, NodeProto] = {}
        pending = [node for node in self._graph.node if self._segment.get(id(node)) == index]
        while pending:
            node = pending.pop()
            if id(node) in wanted:
                continue
            wanted[id(node)] = node
            fixed = self._fixed_shape(node, index)
            if fixed is not None:
                replaced[id(node)] = fixed
                continue
            for name in names_read(node):
                if name in given:
                    continue
                if name in self._constants:
                    initializers[name] = self._constants[name]
                elif name in self._sparse:
                    sparse[name] = self._sparse[name]
                elif name in self._producer:
                    pending.append(self._producer[name])
        graph = helper.make_graph(
            [replaced.get(id(node), node) for node in self._graph.node if id(node) in wanted],
            f"segment_{index}",
            [_value(port) for port in inputs],
            [_value(port) for port in outputs],
            [initializers[name] for name in self._constants if name in initializers],
            sparse_initializer=[sparse[name] for name in self._sparse if name in sparse],
        )
        model = helper.make_model(graph, opset_imports=self._model.opset_import, ir_version=self._model.ir_version)
        self._load_data(model.graph)
        if model.ByteSize() > MAX_MODEL_BYTES:
            raise Refusal(
                "export_model_large",
                f"The model of one segment would be larger than {MAX_MODEL_BYTES} bytes.",
                hint="Place its operators on more devices, or choose a format that does not cut the model.",
                limit_bytes=MAX_MODEL_BYTES,
            )
        return model

    def _fixed_shape(self, node: NodeProto, index: int) -> NodeProto | None:
        """What replaces a Shape or Size that the plan folded: a constant of the size that was planned."""
        if node.op_type not in _SHAPES or node.domain not in ("", "ai.onnx") or self._segment.get(id(node)) == index:
            return None
        tensor = self._tensors.get(display_name(node.input[0]))
        if tensor is None or tensor.shape is None:
            return None
        bounds = {item.name: item.i for item in node.attribute}
        sizes = list(tensor.shape[slice(bounds.get("start", 0), bounds.get("end"))])
        total = 1
        for size in tensor.shape:
            total *= size
        value = (
            helper.make_tensor(node.output[0], TensorProto.INT64, [len(sizes)], sizes)
            if node.op_type == "Shape"
            else helper.make_tensor(node.output[0], TensorProto.INT64, [], [total])
        )
        return helper.make_node("Constant", [], [node.output[0]], name=node.name, value=value)

    def _port(self, tensor: Tensor) -> Port:
        if tensor.dtype not in ONNX_TYPE or not ONNX_TYPE[tensor.dtype]:
            raise Refusal(
                "export_not_a_tensor",
                f"{tensor.name!r} crosses the border of two segments and is no tensor.",
                hint="Pin what makes it and what reads it to one device.",
                tensor=tensor.name,
            )
        if tensor.shape is None:
            raise Refusal(
                "export_size_unknown",
                f"The shape of {tensor.name!r}, which crosses the border of two segments, is not known.",
                hint="State it where the model is read (--shape), or pin what makes and reads it to one device.",
                tensor=tensor.name,
            )
        return Port(self._real.get(tensor.name, tensor.name), tensor.dtype, tensor.shape)

    def _load_data(self, graph: GraphProto) -> None:
        for tensor in graph.initializer:
            if tensor.data_location == TensorProto.EXTERNAL:
                try:
                    onnx.external_data_helper.load_external_data_for_tensor(tensor, str(self._folder))
                except (OSError, ValueError, onnx.checker.ValidationError) as error:
                    raise Refusal(
                        "export_model_data",
                        f"The weights {display_name(tensor.name)!r} cannot be read: {str(error)[:200]}.",
                        hint="Put the model's data files into its folder.",
                        file=display_name(tensor.name),
                    ) from error
                tensor.data_location = TensorProto.DEFAULT
                del tensor.external_data[:]


def _value(port: Port) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(port.name, ONNX_TYPE[port.dtype], port.shape)


def names_of(ports: Iterable[Port]) -> list[str]:
    """The names, for a manifest."""
    return [port.name for port in ports]
