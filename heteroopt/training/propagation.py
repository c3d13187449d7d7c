"""One logical graph: a person annotates key tensors, and the annotations of all others follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heteroopt.training.annotations import Annotation, Shape
from heteroopt.training.communication import Communication, resolve
from heteroopt.training.dimension_map import Named, deduce
from heteroopt.training.errors import TrainingError
from heteroopt.training.operators import RULES, output_shapes


@dataclass(frozen=True)
class Node:
    """One operator of the logical graph."""

    name: str
    type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]


@dataclass
class LogicalGraph:
    """Tensors by name with their shapes, and the operators in an order in which they can run."""

    shapes: dict[str, Shape] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)

    def tensor(self, name: str, shape: Sequence[int]) -> str:
        """Add a leaf: an input or a weight. Raises :class:`TrainingError` for a name taken or a length below 1."""
        if name in self.shapes:
            raise TrainingError(
                "tensor_name_taken",
                f"There is a tensor {name} already.",
                hint="Give every tensor a name of its own.",
                tensor=name,
            )
        if any(length < 1 for length in shape):
            raise TrainingError(
                "tensor_empty",
                f"{name} has a dimension below 1: {tuple(shape)}.",
                hint="Give every dimension at least length 1.",
                tensor=name,
                shape=list(shape),
            )
        self.shapes[name] = tuple(shape)
        return name

    def add(self, kind: str, inputs: Sequence[str], outputs: str | Sequence[str], **attributes: Any) -> str:
        """Add an operator; its outputs' shapes follow. Returns the name of the first output."""
        names = (outputs,) if isinstance(outputs, str) else tuple(outputs)
        if kind not in RULES:
            raise TrainingError(
                "training_operator_unknown",
                f"There is no rule for the operator {kind}.",
                hint=f"Known: {', '.join(sorted(RULES))}.",
                operator=kind,
                known=", ".join(sorted(RULES)),
            )
        for name in inputs:
            if name not in self.shapes:
                raise TrainingError(
                    "tensor_unknown",
                    f"{kind} reads {name}, which nothing before it gives.",
                    hint="Add tensors and operators in an order in which they can run.",
                    tensor=name,
                    operator=kind,
                )
        dimensions = RULES[kind].dimensions([self.shapes[name] for name in inputs], attributes)
        for name, shape in zip(names, output_shapes(dimensions), strict=True):
            self.tensor(name, shape)
        self.nodes.append(Node(names[0], kind, tuple(inputs), names, attributes))
        return names[0]


@dataclass(frozen=True)
class Reshard:
    """A tensor that an operator gives in one annotation and that is wanted in another, with the communication."""

    tensor: str
    source: Annotation
    target: Annotation
    communication: Communication


@dataclass(frozen=True)
class Propagated:
    """Every tensor's annotation as its readers see it, and the communications in between."""

    annotations: Mapping[str, Annotation]
    reshards: tuple[Reshard, ...]


def propagate(graph: LogicalGraph, annotations: Mapping[str, Annotation]) -> Propagated:
    """Deduce the annotation of every tensor from those given.

    A leaf must be annotated. Where an annotation is given for what an operator computes, the communication from the
    deduced one is made. Raises :class:`TrainingError` that names the tensors and both sides.
    """
    for name, annotation in annotations.items():
        if name not in graph.shapes:
            raise TrainingError(
                "annotated_tensor_unknown",
                f"The annotation of {name} fits no tensor of the graph.",
                hint="Compare the names.",
                tensor=name,
            )
        annotation.check(name, graph.shapes[name])
    computed = {name for node in graph.nodes for name in node.outputs}
    found: dict[str, Annotation] = {}
    for name in graph.shapes:
        if name not in computed:
            if name not in annotations:
                raise TrainingError(
                    "annotation_missing",
                    f"{name} is an input or a weight and has no annotation.",
                    hint="Annotate every tensor that no operator computes.",
                    tensor=name,
                )
            found[name] = annotations[name]
    reshards = []
    for node in graph.nodes:
        shapes = [graph.shapes[name] for name in node.inputs]
        named = [Named(name, shape, found[name]) for name, shape in zip(node.inputs, shapes, strict=True)]
        dimensions = RULES[node.type].dimensions(shapes, node.attributes)
        for name, source in zip(node.outputs, deduce(f"{node.name} ({node.type})", dimensions, named), strict=True):
            source.check(name, graph.shapes[name])
            target = annotations.get(name, source).with_cuts(graph.shapes[name])
            if target != source.with_cuts(graph.shapes[name]):
                communication = resolve(name, graph.shapes[name], source, target)
                reshards.append(Reshard(name, source, target, communication))
            found[name] = target
    return Propagated(found, tuple(reshards))
