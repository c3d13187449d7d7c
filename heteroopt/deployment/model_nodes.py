"""The nodes of the planned ONNX file that a plan's operators are: found by output names, never by node names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import GraphProto, ModelProto, NodeProto
from onnx.inliner import inline_local_functions

from heteroopt.deployment.exporting import Coverage
from heteroopt.deployment.model_identity import model_differs, unreadable
from heteroopt.deployment.plan import Plan
from heteroopt.graph.names import display_name
from heteroopt.graph.onnx_model import attribute_graphs


@dataclass
class ModelNodes:
    """A model with its functions inlined and its external data left where it is.

    ``nodes``: by the index of each operator of the model the nodes that it is (more than one where branches of an If
    name their outputs alike). ``file_sha256``: of the file as it was planned.

    All nodes are held: protobuf makes the object of a node anew where none is held, so that only then ``id`` tells
    nodes apart.
    """

    model: ModelProto
    nodes: dict[int, list[NodeProto]]
    every_node: list[NodeProto]
    """All nodes, those of bodies included."""
    file_sha256: str


def nodes_of(graph: GraphProto) -> Iterator[NodeProto]:
    """The nodes of a graph and of the bodies inside it."""
    for node in graph.node:
        yield node
        for body in attribute_graphs(node):
            yield from nodes_of(body)


def load_planned(path: Path) -> tuple[ModelProto, str]:
    """The model with its functions inlined and without its external data, and the SHA-256 of its file.

    Raises :class:`Refusal` ``export_model_file``.
    """
    try:
        data = path.read_bytes()
        model = onnx.load_from_string(data)
        if model.functions:
            model = inline_local_functions(model)
    except Exception as error:  # protobuf and the inliner raise several unrelated kinds
        raise unreadable(str(error)) from error
    return model, hashlib.sha256(data).hexdigest()


def match_model(plan: Plan, path: Path) -> ModelNodes:
    """Read the file and find every operator of the plan in it, by type and output names.

    Raises :class:`Refusal`: ``export_model_file`` (unreadable), ``export_model_differs`` with how many operators are
    not in it and which.
    """
    model, file_sha256 = load_planned(path)
    every_node = list(nodes_of(model.graph))
    by_output: dict[str, list[NodeProto]] = {}
    for node in every_node:
        for name in node.output:
            if name:
                by_output.setdefault(display_name(name), []).append(node)
    original = plan.original
    nodes: dict[int, list[NodeProto]] = {}
    for operator in original.operators:
        outputs = [original.tensors[tensor].name for tensor in operator.outputs]
        found = [node for node in by_output.get(outputs[0], ()) if display_name(node.op_type) == operator.op_type]
        if found and all(outputs[0] in (display_name(name) for name in node.output) for node in found):
            nodes[operator.index] = found
    missing = tuple(operator.name for operator in original.operators if operator.index not in nodes)
    if missing:
        raise model_differs(Coverage(len(original.operators), len(nodes), missing), f"{missing[0]}: it is not there")
    return ModelNodes(model, nodes, every_node, file_sha256)


def device_by_node(plan: Plan, matched: ModelNodes) -> dict[int, str]:
    """Device by ``id`` of every node that is planned, and for the others that of a node that reads them.

    Constants, what was computed from constants, and dead nodes are no operators of a plan, but engines place them.
    Nodes of bodies are where their outer node is.
    """
    place = {member: operator.index for operator in plan.graph.operators for member in operator.members}
    names = [device.name for device in plan.pool.devices]
    device = {
        id(node): names[int(plan.schedule.device[place[index]])]
        for index, found in matched.nodes.items()
        for node in found
    }
    host = next((d.name for d in plan.pool.devices if d.device_type == "CPU"), names[0])
    _fill(matched.model.graph, device, None, host)
    return device


def _fill(graph: GraphProto, device: dict[int, str], outer: str | None, host: str) -> None:
    wanted: dict[str, str] = {}
    for node in reversed(graph.node):
        own = device.get(id(node)) or outer or next((wanted[n] for n in node.output if n in wanted), host)
        device[id(node)] = own
        for body in attribute_graphs(node):
            _fill(body, device, own, host)
        for name in node.input:
            wanted.setdefault(name, own)
