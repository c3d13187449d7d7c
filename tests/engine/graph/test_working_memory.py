"""What bodies of control flow hold while they run: worked by hand, in the graph (in plans: test_compile.py)."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

from heteroopt.graph.graph import Graph
from heteroopt.graph.onnx_reader import read_onnx
from tests.engine.graph.conftest import build_model, info

ROW = 4 * 8 * 4  # bytes of a [4, 8] tensor of float32
WIDE = 4 * 64 * 4


def node(kind: str, inputs: list[str], output: str, **attributes: object) -> object:
    return helper.make_node(kind, inputs, [output], name=output, **attributes)


def loop(body_nodes: list[object], carried: list[object], name: str = "loop", state: str = "h") -> object:
    body = helper.make_graph(
        body_nodes, "body",
        [info("i", [], TensorProto.INT64), info("keep", [], TensorProto.BOOL), info(state, carried)],
        [info("keep", [], TensorProto.BOOL), info(f"{state}_out", None)],
    )  # fmt: skip
    return helper.make_node("Loop", ["n", "", "x"], ["y"], name=name, body=body)


WEIGHTS = {"w": np.zeros((8, 64), np.float32), "v": np.zeros((64, 8), np.float32), "n": np.array(3)}
WIDEN = [node("MatMul", ["h", "w"], "wide"), node("Relu", ["wide"], "bent"), node("MatMul", ["bent", "v"], "h_out")]


def read(nodes: list[object], weights: dict[str, np.ndarray] | None = None, x: list[int] | None = None, **more: object):
    built = build_model(nodes, {"x": x or [4, 8], **more.get("inputs", {})}, ["y"], {**WEIGHTS, **(weights or {})},
                        elements={"c": TensorProto.BOOL})  # fmt: skip
    return read_onnx(built.SerializeToString())


def test_a_loop_holds_the_largest_live_set_of_its_body():
    """While Relu runs: wide and bent, and the condition (a byte). Weights are not counted, nor what nobody reads."""
    (op,) = read([loop(WIDEN, [4, 8])]).operators
    assert op.workspace_bytes == 2 * WIDE + 1
    assert op.inputs == (0,)


def test_what_is_read_from_outside_and_views_of_it_are_not_counted_again():
    body = [node("Reshape", ["far", "shape"], "flat"), node("Add", ["flat", "h"], "h_out")]
    nodes = [node("Exp", ["x"], "far"), loop(body, [4, 8])]
    graph = read(nodes, {"shape": np.array([4, 8])})
    assert graph.operators[-1].workspace_bytes == 2 * ROW + 1  # h and h_out


def test_views_inside_keep_the_buffer_of_what_they_show():
    body = [
        node("MatMul", ["h", "w"], "wide"), node("Reshape", ["wide", "shape"], "flat"),
        node("Relu", ["flat"], "bent"), node("Reshape", ["bent", "back"], "again"),
        node("MatMul", ["again", "v"], "h_out"),
    ]  # fmt: skip
    (op,) = read([loop(body, [4, 8])], {"shape": np.array([256]), "back": np.array([4, 64])}).operators
    assert op.workspace_bytes == 2 * WIDE + 1


def test_results_of_branches_are_the_operators_own_outputs():
    """The then branch makes only its result; the else branch holds wide and bent beside it."""
    choice = helper.make_node(
        "If", ["c"], ["y"], name="choice",
        then_branch=helper.make_graph([node("Relu", ["x"], "t")], "then", [], [info("t", None)]),
        else_branch=helper.make_graph(
            [node("MatMul", ["x", "w"], "wide"), node("Relu", ["wide"], "bent"), node("MatMul", ["bent", "v"], "e")],
            "else", [], [info("e", None)],
        ),
    )  # fmt: skip
    (op,) = read([choice], inputs={"c": []}).operators
    assert op.workspace_bytes == 2 * WIDE


def test_nested_bodies_add_to_what_is_held_around_them():
    inner = helper.make_node(
        "Loop", ["n", "", "h"], ["h_out"], name="inner",
        body=helper.make_graph(
            [node("MatMul", ["g", "w"], "wide"), node("MatMul", ["wide", "v"], "g_out")], "b",
            [info("j", [], TensorProto.INT64), info("k", [], TensorProto.BOOL), info("g", [4, 8])],
            [info("k", [], TensorProto.BOOL), info("g_out", None)],
        ),
    )  # fmt: skip
    (op,) = read([loop([inner], [4, 8])]).operators
    inside = ROW + WIDE + 1  # g, wide and the condition, or wide, g_out and the condition
    assert op.workspace_bytes == 2 * ROW + 1 + inside  # h and h_out around it


def test_a_body_that_grows_counts_at_its_last_run():
    """A cache of 3 rows takes one row in each of 10 runs: the last makes 13 rows of 12."""
    body = [node("Concat", ["h", "row"], "h_out", axis=0)]
    graph = read([loop(body, ["rows", 8])], {"n": np.array(10)}, x=[3, 8], inputs={"row": [1, 8]})
    assert graph.operators[-1].workspace_bytes == (12 + 13) * 8 * 4 + 1
    assert graph.tensors[graph.operators[-1].outputs[0]].shape == (13, 8)


def test_operators_without_bodies_need_none():
    graph = read([node("Relu", ["x"], "y")])
    assert graph.operators[0].workspace_bytes == 0
    assert "workspace_bytes" not in graph.to_dict()["operators"][0]  # graphs from before keep their hashes


def test_it_survives_a_round_trip_and_fusion():
    graph = read([loop(WIDEN, [4, 8])])
    again = Graph.from_dict(graph.to_dict())
    assert again.operators[0].workspace_bytes == 2 * WIDE + 1
    assert again.content_hash == graph.content_hash
