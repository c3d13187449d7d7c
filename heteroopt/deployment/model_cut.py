"""Cuts a model's nodes into one ONNX model per segment, each complete by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from heteroopt.deployment.border_types import BorderTypes
from heteroopt.deployment.exporting import ExportRequest, Refusal
from heteroopt.deployment.model_source import Source, read_source, reads_of
from heteroopt.graph.names import display_name
from heteroopt.graph.onnx_reader import value_shapes
from heteroopt.partition import Partition, Segment

INITIALIZERS_ARE_INPUTS_BELOW = 4
"""IR version from which initializers need not be listed among the inputs."""


@dataclass(frozen=True)
class Piece:
    """A segment's model and the values that cross its border, by their names in the model."""

    segment: Segment
    model: ModelProto
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def cut(source: Source, partition: Partition, shapes: Mapping[str, tuple[int, ...]]) -> list[Piece]:
    """One piece for each segment. ``shapes``: of values by their shown names, for those that the plan's graph lacks.

    What the planner folded is copied into every segment that needs it: constants, initializers, and sizes of
    activations as numbers. Outputs of the model that are constant come out of the first segment.
    Raises :class:`Refusal` ``export_model_cut`` where a segment would need a value that the plan does not give it.
    """
    graph = partition.graph
    original = graph.original if graph.original is not None else graph
    sizes = dict(shapes)
    sizes.update({t.name: t.shape for t in original.tensors if t.shape is not None and t.size_source != "estimated"})
    borders = BorderTypes(source, original)
    planned = {node: member for member, node in enumerate(source.planned)}
    made_by_plan = {name for node in planned for name in source.nodes[node].output if name}
    constant_outputs = [n for n in source.outputs if n not in made_by_plan and n not in source.inputs]
    constant_outputs = [n for n in constant_outputs if not _alias_of_plan(source, n, planned)]
    aliases = [n for n in source.outputs if n not in made_by_plan and n not in (*constant_outputs, *source.inputs)]
    pieces = []
    for segment in partition.segments:
        own = [source.planned[member] for member in segment.members]
        reads = [source.real[graph.tensors[t].name] for t in segment.inputs]
        gives = [source.real[graph.tensors[t].name] for t in segment.outputs]
        made = {name for node in own for name in source.nodes[node].output}
        renamed = [name for name in aliases if source.nodes[source.owner[name]].input[0] in made]
        gives = list(dict.fromkeys([*(n for n in gives if n in made), *renamed]))
        if segment.index == 0:
            gives += constant_outputs
        builder = _Builder(source, planned, sizes, set(own), set(reads), segment)
        for name in gives:
            builder.need(name)
        for node in own:
            builder.take(node)
        pieces.append(_piece(builder, segment, reads, gives, borders))
    return pieces


def cut_model(request: ExportRequest) -> tuple[Source, list[Piece]]:
    """Read the model of a plan and cut it. Raises what :func:`read_source` and :func:`cut` raise."""
    path, original = request.model_path, request.plan.original
    assert path is not None
    source = read_source(path, original)
    return source, cut(source, request.partition, value_shapes(path, original.dims))


def _alias_of_plan(source: Source, name: str, planned: Mapping[int, int]) -> bool:
    """Whether an output is but another name (an Identity put in for an If) of what a planned operator makes."""
    node = source.owner.get(name)
    if node is None or source.nodes[node].op_type != "Identity":
        return False
    return source.owner.get(source.nodes[node].input[0], -1) in planned


