"""Nodes of a graph in an order in which every input exists; names the cycle or the missing input otherwise."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush

from onnx import GraphProto, NodeProto

from heteroopt.errors import ModelError
from heteroopt.graph.names import display_name
from heteroopt.graph.onnx_model import attribute_graphs


def names_read(node: NodeProto) -> set[str]:
    """Names that ``node`` needs from its graph: its inputs and what its bodies take from outside."""
    names = {name for name in node.input if name}
    for graph in attribute_graphs(node):
        names |= _free_names(graph)
    return names


def _free_names(graph: GraphProto) -> set[str]:
    local = {item.name for item in graph.input}
    local.update(tensor.name for tensor in graph.initializer)
    local.update(sparse.values.name for sparse in graph.sparse_initializer)
    read: set[str] = set()
    for node in graph.node:
        read |= names_read(node)
        local.update(node.output)
    read.update(item.name for item in graph.output)
    return read - local - {""}


def ordered_nodes(graph: GraphProto, known: Callable[[str], object | None]) -> list[tuple[int, NodeProto]]:
    """The nodes of ``graph`` with their places in it, in the order of the file where that is topological.

    ``known`` tells which names exist before any node runs. Raises :class:`ModelError`: ``duplicate_name``,
    ``input_missing`` or ``graph_cycle``.
    """
    nodes = list(graph.node)
    producer: dict[str, int] = {}
    given = {item.name for item in graph.input} | {tensor.name for tensor in graph.initializer}
    for i, node in enumerate(nodes):
        for name in node.output:
            if name and (name in producer or name in given):
                raise ModelError(
                    "duplicate_name",
                    f"More than one part of the model produces {display_name(name)!r}.",
                    hint="Every output needs its own name; export the model again.",
                    value=display_name(name),
                )
            if name:
                producer[name] = i
    needs: list[list[int]] = []
    sorted_already = True
    for i, node in enumerate(nodes):
        before = []
        for name in names_read(node):
            source = producer.get(name)
            if source is not None:
                before.append(source)
                sorted_already = sorted_already and source < i
            elif known(name) is None:
                raise ModelError(
                    "input_missing",
                    f"The operator {_label(node)!r} reads {display_name(name)!r}, which nothing produces.",
                    hint="Export the model again; a part of it is missing.",
                    operator=_label(node),
                    value=display_name(name),
                )
        needs.append(before)
    return list(enumerate(nodes)) if sorted_already else _sorted(nodes, needs)


def _sorted(nodes: list[NodeProto], needs: list[list[int]]) -> list[tuple[int, NodeProto]]:
    waiting = [len(set(before)) for before in needs]
    readers: list[list[int]] = [[] for _ in nodes]
    for i, before in enumerate(needs):
        for source in set(before):
            readers[source].append(i)
    ready = [i for i, count in enumerate(waiting) if count == 0]
    heapify(ready)
    order = []
    while ready:
        i = heappop(ready)
        order.append((i, nodes[i]))
        for reader in readers[i]:
            waiting[reader] -= 1
            if waiting[reader] == 0:
                heappush(ready, reader)
    if len(order) < len(nodes):
        stuck = [_label(nodes[i]) for i, count in enumerate(waiting) if count > 0]
        raise ModelError(
            "graph_cycle",
            f"The operators {', '.join(repr(name) for name in stuck[:3])} wait for each other in a cycle.",
            hint="A model must be acyclic; use Loop or Scan for repetition.",
            operators=stuck[:10],
        )
    return order


def _label(node: NodeProto) -> str:
    return display_name(node.name or (node.output[0] if node.output else "") or node.op_type)
