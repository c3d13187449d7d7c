"""Parsed graphs between database and memory: compressed JSON, and the last few kept unpacked."""

from __future__ import annotations

import json
import threading
import uuid
import zlib
from collections import OrderedDict
from typing import Any

from apps.modelhub.models import ParsedGraph
from heteroopt.graph.graph import Graph

_KEEP = 8
_lock = threading.Lock()
_kept: OrderedDict[uuid.UUID, Graph] = OrderedDict()
_loading: dict[uuid.UUID, threading.Lock] = {}


def pack(document: dict[str, Any]) -> bytes:
    """Compress JSON-able data for a row."""
    return zlib.compress(json.dumps(document, separators=(",", ":"), allow_nan=False).encode("ascii"), 6)


def unpack(data: bytes | memoryview) -> dict[str, Any]:
    """Inverse of :func:`pack`."""
    document: dict[str, Any] = json.loads(zlib.decompress(bytes(data)))
    return document


def load_document(graph_id: uuid.UUID) -> dict[str, Any]:
    """The stored document of a parsed graph: ``{"graph": ...}``, for plain tables also ``"tables"``."""
    return unpack(ParsedGraph.objects.values_list("data", flat=True).get(pk=graph_id))


def load_graph(graph_id: uuid.UUID) -> Graph:
    """The graph of a row; rows never change, so the last few are kept in memory.

    Requests that ask for one graph at the same time, as a page does, wait for one of them to unpack it.
    """
    with _lock:
        own = _loading.setdefault(graph_id, threading.Lock())
    try:
        with own:
            with _lock:
                if graph_id in _kept:
                    _kept.move_to_end(graph_id)
                    return _kept[graph_id]
            graph = Graph.from_dict(load_document(graph_id)["graph"])
            with _lock:
                _kept[graph_id] = graph
                while len(_kept) > _KEEP:
                    _kept.popitem(last=False)
            return graph
    finally:
        with _lock:
            _loading.pop(graph_id, None)
