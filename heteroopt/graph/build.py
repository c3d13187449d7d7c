"""From interpreted nodes to a Graph: costs, classes, names, tensors and initializers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from heteroopt.graph.arithmetic import node_precisions
from heteroopt.graph.attributes import summary
from heteroopt.graph.dtypes import element_type
from heteroopt.graph.given import NOTHING_GIVEN, Given
from heteroopt.graph.graph import Graph, Initializer, Operator, Tensor
from heteroopt.graph.live import Body, LiveNode
from heteroopt.graph.names import UniqueNames, display_name, scope_of
from heteroopt.graph.naming import operator_labels
from heteroopt.graph.node_costs import NodeCosts, is_standard, is_view_node
from heteroopt.graph.notes import Notes
from heteroopt.graph.op_classes import VIEW_TYPES, op_class
from heteroopt.graph.values import Value
from heteroopt.graph.working_memory import working_memory_bytes

# Inputs that steer an operator and are no weights: (operator type) -> positions.
STEERING = {
    "Reshape": (1,), "Expand": (1,), "Tile": (1,), "Slice": (1, 2, 3, 4), "Squeeze": (1,), "Unsqueeze": (1,),
    "Split": (1,), "Pad": (1, 3), "Resize": (1, 2, 3), "Upsample": (1,), "TopK": (1,), "ConstantOfShape": (0,),
    "Range": (0, 1, 2), "Dropout": (1, 2), "OneHot": (1, 2), "Trilu": (1,), "CumSum": (1,), "Loop": (0, 1),
    "If": (0,), "NonMaxSuppression": (2, 3, 4), "ReduceSum": (1,), "ReduceMean": (1,), "ReduceMax": (1,),
    "ReduceMin": (1,), "ReduceProd": (1,), "ReduceL1": (1,), "ReduceL2": (1,), "ReduceLogSum": (1,),
    "ReduceLogSumExp": (1,), "ReduceSumSquare": (1,), "Clip": (1, 2),
}  # fmt: skip
MAX_OPERAND_ELEMENTS = 8
"""Constants of at most this many elements that are written into the graph, or are integers, are no weights."""


class GraphBuilder:
    """Turns the live nodes of one model into operators, sharing tensors and initializers by identity."""

    def __init__(self, notes: Notes, given: Given = NOTHING_GIVEN) -> None:
        self.notes = notes
        self.costs = NodeCosts(given)
        self.names = UniqueNames()
        self.initializer_names = UniqueNames()
        self.tensors: dict[int, int] = {}
        self.tensor_values: list[Value] = []
        self.producers: list[int] = []
        self.consumers: list[list[int]] = []
        self.initializers: dict[int, Initializer] = {}

    def tensor(self, value: Value, producer: int) -> int:
        """Index of the activation ``value``, made on first sight."""
        index = self.tensors.get(id(value))
        if index is None:
            index = len(self.tensor_values)
            self.tensors[id(value)] = index
            self.tensor_values.append(value)
            self.producers.append(producer)
            self.consumers.append([])
        return index

    def weight(self, value: Value) -> int:
        """Index of the initializer that the constant ``value`` uses."""
        stored = value.storage
        known = self.initializers.get(id(stored))
        if known is None:
            shape = stored.shape or ()
            known = Initializer(
                len(self.initializers),
                self.initializer_names.take(stored.name or "constant"),
                shape,
                element_type(stored.element).name,
                stored.size_bytes,
            )
            self.initializers[id(stored)] = known
        return known.index

    def graph(
        self,
        name: str,
        live: list[LiveNode],
        inputs: list[Value],
        outputs: list[Value],
        dims: Mapping[str, int],
        opset: int,
    ) -> Graph:
        """Assemble the graph of ``live`` nodes; operators that reach no output are left out and noted."""
        input_indices = [self.tensor(value, -1) for value in inputs]
        needed = needed_nodes(live, outputs)
        forget_unused_masks(needed, outputs)
        if len(needed) < len(live):
            self.notes.add("dead_operators_removed", count=len(live) - len(needed))
        labels, precisions = operator_labels(needed), node_precisions(needed)
        operators = tuple(
            self.operator(index, node, label, precision)
            for index, (node, label, precision) in enumerate(zip(needed, labels, precisions, strict=True))
        )
        tensors = tuple(
            Tensor(
                index=i,
                name=display_name(value.name),
                shape=value.shape,
                dtype=element_type(value.element).name,
                size_bytes=value.size_bytes,
                size_source=value.source,
                producer=self.producers[i],
                consumers=tuple(self.consumers[i]),
            )
            for i, value in enumerate(self.tensor_values)
        )
        return Graph(
            name=name,
            operators=operators,
            tensors=tensors,
            initializers=tuple(self.initializers.values()),
            inputs=tuple(input_indices),
            outputs=tuple(dict.fromkeys(self.tensors[id(value)] for value in outputs if not value.constant)),
            dims=dict(dims),
            opset=opset,
            notes=self.notes.result(),
        )

    def operator(self, index: int, live: LiveNode, label: str, precision: str) -> Operator:
        """The operator of one live node."""
        activations: dict[int, None] = {}
        weights: dict[int, None] = {}
        steering = STEERING.get(live.op_type, ()) if live.domain == "" else ()
        for position, value in enumerate(live.inputs):
            if value is None:
                continue
            if not value.constant:
                activations[self.tensor(value, -1)] = None
            elif position not in steering and not is_operand(value):
                weights[self.weight(value)] = None
        for value in captured_values(live):
            if not value.constant:
                activations[self.tensor(value, -1)] = None
            elif not is_operand(value):
                weights[self.weight(value)] = None
        for value in body_constants(live.bodies):
            weights[self.weight(value)] = None
        for t in activations:
            self.consumers[t].append(index)
        first = live.inputs[0] if live.inputs else None
        is_view = is_view_node(live) and first is not None and not first.constant
        name = self.names.take(label)
        work, source = self.costs.flops(live, name)
        read, written = self.costs.bytes(live, is_view, name)
        if self.costs.stated(live, name) is not None:
            self.notes.add(
                "cost_given", operator=name, op_type=display_name(live.op_type), domain=display_name(live.domain)
            )
        elif source == "bytes_only":
            self.notes.add(
                "operator_unknown", operator=name, op_type=display_name(live.op_type), domain=display_name(live.domain)
            )
        return Operator(
            index=index,
            name=name,
            op_type=display_name(live.op_type),
            domain=display_name(live.domain),
            op_class=node_class(live, is_view),
            inputs=tuple(activations),
            outputs=tuple(self.tensor(value, index) for value in live.outputs if value.name),
            initializers=tuple(weights),
            flops=0 if is_view else work,
            flops_source=source,
            bytes_read=read,
            bytes_written=written,
            precision=precision,
            is_view=is_view,
            scope=scope_of(name) or next((scope_of(display_name(v.name)) for v in live.outputs if v.name), ""),
            attributes=summary(live.attributes),
            members=(index,),
            workspace_bytes=working_memory_bytes(live),
        )


def is_operand(value: Value) -> bool:
    """Whether a constant is a small number inside the graph, or a small index, rather than a weight."""
    if value.data is None or value.data.size > MAX_OPERAND_ELEMENTS:
        return False
    return not value.from_weights or not element_type(value.element).is_float


def captured_values(live: LiveNode) -> Iterable[Value]:
    """What the bodies of ``live`` take from outside, in order of first use."""
    for body in live.bodies:
        yield from body.captured


def body_constants(bodies: Iterable[Body]) -> Iterable[Value]:
    """Weights inside the bodies, nested ones included."""
    for body in bodies:
        for node in body.nodes:
            steering = STEERING.get(node.op_type, ()) if node.domain == "" else ()
            for position, value in enumerate(node.inputs):
                if value is not None and value.constant and position not in steering and not is_operand(value):
                    yield value
            yield from body_constants(node.bodies)


def needed_nodes(live: list[LiveNode], outputs: list[Value]) -> list[LiveNode]:
    """The nodes from which an output can be reached, in their order."""
    needed = {id(value) for value in outputs}
    kept = []
    for node in reversed(live):
        if any(id(value) in needed for value in node.outputs):
            kept.append(node)
            needed.update(id(value) for value in node.all_inputs())
    kept.reverse()
    return kept


def forget_unused_masks(live: list[LiveNode], outputs: list[Value]) -> None:
    """Drop the mask of a Dropout that nobody reads: at inference none is made."""
    read = {id(value) for value in outputs}
    read.update(id(value) for node in live for value in node.all_inputs())
    for node in live:
        if node.op_type == "Dropout" and node.domain == "":
            node.outputs = [v for i, v in enumerate(node.outputs) if i == 0 or id(v) in read]


def node_class(live: LiveNode, is_view: bool) -> str:
    """The operator's class; a view that is none (of a constant, in training) moves data."""
    if not is_standard(live.domain):
        return "other"
    if live.op_type in VIEW_TYPES:
        return "view" if is_view else "movement"
    shape = live.inputs[0].shape if live.inputs and live.inputs[0] is not None else None
    group = live.attributes.get("group", 1)
    channels = shape[1] if shape is not None and len(shape) > 1 else 0
    return op_class(live.op_type, group if isinstance(group, int) else 1, channels)
