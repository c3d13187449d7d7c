"""One transformer layer, annotated at few tensors, runs on shards of unlike groups and equals the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heteroopt.training.annotations import (
    DUPLICATE,
    PARTIAL,
    Annotation,
    DeviceGroup,
    DistributedState,
    MeshAxis,
    Placement,
    Split,
)
from heteroopt.training.communication import Kind
from heteroopt.training.errors import TrainingError
from heteroopt.training.execution import run_graph
from heteroopt.training.propagation import LogicalGraph, propagate

BATCH, SEQUENCE, HIDDEN, HEADS, FFN, VOCABULARY = 5, 4, 8, 4, 16, 12


def on(
    *groups: tuple[tuple[int, ...], Placement], along: Placement = DUPLICATE, cuts: tuple[int, ...] = ()
) -> Annotation:
    return Annotation(
        tuple(DeviceGroup(d, DistributedState((MeshAxis(what, len(d)),))) for d, what in groups), along, cuts
    )


A, B = (0, 1, 2, 3), (5, 4)


def tensor_parallel(what: Placement) -> Annotation:
    """Weights: tensor-parallel degree 4 on one pipeline and 2 on the other."""
    return on((A, what), (B, what))


def samples(what: Placement = DUPLICATE) -> Annotation:
    """Activations: three samples on the first pipeline, two on the second."""
    return on((A, what), (B, what), along=Split(0), cuts=(3,))


def layer() -> tuple[LogicalGraph, dict[str, Annotation]]:
    g = LogicalGraph()
    g.tensor("tokens", (BATCH, SEQUENCE))
    g.tensor("table", (VOCABULARY, HIDDEN))
    for name, shape in {"q": (HIDDEN, HIDDEN), "k": (HIDDEN, HIDDEN), "v": (HIDDEN, HIDDEN), "o": (HIDDEN, HIDDEN),
                        "gate": (HIDDEN, FFN), "up": (HIDDEN, FFN), "down": (FFN, HIDDEN)}.items():  # fmt: skip
        g.tensor(name, shape)
    g.tensor("scale", (HIDDEN,))
    g.add("embedding", ["table", "tokens"], "x")
    g.add("rms_norm", ["x", "scale"], "normed")
    for name in "qkv":
        g.add("matmul", ["normed", name], f"{name}_flat")
        g.add("reshape", [f"{name}_flat"], f"{name}_split", shape=(BATCH, SEQUENCE, HEADS, HIDDEN // HEADS))
        g.add("transpose", [f"{name}_split"], f"{name}_heads", order=(0, 2, 1, 3))
    g.add("attention", ["q_heads", "k_heads", "v_heads"], "mixed", causal=True)
    g.add("transpose", ["mixed"], "mixed_back", order=(0, 2, 1, 3))
    g.add("reshape", ["mixed_back"], "joined", shape=(BATCH, SEQUENCE, HIDDEN))
    g.add("matmul", ["joined", "o"], "attended")
    g.add("add", ["x", "attended"], "y")
    g.add("matmul", ["y", "gate"], "gated")
    g.add("silu", ["gated"], "open")
    g.add("matmul", ["y", "up"], "raised")
    g.add("multiply", ["open", "raised"], "inner")
    g.add("matmul", ["inner", "down"], "out")
    g.add("reduce_sum", ["out"], "total", axes=(0, 1, 2))
    annotations = {
        "tokens": samples(),
        "table": tensor_parallel(Split(0)),
        "scale": tensor_parallel(DUPLICATE),
        **{name: tensor_parallel(Split(1)) for name in ("q", "k", "v", "gate", "up")},
        **{name: tensor_parallel(Split(0)) for name in ("o", "down")},
        "x": samples(),
        "attended": samples(),
        "total": tensor_parallel(DUPLICATE),
    }
    return g, annotations


def values(graph: LogicalGraph) -> dict[str, Any]:
    random = np.random.default_rng(3)
    found: dict[str, Any] = {
        name: random.standard_normal(shape)
        for name, shape in graph.shapes.items()
        if not any(name in node.outputs for node in graph.nodes)
    }
    found["tokens"] = random.integers(0, VOCABULARY, (BATCH, SEQUENCE))
    return found


def test_a_transformer_layer_on_unlike_groups() -> None:
    graph, annotations = layer()
    given = values(graph)
    found = run_graph(graph, annotations, given)
    alone = run_graph(graph, {name: on(((0,), DUPLICATE)) for name in given}, given)
    assert found.keys() == alone.keys()
    for name, value in alone.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-9, err_msg=name)


def test_what_follows_by_hand() -> None:
    graph, annotations = layer()
    propagated = propagate(graph, annotations)
    assert propagated.annotations["q_heads"] == samples(Split(1))
    assert propagated.annotations["joined"] == samples(Split(2))
    assert propagated.annotations["inner"] == samples(Split(2))
    assert propagated.annotations["out"] == samples(PARTIAL)
    assert {one.tensor: one.communication.kinds for one in propagated.reshards} == {
        "x": (Kind.ALL_REDUCE,),
        "attended": (Kind.ALL_REDUCE,),
        "total": (Kind.ALL_REDUCE, Kind.SPLIT_ALL_REDUCE),
    }


def test_a_conflict_names_both_sides() -> None:
    graph, annotations = layer()
    annotations["up"] = tensor_parallel(Split(0))
    with pytest.raises(TrainingError) as caught:
        propagate(graph, annotations)
    error = caught.value
    assert error.code == "annotation_conflict"
    assert (error.params["left"], error.params["right"]) == ("up", "y") or error.params["right"] == "up"
    assert str(annotations["up"]) in error.message
    assert str(samples()) in error.message


def test_a_partial_sum_may_not_enter_what_is_not_linear() -> None:
    graph, annotations = layer()
    del annotations["x"]
    with pytest.raises(TrainingError) as caught:
        propagate(graph, annotations)
    assert caught.value.code == "annotation_illegal"
    assert caught.value.params["tensor"] == "x"


@pytest.mark.parametrize(
    ("change", "code", "name"),
    [
        ({"tokens": None}, "annotation_missing", "tokens"),
        ({"nobody": on((A, DUPLICATE))}, "annotated_tensor_unknown", "nobody"),
        ({"q": on((A, Split(7)), (B, Split(7)))}, "no_such_dimension", "q"),
        ({"out": samples(Split(2)), "total": tensor_parallel(PARTIAL)}, "partial_target", "total"),
    ],
)
def test_bad_annotations_are_named(change: dict[str, Annotation | None], code: str, name: str) -> None:
    graph, annotations = layer()
    merged = {key: value for key, value in {**annotations, **change}.items() if value is not None}
    with pytest.raises(TrainingError) as caught:
        propagate(graph, merged)
    assert caught.value.code == code
    assert caught.value.params["tensor"] == name


def test_bad_graphs_are_named() -> None:
    g = LogicalGraph()
    g.tensor("x", (4, 4))
    for code, call in {
        "tensor_name_taken": lambda: g.tensor("x", (1,)),
        "tensor_empty": lambda: g.tensor("y", (0,)),
        "training_operator_unknown": lambda: g.add("fourier", ["x"], "z"),
        "tensor_unknown": lambda: g.add("relu", ["nobody"], "z"),
        "training_shapes": lambda: g.add("reshape", ["x"], "z", shape=(3, 5)),
    }.items():
        with pytest.raises(TrainingError) as caught:
            call()
        assert caught.value.code == code
