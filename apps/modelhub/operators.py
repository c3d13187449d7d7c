"""Pages of a graph's operators and edges, filtered by what a person types."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from heteroopt.graph.graph import Edge, Graph, Operator, Tensor

_Item = TypeVar("_Item")
MAX_TENSORS = 32
"""How many inputs and how many outputs an operator lists; ``n_inputs`` and ``n_outputs`` count them all."""
MAX_CONSUMERS = 16
"""How many readers a tensor lists; ``n_consumers`` counts them all."""


def operator_page(graph: Graph, *, offset: int, limit: int, query: str) -> dict[str, Any]:
    """Operators whose name, type, class or scope contains ``query`` (any case), from ``offset`` on."""
    contains = _filter(query)
    found = [op for op in graph.operators if contains is None or contains(op.name, op.op_type, op.op_class, op.scope)]
    return _page(found, offset, limit, lambda op: _operator(graph, op))


def edge_page(graph: Graph, *, offset: int, limit: int, query: str) -> dict[str, Any]:
    """Edges whose source, target or tensor is named with ``query`` (any case) in it, from ``offset`` on."""
    contains = _filter(query)
    operators, tensors = graph.operators, graph.tensors
    found = [
        (index, edge)
        for index, edge in enumerate(graph.edges)
        if contains is None
        or contains(operators[edge.source].name, operators[edge.target].name, tensors[edge.tensor].name)
    ]
    return _page(found, offset, limit, lambda numbered: _edge(graph, *numbered))


def _page(found: Sequence[_Item], offset: int, limit: int, row: Callable[[_Item], dict[str, Any]]) -> dict[str, Any]:
    """How many there are, and the rows of a part of them."""
    return {"count": len(found), "results": [row(item) for item in found[offset : offset + limit]]}


def _filter(query: str) -> Callable[..., bool] | None:
    wanted = query.casefold()
    if not wanted:
        return None
    return lambda *texts: any(wanted in text.casefold() for text in texts)


def _operator(graph: Graph, op: Operator) -> dict[str, Any]:
    weights = [graph.initializers[i] for i in op.initializers]
    return {
        "index": op.index,
        "name": op.name,
        "op_type": op.op_type,
        "op_class": op.op_class,
        "scope": op.scope,
        "flops": op.flops,
        "flops_source": op.flops_source,
        "bytes_read": op.bytes_read,
        "bytes_written": op.bytes_written,
        "n_initializers": len(weights),
        "parameters": sum(math.prod(weight.shape) for weight in weights),
        "weight_bytes": sum(weight.size_bytes for weight in weights),
        "workspace_bytes": op.workspace_bytes,
        "precision": op.precision,
        "is_view": op.is_view,
        "n_inputs": len(op.inputs),
        "inputs": [_linked(graph, graph.tensors[t]) for t in op.inputs[:MAX_TENSORS]],
        "n_outputs": len(op.outputs),
        "outputs": [_linked(graph, graph.tensors[t]) for t in op.outputs[:MAX_TENSORS]],
        "predecessors": list(graph.predecessors(op.index)),
    }


def _edge(graph: Graph, index: int, edge: Edge) -> dict[str, Any]:
    return {
        "index": index,
        "source": _reference(graph, edge.source),
        "target": _reference(graph, edge.target),
        "tensor": _tensor(graph.tensors[edge.tensor]),
    }


def _reference(graph: Graph, index: int) -> dict[str, Any]:
    return {"index": index, "name": graph.operators[index].name}


def _linked(graph: Graph, tensor: Tensor) -> dict[str, Any]:
    return {
        **_tensor(tensor),
        "producer": None if tensor.producer < 0 else _reference(graph, tensor.producer),
        "n_consumers": len(tensor.consumers),
        "consumers": [_reference(graph, reader) for reader in tensor.consumers[:MAX_CONSUMERS]],
        "is_output": tensor.index in graph.outputs,
    }


def _tensor(tensor: Tensor) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "dtype": tensor.dtype,
        "shape": None if tensor.shape is None else list(tensor.shape),
        "size_bytes": tensor.size_bytes,
        "size_source": tensor.size_source,
    }
