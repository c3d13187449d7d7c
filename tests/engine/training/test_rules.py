"""Every rule, every legal annotation of its inputs on at most four devices: the shards are the whole result's."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from heteroopt.training.annotations import Annotation, Shape
from heteroopt.training.dimension_map import Named, deduce
from heteroopt.training.errors import TrainingError
from heteroopt.training.execution import assemble, cut, run_operator
from heteroopt.training.operators import RULES, Local, output_shapes
from tests.engine.training.everything import annotations

Case = tuple[tuple[Shape, ...], Mapping[str, Any]]

CASES: dict[str, list[Case]] = {
    "add": [(((4, 4), (4, 4)), {}), (((4, 2, 4), (4,)), {}), (((4, 1), (1, 4)), {})],
    "subtract": [(((4, 4), (4, 4)), {})],
    "multiply": [(((4, 4), (4, 4)), {}), (((4, 4), (4,)), {})],
    "divide": [(((4, 4), (4, 4)), {})],
    "maximum": [(((4, 4), (4, 4)), {})],
    "negate": [(((4, 4),), {})],
    "identity": [(((4, 4),), {})],
    "exp": [(((4, 4),), {})],
    "tanh": [(((4, 4),), {})],
    "sigmoid": [(((4, 4),), {})],
    "relu": [(((4, 4),), {})],
    "gelu": [(((4, 4),), {})],
    "silu": [(((4, 4),), {})],
    "where": [(((4,), (4,), (4,)), {})],
    "scale": [(((4, 4),), {"factor": 0.5})],
    "adam_step": [(((4,),) * 4, {})],
    "matmul": [(((4, 4), (4, 4)), {}), (((4, 2, 4), (4, 4)), {}), (((2, 4, 4), (2, 4, 2)), {})],
    "einsum": [(((4, 2, 4), (4, 4)), {"spec": "b s h, h f -> b s f"}), (((2, 4), (2, 4)), {"spec": "t h, t f -> h f"})],
    "transpose": [(((4, 2, 4),), {"order": (2, 0, 1)})],
    "reshape": [
        (((4, 8),), {"shape": (4, 4, 2)}),
        (((4, 2, 4),), {"shape": (8, 4)}),
        (((4, 6),), {"shape": (4, 3, 2)}),
        (((4, 6, 4),), {"shape": (4, 4, 6)}),
        (((1, 4, 1, 4),), {"shape": (16,)}),
    ],
    "expand": [(((4, 1, 4),), {"shape": (2, 4, 4, 4)})],
    "concat": [(((4, 2), (4, 4)), {"axis": 1})],
    "slice": [(((4, 4),), {"axis": 1, "start": 1, "stop": 3})],
    "reduce_sum": [(((4, 2, 4),), {"axes": (2,)}), (((4, 4),), {"axes": (0, 1)})],
    "reduce_mean": [(((4, 2, 4),), {"axes": (0,)})],
    "reduce_max": [(((4, 2, 4),), {"axes": (1,)})],
    "sum_of_squares": [(((4, 4),), {"axes": (0, 1)})],
    "softmax": [(((4, 2, 4),), {})],
    "layer_norm": [(((4, 4), (4,), (4,)), {})],
    "rms_norm": [(((4, 2, 4), (4,)), {})],
    "rotary": [(((2, 4, 2, 4), (2, 4), (2, 4)), {})],
    "attention": [(((4, 2, 2, 2),) * 3, {"causal": True})],
    "embedding": [(((8, 4), (4, 2)), {})],
    "cross_entropy": [(((4, 2, 4), (4, 2)), {})],
}
GROUPS = (((0,),), ((2, 0, 3, 1),), ((0, 1), (2, 3)), ((1,), (0,)), ((0, 1), (2,)))
INTEGER = {("embedding", 1), ("cross_entropy", 1)}
BUDGET = 2_500
"""Combinations of annotations that are tried for one case and one set of groups; above it, every n-th is."""


def values(kind: str, shapes: tuple[Shape, ...]) -> list[np.ndarray[Any, Any]]:
    random = np.random.default_rng(7)
    found: list[np.ndarray[Any, Any]] = []
    for number, shape in enumerate(shapes):
        if (kind, number) in INTEGER:
            found.append(random.integers(0, 4, shape))
        elif kind in {"divide", "adam_step"}:
            found.append(random.integers(1, 9, shape).astype(float))
        else:
            found.append(random.integers(-4, 5, shape) / 4)
    return found


def test_every_rule_has_cases() -> None:
    assert set(CASES) == set(RULES)
    assert len(RULES) >= 20


@pytest.mark.parametrize("kind", sorted(CASES))
def test_shards_of_inputs_give_shards_of_the_result(kind: str) -> None:
    legal = illegal = 0
    for shapes, attributes in CASES[kind]:
        whole = values(kind, shapes)
        everything = tuple(tuple((0, length) for length in shape) for shape in shapes)
        results = RULES[kind].compute(Local(tuple(whole), everything, shapes, attributes))
        dimensions = RULES[kind].dimensions(shapes, attributes)
        assert output_shapes(dimensions) == tuple(result.shape for result in results)
        for groups in GROUPS:
            choices = [list(annotations(groups, shape)) for shape in shapes]
            stride = max(1, -(-int(np.prod([len(choice) for choice in choices])) // BUDGET) | 1)
            for chosen in itertools.islice(itertools.product(*choices), 0, None, stride):
                try:
                    named = [Named(f"x{n}", s, a) for n, (s, a) in enumerate(zip(shapes, chosen, strict=True))]
                    found = deduce(kind, dimensions, named)
                except TrainingError as error:
                    assert error.code in {"annotation_conflict", "annotation_illegal"}
                    illegal += 1
                    continue
                legal += 1
                shards = [cut(value, one) for value, one in zip(whole, chosen, strict=True)]
                outputs = run_operator(kind, shards, chosen, shapes, attributes)
                for output, annotation, result in zip(outputs, found, results, strict=True):
                    annotation.check("y", result.shape)
                    np.testing.assert_allclose(assemble(output, annotation, result.shape), result, rtol=1e-9, atol=1e-9)
    assert legal >= 6
    assert illegal or kind in {"expand", "identity", "negate", "reduce_mean", "reduce_sum", "scale", "transpose"}


@pytest.mark.parametrize("kind", ["add", "matmul", "softmax", "reduce_max", "embedding", "slice", "reshape", "relu"])
def test_what_is_refused_has_no_right_result(kind: str) -> None:
    shapes, attributes = CASES[kind][2 if kind == "reshape" else 0]
    groups = ((2, 0, 3, 1),)
    whole = values(kind, shapes)
    everything = tuple(tuple((0, length) for length in shape) for shape in shapes)
    (result,) = RULES[kind].compute(Local(tuple(whole), everything, shapes, attributes))
    dimensions = RULES[kind].dimensions(shapes, attributes)
    candidates = list(annotations(groups, result.shape))
    choices = list(itertools.product(*(list(annotations(groups, shape)) for shape in shapes)))
    refused = []
    for chosen in choices:
        try:
            deduce(kind, dimensions, [Named(str(n), s, a) for n, (s, a) in enumerate(zip(shapes, chosen, strict=True))])
        except TrainingError:
            refused.append(chosen)
    assert refused
    for chosen in refused[:: max(1, len(refused) // 40)]:
        try:
            shards = [cut(value, one, seed=3) for value, one in zip(whole, chosen, strict=True)]
            (output,) = run_operator(kind, shards, chosen, shapes, attributes)
        except (ValueError, IndexError):
            continue
        for candidate in candidates:
            assert not _gives(output, candidate, result), (chosen, candidate)


def _gives(output: dict[int, np.ndarray[Any, Any]], candidate: Annotation, result: np.ndarray[Any, Any]) -> bool:
    try:
        return np.allclose(assemble(output, candidate, result.shape), result)
    except TrainingError:
        return False
