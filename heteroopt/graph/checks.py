"""What must hold for the parts of a graph to fit together: indices, order, producers and readers, sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heteroopt.errors import ModelError

if TYPE_CHECKING:
    from heteroopt.graph.graph import Graph

MAX_AMOUNT = 2**62
"""Largest number of bytes or FLOP in one graph: sums of it stay inside 64-bit integers."""


def _broken(message: str, **params: object) -> ModelError:
    return ModelError("graph_inconsistent", message, hint="Build the graph with one of the readers.", **params)


def check_graph(graph: Graph) -> None:
    """Raise :class:`ModelError` unless ``graph`` is consistent and its operators stand in topological order."""
    _check_tensors(graph)
    _check_operators(graph)
    _check_consumers(graph)
    _check_amounts(graph)


def _check_tensors(graph: Graph) -> None:
    n_operators, n_tensors = len(graph.operators), len(graph.tensors)
    for position, tensor in enumerate(graph.tensors):
        if tensor.index != position:
            raise _broken(f"Tensor {tensor.name!r} has index {tensor.index}, expected {position}.", tensor=tensor.name)
        if not -1 <= tensor.producer < n_operators:
            raise _broken(f"Tensor {tensor.name!r} names producer {tensor.producer}.", tensor=tensor.name)
    for position, initializer in enumerate(graph.initializers):
        if initializer.index != position:
            raise _broken(f"Initializer {initializer.name!r} has index {initializer.index}, expected {position}.")
    for t in (*graph.inputs, *graph.outputs):
        if not 0 <= t < n_tensors:
            raise _broken(f"A graph input or output names tensor {t}, which does not exist.")
    if any(graph.tensors[t].producer != -1 for t in graph.inputs):
        raise _broken("A graph input is also produced by an operator.")


def _check_operators(graph: Graph) -> None:
    n_tensors, n_initializers = len(graph.tensors), len(graph.initializers)
    names: set[str] = set()
    for position, op in enumerate(graph.operators):
        if op.index != position:
            raise _broken(f"Operator {op.name!r} has index {op.index}, expected {position}.", operator=op.name)
        if op.name in names:
            raise ModelError("duplicate_operator", f"Two operators are called {op.name!r}.", operator=op.name)
        names.add(op.name)
        for t in (*op.inputs, *op.outputs):
            if not 0 <= t < n_tensors:
                raise _broken(f"Operator {op.name!r} names tensor {t}, which does not exist.", operator=op.name)
        if len(set(op.inputs)) != len(op.inputs):
            raise _broken(f"Operator {op.name!r} lists an input twice.", operator=op.name)
        for t in op.inputs:
            if graph.tensors[t].producer >= position:
                raise ModelError(
                    "graph_cycle",
                    f"Operator {op.name!r} reads {graph.tensors[t].name!r}, which is only produced at or after it.",
                    hint="The operators must form a directed acyclic graph in topological order.",
                    operator=op.name,
                    tensor=graph.tensors[t].name,
                )
        for t in op.outputs:
            if graph.tensors[t].producer != position:
                raise _broken(f"Operator {op.name!r} is not the producer of its output.", operator=op.name)
        if any(not 0 <= i < n_initializers for i in op.initializers):
            raise _broken(f"Operator {op.name!r} names an initializer that does not exist.", operator=op.name)


def _check_consumers(graph: Graph) -> None:
    readers: list[list[int]] = [[] for _ in graph.tensors]
    writes = [0] * len(graph.tensors)
    for op in graph.operators:
        for t in op.inputs:
            readers[t].append(op.index)
        for t in op.outputs:
            writes[t] += 1
    for tensor in graph.tensors:
        if tuple(readers[tensor.index]) != tensor.consumers:
            raise _broken(f"The readers of tensor {tensor.name!r} do not match its consumers.", tensor=tensor.name)
        if writes[tensor.index] != (tensor.producer >= 0):
            raise _broken(f"Tensor {tensor.name!r} must be written exactly once.", tensor=tensor.name)


def _check_amounts(graph: Graph) -> None:
    for tensor in graph.tensors:
        if tensor.size_bytes < 0:
            raise _broken(f"Tensor {tensor.name!r} has a negative size.", tensor=tensor.name)
    for op in graph.operators:
        if min(op.flops, op.bytes_read, op.bytes_written, op.workspace_bytes) < 0:
            raise _broken(f"Operator {op.name!r} has a negative cost.", operator=op.name)
    totals = (
        sum(t.size_bytes for t in graph.tensors) + sum(i.size_bytes for i in graph.initializers),
        sum(op.flops for op in graph.operators),
        sum(op.bytes_read + op.bytes_written for op in graph.operators),
        sum(op.workspace_bytes for op in graph.operators),
    )
    if max(totals) > MAX_AMOUNT:
        raise ModelError(
            "graph_too_large",
            "The sizes in this graph add up to more than 2^62 bytes or floating-point operations.",
            hint="Check the dimensions of the inputs: they are far beyond any memory.",
        )
