"""A whole graph as columns: what a drawing of it needs, an order of magnitude smaller than rows."""

from __future__ import annotations

from typing import Any

from heteroopt.graph.graph import Graph


def graph_columns(graph: Graph, graph_hash: str) -> dict[str, Any]:
    """Operators in topological order and the edges between them, one list per property.

    Types, classes and scopes are listed once, in the order in which they first occur; operators hold their places
    in those lists. ``bytes_moved`` is what an operator reads and writes. ``graph_hash`` is that of the row, which took
    time to compute.
    """
    types: dict[str, int] = {}
    classes: dict[str, int] = {}
    scopes: dict[str, int] = {}
    operators, edges = graph.operators, graph.edges
    columns = {
        "name": [op.name for op in operators],
        "op_type": [types.setdefault(op.op_type, len(types)) for op in operators],
        "op_class": [classes.setdefault(op.op_class, len(classes)) for op in operators],
        "scope": [scopes.setdefault(op.scope, len(scopes)) for op in operators],
        "flops": [op.flops for op in operators],
        "bytes_moved": [op.bytes_read + op.bytes_written for op in operators],
    }
    return {
        "graph_hash": graph_hash,
        "op_types": list(types),
        "op_classes": list(classes),
        "scopes": list(scopes),
        "operators": columns,
        "edges": {
            "source": [edge.source for edge in edges],
            "target": [edge.target for edge in edges],
            "size_bytes": [edge.size_bytes for edge in edges],
        },
    }
