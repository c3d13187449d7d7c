"""Names: kept where there are any, else taken from weights and neighbours; scopes group them."""

from __future__ import annotations

import pytest
from onnx import helper

from heteroopt.graph.graph import Graph
from heteroopt.graph.names import UniqueNames, display_name, is_bare, scope_of
from heteroopt.graph.samples import onnx_light_model


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("/encoder/layer.3/attention/MatMul", "encoder/layer.3/attention"),
        ("inception_4d/1x1", "inception_4d"),
        ("gpu_0/conv1", ""),
        ("Conv_12", ""),
        ("", ""),
        ("res2_0_branch2a", "res2_0"),
        ("../../etc/passwd", "etc"),
    ],
)
def test_scopes(name, scope):
    assert scope_of(name) == scope


@pytest.mark.parametrize("name", ["", "12", "n5", "node_3", "op12"])
def test_bare_names(name):
    assert is_bare(name)


@pytest.mark.parametrize("name", ["Conv_0", "conv1/relu", "encoder.0"])
def test_names_that_say_something(name):
    assert not is_bare(name)


def test_display_names_are_bounded_and_printable():
    assert display_name("conv/1") == "conv/1"
    assert display_name("卷积 ü") == "卷积 ü"
    assert display_name("a\u202eb\0c\nd") == "a\ufffdb\ufffdc\ufffdd"
    assert len(display_name("x" * 10_000)) == 200


def test_unique_names_number_their_repeats():
    names = UniqueNames()
    assert [names.take(name) for name in ("a", "a", "a_2", "a", "b")] == ["a", "a_2", "a_2_2", "a_3", "b"]
    long = [names.take("y" * 300) for _ in range(3)]
    assert len(set(long)) == 3
    assert all(len(name) <= 200 for name in long)


def test_repeated_and_missing_names(read):
    nodes = [
        helper.make_node("Relu", ["x"], ["/block/h"], name="same"),
        helper.make_node("Exp", ["/block/h"], ["/block/g"], name="same"),
        helper.make_node("Abs", ["/block/g"], ["/block/y"]),
    ]
    graph = read(nodes, {"x": [4]}, ["/block/y"])
    assert [(op.name, op.scope) for op in graph.operators] == [
        ("same", "block"),
        ("same_2", "block"),
        ("/block/y", "block"),
    ]


def test_unnamed_operators_are_named_after_their_weights():
    graph = Graph.from_onnx(onnx_light_model("inception_v1"))
    assert [op.name for op in graph.operators[:7]] == [
        "conv1/7x7_s2", "conv1/7x7_s2/relu", "conv1/maxpool", "conv1/lrn", "conv2/3x3_reduce", "conv2/3x3_reduce/relu",
        "conv2/3x3",
    ]  # fmt: skip
    by_name = {op.name: op for op in graph.operators}
    assert by_name["inception_4d/1x1"].scope == "inception_4d"
    assert by_name["inception_3a/concat"].op_type == "Concat"
