"""The user's ONNX file as the planner read it: functions inlined, branches that are always taken in their place."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto

from heteroopt.deployment.exporting import Coverage, Refusal
from heteroopt.deployment.model_identity import model_differs
from heteroopt.deployment.model_nodes import load_planned
from heteroopt.graph.graph import Graph
from heteroopt.graph.names import display_name
from heteroopt.graph.onnx_model import attribute_graphs
from heteroopt.graph.ordering import names_read


@dataclass
class Source:
    """A model whose nodes are known by their outputs.

    ``file_sha256``: of the file as it was planned. ``owner``: per value the node that makes it. ``planned``: per
    operator of the graph its node. ``real``: the value that a tensor's name of the graph stands for.
    """

    model: ModelProto
    nodes: list[NodeProto]
    initializers: dict[str, TensorProto]
    inputs: dict[str, onnx.ValueInfoProto]
    outputs: list[str]
    file_sha256: str
    owner: dict[str, int] = field(default_factory=dict)
    planned: list[int] = field(default_factory=list)
    real: dict[str, str] = field(default_factory=dict)


def read_source(path: Path, graph: Graph) -> Source:
    """Read the model of ``graph`` (the unfused one) without its external data, and find every operator in it.

    Operators are known by the names of their outputs. Raises :class:`Refusal` ``export_model_file``
    (unreadable), ``export_model_differs`` (operators that the file does not have), ``export_model_ambiguous``.
    """
    model, file_sha256 = load_planned(path)
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    stored_names = {*stored, *(sparse.values.name for sparse in model.graph.sparse_initializer)}
    source = Source(
        model,
        list(model.graph.node),
        stored,
        {item.name: item for item in model.graph.input if item.name not in stored_names},
        [item.name for item in model.graph.output],
        file_sha256,
    )
    wanted = {graph.tensors[op.outputs[0]].name for op in graph.operators if op.outputs}
    _put_branches_in_place(source, wanted)
    _find_operators(source, graph)
    return source


def reads_of(node: NodeProto) -> list[str]:
    """Values that a node needs from its graph: its inputs, then what its bodies capture, each once."""
    inputs = dict.fromkeys(name for name in node.input if name)
    return [*inputs, *sorted(names_read(node) - inputs.keys())]


def _put_branches_in_place(source: Source, wanted: set[str]) -> None:
    """Replace an If whose branch holds operators of the plan by that branch, as the planner did.

    Its condition is constant for the planned dimensions. Identities give the branch's results the If's names.
    """
    changed = True
    while changed:
        changed = False
        top = {display_name(name) for node in source.nodes for name in node.output}
        missing = wanted - top
        if not missing:
            return
        for position, node in enumerate(source.nodes):
            if node.op_type != "If" or node.domain not in ("", "ai.onnx"):
                continue
            branches = list(attribute_graphs(node))
            holding = [body for body in branches if any(_holds(body, name) for name in missing)]
            if not holding:
                continue
            if len(holding) > 1:
                raise ambiguous(node.name or node.output[0])
            _hoist(source, position, holding[0])
            changed = True
            break


def _holds(body: GraphProto, name: str) -> bool:
    if any(display_name(output) == name for node in body.node for output in node.output):
        return True
    return any(_holds(inner, name) for node in body.node if node.op_type == "If" for inner in attribute_graphs(node))


def _hoist(source: Source, position: int, body: GraphProto) -> None:
    node = source.nodes[position]
    taken = {name for other in source.nodes for name in other.output} | set(source.initializers) | set(source.inputs)
    inner = [name for n in body.node for name in n.output if name] + [t.name for t in body.initializer]
    repeated = taken.intersection(inner)
    if repeated:
        raise ambiguous(sorted(repeated)[0])
    for tensor in body.initializer:
        source.initializers[tensor.name] = tensor
    aliases = [
        onnx.helper.make_node("Identity", [result.name], [name])
        for result, name in zip(body.output, node.output, strict=False)
        if name and name != result.name
    ]
    source.nodes[position : position + 1] = [*body.node, *aliases]


def _find_operators(source: Source, graph: Graph) -> None:
    shown: dict[str, str] = {}
    repeated: set[str] = set()
    for position, node in enumerate(source.nodes):
        for name in node.output:
            if name:
                source.owner[name] = position
                if shown.setdefault(display_name(name), name) != name:
                    repeated.add(display_name(name))
    for name in source.inputs:
        shown.setdefault(display_name(name), name)
    missing = []
    for operator in graph.operators:
        names = [graph.tensors[t].name for t in operator.outputs]
        found = {source.owner[shown[name]] for name in names if shown.get(name) in source.owner}
        if repeated.intersection(names) or len(found) > 1:
            raise ambiguous(names[0])
        if not found or source.nodes[next(iter(found))].op_type != operator.op_type:
            missing.append(operator.name)
        source.planned.append(next(iter(found), -1))
    if missing:
        there = Coverage(len(graph.operators), len(graph.operators) - len(missing), tuple(missing))
        raise model_differs(there, f"{missing[0]}: it is not there")
    source.real = shown


def ambiguous(name: str) -> Refusal:
    """The refusal of a model in which a name stands for several values."""
    return Refusal(
        "export_model_ambiguous",
        f"The model file has several values called {display_name(name)!r}, so its operators cannot be told apart.",
        hint="Export the model again with a name of its own for every output.",
        value=display_name(name),
    )
