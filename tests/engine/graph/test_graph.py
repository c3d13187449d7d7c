"""The Graph type: consistency checks, derived figures, exact serialisation, a stable hash."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from heteroopt.errors import ModelError
from heteroopt.graph.graph import Edge, Graph, Initializer, Operator, Tensor


def operator(index: int, name: str, inputs: tuple[int, ...], outputs: tuple[int, ...], **changes: object) -> Operator:
    base = Operator(
        index, name, "Relu", "", "elementwise", inputs, outputs, (), 8, "exact", 32, 32, "fp32", False, "", {}, (index,)
    )
    return replace(base, **changes)


def diamond() -> Graph:
    """x -> a -> (b, c) -> d."""
    return Graph(
        name="diamond",
        operators=(
            operator(0, "a", (0,), (1,), initializers=(0,)),
            operator(1, "b", (1,), (2,), op_type="Exp"),
            operator(2, "c", (1,), (3,)),
            operator(3, "d", (2, 3), (4,), op_type="Add", attributes={"axis": 1, "mode": "x", "pads": [1, 1]}),
        ),
        tensors=(
            Tensor(0, "x", (8,), "float32", 32, "declared", -1, (0,)),
            Tensor(1, "ta", (8,), "float32", 32, "inferred", 0, (1, 2)),
            Tensor(2, "tb", (8,), "float32", 16, "inferred", 1, (3,)),
            Tensor(3, "tc", None, "float32", 32, "estimated", 2, (3,)),
            Tensor(4, "y", (8,), "float32", 32, "inferred", 3, ()),
        ),
        initializers=(Initializer(0, "w", (2, 3), "float16", 12),),
        inputs=(0,),
        outputs=(4,),
        dims={"N": 8},
        opset=17,
        notes=({"code": "dimension_defaulted", "params": {"dimension": "N", "value": 8}},),
    )


def test_derived_figures():
    graph = diamond()
    assert graph.nodes is graph.operators
    assert graph.edges == (Edge(0, 1, 1, 32), Edge(0, 2, 1, 32), Edge(1, 3, 2, 16), Edge(2, 3, 3, 32))
    assert graph.op_type_histogram() == {"Relu": 2, "Add": 1, "Exp": 1}
    assert list(graph.op_type_histogram()) == ["Relu", "Add", "Exp"]
    assert [graph.predecessors(i) for i in range(4)] == [(), (0,), (0,), (1, 2)]
    assert [graph.successors(i) for i in range(4)] == [(1, 2), (3,), (3,), ()]
    assert (graph.flops, graph.parameters, graph.weight_bytes, graph.activation_bytes) == (32, 6, 12, 144)
    assert graph.member_types(3) == ("Add",)


def test_round_trip_through_json_is_exact():
    graph = diamond()
    fused = replace(graph, original=graph)
    for item in (graph, fused):
        again = Graph.from_dict(json.loads(json.dumps(item.to_dict(), allow_nan=False)))
        assert again == item
        assert again.content_hash == item.content_hash


def test_hash_covers_what_a_plan_depends_on_and_nothing_else():
    graph = diamond()
    # A fixed value: stable across runs, platforms and Python versions.
    assert graph.content_hash == "eafbc7aa64f9072d0725619ce220759d1043dfb79d15922ea98270d16bfd99e2"
    assert replace(graph, name="other", notes=()).content_hash == graph.content_hash
    larger = (*graph.tensors[:4], replace(graph.tensors[4], size_bytes=64))
    assert replace(graph, tensors=larger).content_hash != graph.content_hash
    assert replace(graph, dims={"N": 9}).content_hash != graph.content_hash


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"operators": (operator(1, "a", (0,), (1,)),)}, "graph_inconsistent"),
        ({"operators": (operator(0, "a", (0, 0), (1,)),)}, "graph_inconsistent"),
        ({"operators": (operator(0, "a", (7,), (1,)),)}, "graph_inconsistent"),
        ({"operators": (operator(0, "a", (1,), (1,)),)}, "graph_cycle"),
        ({"operators": (operator(0, "a", (0,), (1,), flops=-1),)}, "graph_inconsistent"),
        ({"operators": (operator(0, "a", (0,), (1,), flops=2**62 + 1),)}, "graph_too_large"),
        ({"operators": (operator(0, "a", (0,), (1,), initializers=(0,)),)}, "graph_inconsistent"),
        ({"inputs": (1,)}, "graph_inconsistent"),
        ({"outputs": (9,)}, "graph_inconsistent"),
        (
            {
                "tensors": (
                    Tensor(0, "x", (8,), "float32", 32, "declared", -1, ()),
                    Tensor(1, "y", (8,), "float32", 32, "inferred", 0, ()),
                )
            },
            "graph_inconsistent",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(change, code):
    parts = {
        "name": "one",
        "operators": (operator(0, "a", (0,), (1,)),),
        "tensors": (
            Tensor(0, "x", (8,), "float32", 32, "declared", -1, (0,)),
            Tensor(1, "y", (8,), "float32", 32, "inferred", 0, ()),
        ),
        "initializers": (),
        "inputs": (0,),
        "outputs": (1,),
    }
    Graph(**parts)
    with pytest.raises(ModelError) as caught:
        Graph(**{**parts, **change})
    assert caught.value.code == code


@pytest.mark.parametrize("data", [{}, {"format": "heteroopt-graph-1"}, {"format": "x"}, 3])
def test_malformed_data_is_refused(data):
    with pytest.raises(ModelError) as caught:
        Graph.from_dict(data)
    assert caught.value.code == "graph_format"


def test_two_operators_of_one_name_are_refused():
    graph = diamond()
    twice = (graph.operators[0], replace(graph.operators[1], name="a"), *graph.operators[2:])
    with pytest.raises(ModelError) as caught:
        replace(graph, operators=twice)
    assert caught.value.code == "duplicate_operator"
