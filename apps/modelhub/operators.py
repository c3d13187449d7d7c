"""Pages of a graph's operators, filtered by what a person types."""

from __future__ import annotations

from typing import Any

from heteroopt.graph.graph import Graph, Operator, Tensor


def operator_page(graph: Graph, *, offset: int, limit: int, query: str) -> dict[str, Any]:
    """Operators whose name, type, class or scope contains ``query`` (any case), from ``offset`` on."""
    wanted = query.casefold()
    found = [op for op in graph.operators if not wanted or _matches(op, wanted)]
    return {"count": len(found), "results": [_operator(graph, op) for op in found[offset : offset + limit]]}


def _matches(op: Operator, wanted: str) -> bool:
    return any(wanted in text.casefold() for text in (op.name, op.op_type, op.op_class, op.scope))


def _operator(graph: Graph, op: Operator) -> dict[str, Any]:
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
        "weight_bytes": sum(graph.initializers[i].size_bytes for i in op.initializers),
        "precision": op.precision,
        "is_view": op.is_view,
        "inputs": [_tensor(graph.tensors[t]) for t in op.inputs],
        "outputs": [_tensor(graph.tensors[t]) for t in op.outputs],
        "predecessors": list(graph.predecessors(op.index)),
    }


def _tensor(tensor: Tensor) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "dtype": tensor.dtype,
        "shape": None if tensor.shape is None else list(tensor.shape),
        "size_bytes": tensor.size_bytes,
        "size_source": tensor.size_source,
    }