class _Builder:
    """Collects the nodes and constants of one segment, from its operators backwards."""

    def __init__(
        self, source: Source, planned: Mapping[int, int], sizes: Mapping[str, tuple[int, ...]], own: set[int],
        reads: set[str], segment: Segment,
    ) -> None:  # fmt: skip
        self.source, self.planned, self.sizes = source, planned, sizes
        self.own, self.reads, self.segment = own, reads, segment
        self.nodes: set[int] = set()
        self.constants: dict[str, TensorProto] = {}

    def take(self, first: int) -> None:
        """Add a node and all that it needs."""
        waiting = [first]
        while waiting:
            node = waiting.pop()
            if node in self.nodes:
                continue
            self.nodes.add(node)
            for name in reads_of(self.source.nodes[node]):
                maker = self._maker(name)
                if maker >= 0:
                    waiting.append(maker)

    def need(self, name: str) -> None:
        """Add what makes a value."""
        maker = self._maker(name)
        if maker >= 0:
            self.take(maker)

    def _maker(self, name: str) -> int:
        """The node to take for a value, -1 where it comes from outside or is a constant."""
        if name in self.reads or name in self.constants:
            return -1
        if name in self.source.initializers:
            self.constants[name] = self.source.initializers[name]
            return -1
        node = self.source.owner.get(name)
        if node is None:
            if any(sparse.values.name == name for sparse in self.source.model.graph.sparse_initializer):
                return -1
            raise self._lacks(name)
        if node in self.own:
            return node
        if node in self.planned:
            raise self._lacks(name)
        size = self._size_of(self.source.nodes[node])
        if size is not None:
            self.constants[name] = numpy_helper.from_array(size, name)
            return -1
        return node

    def _size_of(self, node: NodeProto) -> np.ndarray | None:
        """What Shape or Size of a value give, whose shape the plan was made for."""
        if node.op_type not in ("Shape", "Size") or node.domain not in ("", "ai.onnx"):
            return None
        shape = self.sizes.get(display_name(node.input[0]))
        if shape is None:
            return None
        span = {attribute.name: attribute.i for attribute in node.attribute}
        if node.op_type == "Size":
            return np.array(int(np.prod(shape, dtype=np.int64)), np.int64)
        return np.array(shape[slice(span.get("start", 0), span.get("end"))], np.int64)

    def _lacks(self, name: str) -> Refusal:
        return Refusal(
            "export_model_cut",
            f"Segment {self.segment.index} needs {display_name(name)!r}, which the plan does not hand to it.",
            hint="Plan the file again as it is now, or fold its constants (onnxsim) before planning.",
            segment=self.segment.index,
            value=display_name(name),
        )


def _piece(builder: _Builder, segment: Segment, reads: list[str], gives: list[str], borders: BorderTypes) -> Piece:
    model = builder.source.model
    nodes = _ordered(builder)
    used = {name for node in nodes for name in reads_of(node)} | set(gives)
    # A condition that was folded may leave an input of the plan that no node of the segment reads.
    inputs = [name for name in reads if name in used]
    graph = helper.make_graph(
        nodes,
        f"{model.graph.name or 'model'}_segment_{segment.index}",
        [borders.of(name) for name in inputs],
        [borders.of(name) for name in gives],
        list(builder.constants.values()),
    )
    graph.sparse_initializer.extend(item for item in model.graph.sparse_initializer if item.values.name in used)
    if model.ir_version < INITIALIZERS_ARE_INPUTS_BELOW:
        graph.input.extend(
            helper.make_tensor_value_info(t.name, t.data_type, list(t.dims)) for t in builder.constants.values()
        )
    made = _without_graph(model)
    made.graph.CopyFrom(graph)
    return Piece(segment, made, tuple(inputs), tuple(gives))


def _without_graph(model: ModelProto) -> ModelProto:
    """Versions, opsets, producer and metadata of a model, without copying its weights first."""
    made = ModelProto()
    for field, value in model.ListFields():
        if field.name in ("opset_import", "metadata_props", "configuration"):
            getattr(made, field.name).extend(value)
        elif field.name not in ("graph", "functions", "training_info"):
            setattr(made, field.name, value)
    return made


def _ordered(builder: _Builder) -> list[NodeProto]:
    """The nodes after those that make what they read, each with a name of its own or none."""
    source, left, order = builder.source, set(builder.nodes), []
    done: set[str] = set()
    stack = sorted(left, reverse=True)
    while stack:
        node = stack[-1]
        if node not in left:
            stack.pop()
            continue
        before = [
            source.owner[name]
            for name in reads_of(source.nodes[node])
            if name in source.owner and source.owner[name] in left and source.owner[name] != node
        ]
        if before:
            stack += before
            continue
        stack.pop()
        left.discard(node)
        order.append(node)
    nodes = []
    for index in order:
        node = NodeProto()
        node.CopyFrom(source.nodes[index])
        number = 2
        wanted = node.name
        while node.name and node.name in done:
            node.name = f"{wanted}_{number}"
            number += 1
        done.add(node.name)
        nodes.append(node)
    return nodes
