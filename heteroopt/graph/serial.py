"""A graph as JSON-able data and back, exactly, and the hash of its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from heteroopt.errors import ModelError

if TYPE_CHECKING:
    from heteroopt.graph.graph import Graph

FORMAT = "heteroopt-graph-1"

_TENSOR = ("name", "shape", "dtype", "size_bytes", "size_source", "producer", "consumers")
_INITIALIZER = ("name", "shape", "dtype", "size_bytes")
_OPERATOR = (
    "name", "op_type", "domain", "op_class", "inputs", "outputs", "initializers", "flops", "flops_source",
    "bytes_read", "bytes_written", "precision", "is_view", "scope", "attributes", "members", "colocation",
)  # fmt: skip


def _rows(items: Any, fields: tuple[str, ...]) -> list[dict[str, Any]]:
    rows = []
    for item in items:
        row = {name: getattr(item, name) for name in fields}
        for name, value in row.items():
            if type(value) is tuple:
                row[name] = list(value)
        rows.append(row)
    return rows


def _operators(graph: Graph) -> list[dict[str, Any]]:
    """Rows of the operators; a workspace stands only where there is one, as for graphs from before there was any."""
    rows = _rows(graph.operators, _OPERATOR)
    for row, op in zip(rows, graph.operators, strict=True):
        if op.workspace_bytes:
            row["workspace_bytes"] = op.workspace_bytes
    return rows


def graph_to_dict(graph: Graph) -> dict[str, Any]:
    """Return ``graph`` as dictionaries and lists of JSON-able values; indices are positions and not repeated."""
    original = None if graph.original is None else graph_to_dict(graph.original)
    return {**_content(graph), "original": original}


def _content(graph: Graph) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "name": graph.name,
        "opset": graph.opset,
        "dims": dict(graph.dims),
        "inputs": list(graph.inputs),
        "outputs": list(graph.outputs),
        "operators": _operators(graph),
        "tensors": _rows(graph.tensors, _TENSOR),
        "initializers": _rows(graph.initializers, _INITIALIZER),
        "notes": [dict(note) for note in graph.notes],
    }


def graph_from_dict(data: Mapping[str, Any]) -> Graph:
    """Rebuild the graph; :class:`ModelError` when ``data`` is not what :func:`graph_to_dict` writes."""
    from heteroopt.graph.graph import Graph, Initializer, Operator, Tensor

    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise ModelError("graph_format", f"This is not graph data of the format {FORMAT!r}.")
    try:
        return Graph(
            name=data["name"],
            operators=tuple(
                Operator(
                    index=i,
                    **{
                        **row,
                        "inputs": tuple(row["inputs"]),
                        "outputs": tuple(row["outputs"]),
                        "initializers": tuple(row["initializers"]),
                        "members": tuple(row["members"]),
                    },
                )
                for i, row in enumerate(data["operators"])
            ),
            tensors=tuple(
                Tensor(
                    index=i,
                    **{
                        **row,
                        "shape": None if row["shape"] is None else tuple(row["shape"]),
                        "consumers": tuple(row["consumers"]),
                    },
                )
                for i, row in enumerate(data["tensors"])
            ),
            initializers=tuple(
                Initializer(index=i, **{**row, "shape": tuple(row["shape"])})
                for i, row in enumerate(data["initializers"])
            ),
            inputs=tuple(data["inputs"]),
            outputs=tuple(data["outputs"]),
            dims=dict(data["dims"]),
            opset=data["opset"],
            notes=tuple(dict(note) for note in data["notes"]),
            original=None if data["original"] is None else graph_from_dict(data["original"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ModelError("graph_format", f"The graph data is malformed: {error}.") from error


def content_hash(graph: Graph) -> str:
    """SHA-256 (hex) over the canonical JSON of ``graph`` without its name, its notes and its original."""
    content = _content(graph)
    for key in ("name", "notes"):
        del content[key]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
