"""The key under which a person answers for an operator with bodies: its name where that is its own, else its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from onnx import GraphProto, NodeProto

from heteroopt.graph.live import Scope
from heteroopt.graph.names import display_name
from heteroopt.graph.onnx_model import attribute_graphs

_SHOWN = 80
"""Characters of a name and of an output in a key that holds both: keys stay shorter than names may be."""


class AnswerKeys:
    """Keys for the If, Loop and Scan of one model, at any depth; the same for every reading of the same file."""

    def __init__(self, graph: GraphProto | None = None) -> None:
        self._count = Counter(_spoken(node) for node in _with_bodies(graph)) if graph is not None else Counter[str]()

    def key(self, node: NodeProto, scope: Scope) -> str:
        """``loop`` if no other such operator is called so, else ``loop#12:y``: its place in the graph and its output.

        Inside bodies the places of what is around it stand before its own: ``loop#3.0.1:y`` is the second operator
        in the first body of the fourth.
        """
        name = _spoken(node)
        if self._count[name] < 2:
            return name
        place = ".".join(str(number) for number in (*scope.path, scope.at))
        output = display_name(node.output[0]) if node.output else ""
        return f"{name[:_SHOWN]}#{place}:{output[:_SHOWN]}"


def _spoken(node: NodeProto) -> str:
    """The name under which a person speaks of a node: its own, else that of its first output, else its type."""
    return display_name(node.name or (node.output[0] if node.output else "") or node.op_type)


def _with_bodies(graph: GraphProto) -> Iterator[NodeProto]:
    for node in graph.node:
        found = False
        for body in attribute_graphs(node):
            found = True
            yield from _with_bodies(body)
        if found:
            yield node
