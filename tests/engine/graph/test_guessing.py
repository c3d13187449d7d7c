"""Sizes that depend on the data: guessed once, followed consistently, and only what depends on them is marked."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

from heteroopt.graph.given import Given
from heteroopt.graph.onnx_reader import read_onnx
from tests.engine.graph.conftest import build_model, info


def by_name(graph):
    return {tensor.name: tensor for tensor in graph.tensors}


def pick_rows() -> bytes:
    """Rows of ``x`` where something holds, flattened per row by numbers computed from their shape, then multiplied."""
    nodes = [
        helper.make_node("NonZero", ["m"], ["where"], name="where"),
        helper.make_node("Transpose", ["where"], ["places"], perm=[1, 0]),
        helper.make_node("GatherND", ["x", "places"], ["rows"], name="rows"),
        helper.make_node("Shape", ["rows"], ["size"], name="shape"),
        helper.make_node("Gather", ["size", "zero"], ["n"], name="n"),
        helper.make_node("Unsqueeze", ["n", "axis"], ["n1"]),
        helper.make_node("Concat", ["n1", "rest"], ["target"], axis=0),
        helper.make_node("Reshape", ["rows", "target"], ["flat"], name="flat"),
        helper.make_node("MatMul", ["flat", "w"], ["scores"], name="scores"),
        helper.make_node("ReduceMax", ["scores"], ["y"], name="best", axes=[0], keepdims=0),
    ]
    weights = {"zero": np.array(0), "axis": np.array([0]), "rest": np.array([12]), "w": np.zeros((12, 5), np.float32)}
    return build_model(nodes, {"x": [7, 3, 4], "m": [7]}, ["y"], weights).SerializeToString()


def test_everything_after_a_guess_follows_from_it():
    tensors = by_name(read_onnx(pick_rows()))
    count = tensors["where"].shape[1]
    assert tensors["rows"].shape == (count, 3, 4)
    assert tensors["flat"].shape == (count, 12)
    assert tensors["scores"].shape == (count, 5)
    for name in ("where", "rows", "flat", "scores"):
        assert tensors[name].size_source == "estimated"


def test_what_is_the_same_under_every_guess_is_known():
    graph = read_onnx(pick_rows())
    tensors = by_name(graph)
    assert (tensors["y"].shape, tensors["y"].size_source) == ((5,), "inferred")
    # The shape of a shape, and the numbers computed from it, have a known size whatever their values are.
    for name in ("size", "n", "n1", "target"):
        assert tensors[name].size_source == "inferred"
    sources = {op.name: op.flops_source for op in graph.operators}
    assert (sources["scores"], sources["n"]) == ("estimated", "exact")


def test_one_answer_makes_all_of_it_exact():
    graph = read_onnx(pick_rows(), given=Given(shapes={"where": (1, 6)}))
    assert by_name(graph)["flat"].shape == (6, 12)
    assert {tensor.size_source for tensor in graph.tensors} == {"declared", "given", "inferred"}
    assert {op.flops_source for op in graph.operators} == {"exact"}
    assert next(op.flops for op in graph.operators if op.name == "scores") == 2 * 6 * 12 * 5


def test_a_size_that_a_guess_reaches_only_from_above_stays_uncertain():
    """The first 3 of n rows are 3 rows for every large n, and fewer for a small one."""
    nodes = [
        helper.make_node("NonZero", ["m"], ["where"]),
        helper.make_node("Slice", ["where", "start", "end", "axis"], ["y"]),
    ]
    weights = {"start": np.array([0]), "end": np.array([3]), "axis": np.array([1])}
    built = build_model(nodes, {"m": [50]}, ["y"], weights, elements={"y": TensorProto.INT64})
    tensors = by_name(read_onnx(built.SerializeToString()))
    assert (tensors["y"].shape, tensors["y"].size_source) == ((1, 3), "estimated")


def test_a_guess_chooses_no_branch():
    """A condition computed from guessed numbers is not known: both branches are read and the larger one counts."""
    branches = [helper.make_graph([helper.make_node(kind, ["x"], [f"o{kind}"])], "b", [], [info(f"o{kind}", None)])
                for kind in ("Exp", "Neg")]  # fmt: skip
    nodes = [
        helper.make_node("NonZero", ["x"], ["where"]),
        helper.make_node("Shape", ["where"], ["size"]),
        helper.make_node("Gather", ["size", "one"], ["n"]),
        helper.make_node("Greater", ["n", "zero"], ["some"]),
        helper.make_node("If", ["some"], ["y"], name="if", then_branch=branches[0], else_branch=branches[1]),
    ]
    built = build_model(nodes, {"x": [8]}, ["y"], {"one": np.array(1), "zero": np.array(0)})
    graph = read_onnx(built.SerializeToString())
    assert graph.op_type_histogram()["If"] == 1
    assert by_name(graph)["y"].size_source == "inferred"
    assert next(op.flops for op in graph.operators if op.op_type == "If") == 4 * 8
