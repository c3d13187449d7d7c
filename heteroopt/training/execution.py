"""Runs operators and communications on shards in numpy, so that each can be checked against the whole tensor."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from heteroopt.training.annotations import DUPLICATE, PARTIAL, Annotation, Box, Holding, Shape
from heteroopt.training.communication import Communication, Step
from heteroopt.training.errors import TrainingError
from heteroopt.training.operators import RULES, Array, Local
from heteroopt.training.propagation import LogicalGraph, propagate

Shards = Mapping[int, Array]
"""What each device holds of a tensor."""


def cut(whole: Array, annotation: Annotation, *, seed: int = 0) -> dict[int, Array]:
    """Return every device's shard of ``whole``. Partial terms are whole random numbers that add up to it."""
    random = np.random.default_rng(seed)

    def terms(total: Array, count: int) -> list[Array]:
        others = [random.integers(-8, 9, total.shape).astype(total.dtype) for _ in range(count - 1)]
        return [np.asarray(total - sum(others)), *others]

    count = len(annotation.groups)
    shares = terms(whole, count) if annotation.along == PARTIAL else [whole] * count
    found: dict[int, Array] = {}
    for _number, holdings in itertools.groupby(annotation.holdings(whole.shape), key=lambda one: one.group):
        held = list(holdings)
        names = sorted({one.term for one in held})
        values = dict(zip(names, terms(shares[held[0].group], len(names)), strict=True))
        for one in held:
            found[one.device] = values[one.term][index(one.box)].copy()
    return found


def assemble(shards: Shards, annotation: Annotation, shape: Shape) -> Array:
    """Return the whole tensor. Raises :class:`TrainingError` ``shards_disagree`` where duplicates are not equal."""
    parts: dict[tuple[int, tuple[int, ...]], Array] = {}
    known: dict[tuple[int, tuple[int, ...]], Array] = {}
    dtype = next(iter(shards.values())).dtype
    for one in annotation.holdings(shape):
        key = one.group, one.term
        value = parts.setdefault(key, np.zeros(shape, dtype))
        filled = known.setdefault(key, np.zeros(shape, bool))
        place, shard = index(one.box), shards[one.device]
        if shard.shape != value[place].shape:
            raise _disagree(one, f"its shard has shape {shard.shape}, not {value[place].shape}")
        if not np.allclose(value[place][filled[place]], shard[filled[place]], rtol=1e-9, atol=1e-9):
            raise _disagree(one, "another device holds another value of the same part")
        value[place] = shard
        filled[place] = True
    groups = [np.zeros(shape, dtype) for _ in annotation.groups]
    for (number, _term), value in parts.items():
        groups[number] = groups[number] + value
    if annotation.along == DUPLICATE:
        for number, value in enumerate(groups[1:], start=1):
            if not np.allclose(groups[0], value, rtol=1e-9, atol=1e-9):
                raise TrainingError(
                    "shards_disagree",
                    f"Groups 0 and {number} hold different values of what should be duplicates.",
                    hint="The communication or the operator before this tensor is wrong.",
                    group=number,
                    says="groups differ",
                )
        return groups[0]
    return np.asarray(sum(groups))


def _disagree(one: Holding, says: str) -> TrainingError:
    return TrainingError(
        "shards_disagree",
        f"Device {one.device} of group {one.group}: {says}.",
        hint="The communication or the operator before this tensor is wrong.",
        group=one.group,
        says=says,
    )


def communicate(communication: Communication, shards: Shards, source: Annotation, shape: Shape) -> dict[int, Array]:
    """Return the shards after the communication."""
    for step in communication.steps:
        shards = _step(step, shards, source, shape)
        source = step.target
    return dict(shards)


def _step(step: Step, shards: Shards, source: Annotation, shape: Shape) -> dict[int, Array]:
    if not step.transfers and not step.reductions:
        return dict(shards)
    before = {one.device: one.box for one in source.holdings(shape)}
    after = {one.device: one.box for one in step.target.holdings(shape)}
    dtype = next(iter(shards.values())).dtype
    found = {device: np.full([high - low for low, high in box], -(2**30), dtype) for device, box in after.items()}
    for one in step.transfers:
        found[one.receiver][inside(after[one.receiver], one.box)] = shards[one.sender][
            inside(before[one.sender], one.box)
        ]
    for sum_ in step.reductions:
        total = sum(shards[device][inside(before[device], sum_.box)] for device in sum_.contributors)
        for device in sum_.receivers:
            found[device][inside(after[device], sum_.box)] = total
    return found


def index(box: Box) -> tuple[slice, ...]:
    """Return ``box`` as an index into the whole tensor."""
    return tuple(slice(low, high) for low, high in box)


def inside(outer: Box, inner: Box) -> tuple[slice, ...]:
    """Return ``inner`` as an index into an array that holds ``outer``."""
    return tuple(slice(a - low, b - low) for (low, _), (a, b) in zip(outer, inner, strict=True))


def run_operator(
    kind: str,
    shards: Sequence[Shards],
    annotations: Sequence[Annotation],
    shapes: Sequence[Shape],
    attributes: Mapping[str, object],
) -> list[dict[int, Array]]:
    """Run an operator on every device's own shards; the annotations must be legal for it. Returns the outputs."""
    boxes = [{one.device: one.box for one in a.holdings(s)} for a, s in zip(annotations, shapes, strict=True)]
    found: list[dict[int, Array]] = []
    for device in boxes[0]:
        local = Local(
            tuple(one[device] for one in shards), tuple(one[device] for one in boxes), tuple(shapes), attributes
        )
        outputs = RULES[kind].compute(local)
        found = found or [{} for _ in outputs]
        for kept, value in zip(found, outputs, strict=True):
            kept[device] = value
    return found


def run_graph(
    graph: LogicalGraph, annotations: Mapping[str, Annotation], values: Mapping[str, Array]
) -> dict[str, Array]:
    """Run the whole graph on shards, communications included, and return every tensor put together again.

    ``values``: the leaves, by name.
    """
    propagated = propagate(graph, annotations)
    reshards = {one.tensor: one for one in propagated.reshards}
    shards: dict[str, Shards] = {name: cut(value, propagated.annotations[name]) for name, value in values.items()}
    for node in graph.nodes:
        outputs = run_operator(
            node.type,
            [shards[name] for name in node.inputs],
            [propagated.annotations[name] for name in node.inputs],
            [graph.shapes[name] for name in node.inputs],
            node.attributes,
        )
        for name, value in zip(node.outputs, outputs, strict=True):
            change = reshards.get(name)
            shards[name] = (
                value if change is None else communicate(change.communication, value, change.source, graph.shapes[name])
            )
    return {name: assemble(value, propagated.annotations[name], graph.shapes[name]) for name, value in shards.items()}
