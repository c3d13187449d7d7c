"""Whether a model's file is the model of a plan: the graph that the planner reads from it is the plan's own."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from heteroopt.deployment.exporting import Coverage, Refusal
from heteroopt.errors import ModelError
from heteroopt.graph.given import Given
from heteroopt.graph.graph import Graph, Operator, Tensor
from heteroopt.graph.onnx_reader import inspect_onnx, read_onnx

Part = tuple[str, Callable[[Graph, Operator], Any]]

_CONTRADICTIONS = frozenset(("dimension_unknown", "dimension_invalid", "shape_conflict", "given_unknown"))
"""Errors of a readable model to which what was said of the planned one does not apply."""


def check_model(graph: Graph, path: Path) -> None:
    """Compare the file with ``graph``, the one of the model's own operators that was planned.

    A file whose graph has the same content hash is the model. Of any other every operator is compared, found by the
    names of its outputs: type, domain, attributes, what it reads, shapes and types of its outputs and weights; then
    inputs, outputs and opset of the model. Figures that another version or a person would count otherwise (FLOPs,
    bytes) are not, nor are the values of weights: a model that was trained further is planned as it was.

    Raises :class:`Refusal`: ``export_model_file`` (unreadable), ``export_model_differs``; ``ModelError`` for what else
    the reader refuses.
    """
    found = _read(graph, path)
    if found.content_hash == graph.content_hash:
        return
    _check_operators(graph, found)
    for part, planned, read in (
        ("opset", graph.opset, found.opset),
        ("inputs", _ports(graph, graph.inputs), _ports(found, found.inputs)),
        ("outputs", _ports(graph, graph.outputs), _ports(found, found.outputs)),
    ):
        if planned != read:
            count = len(graph.operators)
            raise model_differs(Coverage(count, count, ()), f"{part}: {_brief(read)} instead of {_brief(planned)}")


def _read(graph: Graph, path: Path) -> Graph:
    """The graph of the file with what was said of the planned one: sizes of dynamic dimensions, and shapes."""
    stated = Given(shapes={t.name: t.shape for t in graph.tensors if t.size_source == "given" and t.shape is not None})
    try:
        try:
            return read_onnx(path, graph.dims, given=stated)
        except ModelError as error:
            if error.code != "dimension_unknown":
                raise
        # A file may state sizes itself that were given by hand before.
        known = {item.name for item in inspect_onnx(path).dynamic_dims}
        return read_onnx(path, {name: size for name, size in graph.dims.items() if name in known}, given=stated)
    except ModelError as error:
        if error.code in _CONTRADICTIONS:
            raise model_differs(Coverage(len(graph.operators), 0), error.message.rstrip(".")) from error
        if error.code == "model_unreadable":
            raise unreadable(error.message.rstrip(".")) from error
        raise


def _check_operators(graph: Graph, found: Graph) -> None:
    theirs: dict[tuple[str, ...], list[Operator]] = defaultdict(list)
    for operator in found.operators:
        theirs[_made(found, operator)].append(operator)
    lost, first = [], ""
    for operator in graph.operators:
        same = theirs[_made(graph, operator)]
        reason = "it is not there" if not same else _difference(graph, operator, found, same.pop(0))
        if reason:
            first = first or f"{operator.name}: {reason}"
            lost.append(operator.name)
    count = len(graph.operators)
    if not lost:
        more = [operator.name for rest in theirs.values() for operator in rest]
        first = f"{more[0]}: it is not planned" if more else ""
    if first:
        raise model_differs(Coverage(count, count - len(lost), tuple(lost)), first)


def _difference(graph: Graph, ours: Operator, found: Graph, theirs: Operator) -> str:
    """The first part in which two operators that make the same outputs differ, in words; "" where they are alike."""
    for part, of in _PARTS:
        planned, read = of(graph, ours), of(found, theirs)
        if planned != read:
            return f"{part} {_brief(read)} instead of {_brief(planned)}"
    for mine, other in zip(ours.outputs, theirs.outputs, strict=True):
        if not _fits(graph.tensors[mine], found.tensors[other]):
            shape, instead = graph.tensors[mine], found.tensors[other]
            return f"makes {instead.dtype} {_brief(instead.shape)} instead of {shape.dtype} {_brief(shape.shape)}"
    return ""


def _fits(ours: Tensor, theirs: Tensor) -> bool:
    """Shapes that are not known, or estimated from what a person said of the model, differ from nothing."""
    if ours.dtype != theirs.dtype:
        return False
    told = all(tensor.shape is not None and tensor.size_source != "estimated" for tensor in (ours, theirs))
    return not told or ours.shape == theirs.shape


def _made(graph: Graph, operator: Operator) -> tuple[str, ...]:
    return tuple(graph.tensors[tensor].name for tensor in operator.outputs)


def _weights(graph: Graph, operator: Operator) -> list[tuple[str, tuple[int, ...]]]:
    rows = [graph.initializers[index] for index in operator.initializers]
    return [(row.dtype, row.shape) for row in rows]


_PARTS: tuple[Part, ...] = (
    ("is", lambda graph, operator: operator.op_type),
    ("is of", lambda graph, operator: operator.domain),
    ("reads", lambda graph, operator: [graph.tensors[tensor].name for tensor in operator.inputs]),
    ("has the attributes", lambda graph, operator: json.dumps(operator.attributes, sort_keys=True)),
    ("has weights of", _weights),
)


def _ports(graph: Graph, tensors: tuple[int, ...]) -> list[str]:
    return [graph.tensors[tensor].name for tensor in tensors]


def _brief(value: object) -> str:
    text = str(value)
    return text if len(text) <= 120 else text[:119] + "\u2026"


def unreadable(reason: str) -> Refusal:
    """The refusal of a file that is no readable model."""
    return Refusal(
        "export_model_file",
        f"The model file cannot be read: {reason[:200]}.",
        hint="Give the ONNX file that was planned.",
        reason=reason[:200],
    )


def model_differs(coverage: Coverage, reason: str) -> Refusal:
    """The refusal of a file that is not the model of the plan. ``reason``: the first difference, in words."""
    return Refusal(
        "export_model_differs",
        f"The file is not the model that was planned: {coverage.expressed} of {coverage.planned} operators are in it "
        f"as planned. The first difference: {reason}.",
        hint="Give the ONNX file that was planned, or plan this one.",
        planned=coverage.planned,
        expressed=coverage.expressed,
        operators=list(coverage.unmatched[:20]),
        reason=reason,
    )
