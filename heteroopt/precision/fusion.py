"""Which operators of a model two runtimes fused into one, told from the graphs that they really run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx

BLOCKED = "_nchwc"
"""What ONNX Runtime appends to a result's name to name an operator that works in a blocked layout."""


@dataclass(frozen=True, slots=True)
class FusedGroup:
    """Operators (by name, as in the model) that run as one, and what the runtime calls that."""

    operators: tuple[str, ...]
    into: str

    def to_dict(self) -> dict[str, Any]:
        """Return the group as JSON-able data."""
        return {"operators": list(self.operators), "into": self.into}


def operator_names(model: onnx.ModelProto, by_result: Mapping[str, str]) -> list[str]:
    """Return a name for every operator: ``by_result`` of a result of it, else its own, or that of its first result."""
    names = []
    for node in model.graph.node:
        results = [name for name in node.output if name]
        known = next((by_result[name] for name in results if name in by_result), "")
        names.append(known or node.name or next(iter(results), ""))
    return names


def fused_groups(
    model: onnx.ModelProto, details: Mapping[str, Any], by_result: Mapping[str, str] | None = None
) -> list[FusedGroup] | None:
    """Return the groups of more than one operator in a program's ``details``; ``None`` where it tells nothing.

    ``layers``: each says which ``operators`` it stands for. ``optimised``: an ONNX model; an operator whose results
    are gone from it was fused into the one that makes the next result that is still there.
    """
    names = operator_names(model, by_result or {})
    layers = details.get("layers")
    if isinstance(layers, list):
        return _from_layers(model, names, layers)
    optimised = details.get("optimised")
    if isinstance(optimised, bytes):
        return _from_graph(model, names, onnx.load_from_string(optimised))
    return None


def compare_fusion(left: Sequence[FusedGroup] | None, right: Sequence[FusedGroup] | None) -> dict[str, Any] | None:
    """Return ``{"same": [groups of both], "left": [groups of the left only], "right": [...]}``; ``None`` if unknown."""
    if left is None or right is None:
        return None
    sets = [{frozenset(group.operators) for group in side} for side in (left, right)]
    both = sets[0] & sets[1]
    return {
        "same": [group.to_dict() for group in left if frozenset(group.operators) in both],
        "left": [group.to_dict() for group in left if frozenset(group.operators) not in both],
        "right": [group.to_dict() for group in right if frozenset(group.operators) not in both],
    }


def _from_layers(model: onnx.ModelProto, names: Sequence[str], layers: Iterable[Mapping[str, Any]]) -> list[FusedGroup]:
    known: dict[str, str] = {}
    for name, node in zip(names, model.graph.node, strict=True):
        for alias in (node.name, *node.output):
            if alias:
                known[alias] = name
    place = {name: i for i, name in enumerate(names)}
    groups = []
    for layer in layers:
        members = {known[name] for name in layer.get("operators", ()) if name in known}
        if len(members) > 1:
            ordered = tuple(sorted(members, key=place.__getitem__))
            groups.append(FusedGroup(ordered, str(layer.get("op_type", ""))))
    return groups


def _from_graph(model: onnx.ModelProto, names: Sequence[str], optimised: onnx.ModelProto) -> list[FusedGroup]:
    left = _still_there(model, optimised)
    maker = {name: i for i, node in enumerate(model.graph.node) for name in node.output if name}
    varying = _varying(model)
    groups = []
    for i, node in enumerate(model.graph.node):
        kept = [name for name in node.output if name in left]
        if not kept:
            continue
        members, waiting = {i}, [i]
        while waiting:
            for name in model.graph.node[waiting.pop()].input:
                j = maker.get(name)
                if j is not None and j not in members and j in varying and not _kept(model.graph.node[j], left):
                    members.add(j)
                    waiting.append(j)
        if len(members) > 1:
            groups.append(FusedGroup(tuple(names[j] for j in sorted(members)), left[kept[0]]))
    return groups


def _still_there(model: onnx.ModelProto, optimised: onnx.ModelProto) -> dict[str, str]:
    """Return the results that the optimised graph still makes, with the type of the operator that makes each.

    Blocked layouts rename results; then the operator's name tells: that of an operator of the model, or that of its
    result with a suffix.
    """
    results = {node.name: list(node.output) for node in model.graph.node if node.name}
    found: dict[str, str] = {}
    for node in optimised.graph.node:
        named = [node.name.removesuffix(BLOCKED)] if node.name.endswith(BLOCKED) else results.get(node.name, [])
        found |= {name: node.op_type for name in named}
    for node in optimised.graph.node:
        for name in node.output:
            found.setdefault(name, node.op_type)
    return found


def _kept(node: onnx.NodeProto, left: Mapping[str, str]) -> bool:
    return any(name in left for name in node.output)


def _varying(model: onnx.ModelProto) -> set[int]:
    """Operators that depend on an input: the others are constants, which every runtime folds."""
    constants = {tensor.name for tensor in model.graph.initializer}
    moving = {value.name for value in model.graph.input} - constants
    found = set()
    for i, node in enumerate(model.graph.node):
        if any(name in moving for name in node.input) or any(
            a.type == onnx.AttributeProto.GRAPH for a in node.attribute
        ):
            found.add(i)
            moving.update(node.output)
    return found
