"""If, Loop and Scan: what their bodies cost, how often they run, what they keep alive, and what is asked."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from heteroopt.errors import ModelError
from heteroopt.graph.given import Given
from heteroopt.graph.graph import Graph
from heteroopt.graph.limits import ReaderLimits
from heteroopt.graph.onnx_reader import read_onnx
from tests.engine.graph.conftest import build_model, info

HUGE = np.iinfo(np.int64).max


def matmul(x: str, w: str, y: str, name: str = "") -> object:
    return helper.make_node("MatMul", [x, w], [y], name=name or y)


def codes(graph: Graph) -> list[str]:
    return [note["code"] for note in graph.notes]


def branches(then: list[object], other: list[object], *, condition: str = "c") -> object:
    return helper.make_node(
        "If", [condition], ["y"], name="choice",
        then_branch=helper.make_graph(then, "then", [], [info("y_then", None)]),
        else_branch=helper.make_graph(other, "else", [], [info("y_else", None)]),
    )  # fmt: skip


def choice(given: Given | None = None) -> Graph:
    """A branch of 2 x 4 x 8 x 8 FLOP against one of four times as much."""
    node = branches(
        [matmul("x", "w", "y_then")],
        [matmul("x", "wide", "tall"), matmul("tall", "narrow", "y_else")],
    )
    weights = {name: np.zeros(shape, np.float32) for name, shape in
               (("w", (8, 8)), ("wide", (8, 16)), ("narrow", (16, 8)))}  # fmt: skip
    built = build_model([node], {"x": [4, 8], "c": []}, ["y"], weights, elements={"c": TensorProto.BOOL})
    return read_onnx(built.SerializeToString(), given=given or Given())


def test_the_larger_branch_counts_and_the_choice_is_asked():
    graph = choice()
    (op,) = graph.operators
    assert (op.flops, op.flops_source) == (2 * 4 * 8 * 32, "estimated")
    assert codes(graph) == ["branch_unknown"]
    assert {init.name for init in graph.initializers} == {"w", "wide", "narrow"}  # all of them sit on the device
    assert graph.tensors[op.outputs[0]].shape == (4, 8)


@pytest.mark.parametrize(("share", "columns"), [(1.0, 8), (0.0, 32), (0.25, 26), (0.5, 20)])
def test_branches_are_weighed_by_the_share_that_a_person_gives(share, columns):
    graph = choice(Given(then_shares={"choice": share}))
    assert graph.operators[0].flops == 2 * 4 * 8 * columns
    assert codes(graph) == ["branch_given"]


@pytest.mark.parametrize("taken", [True, False])
def test_a_branch_that_is_always_taken_replaces_the_if(taken):
    node = branches([matmul("x", "w", "y_then", "wide")], [helper.make_node("Relu", ["x"], ["y_else"], name="thin")])
    weights = {"c": np.array(taken), "w": np.zeros((8, 3), np.float32)}
    built = build_model([node, helper.make_node("Exp", ["y"], ["z"])], {"x": [4, 8]}, ["z"], weights)
    graph = read_onnx(built.SerializeToString())
    assert [op.op_type for op in graph.operators] == (["MatMul", "Exp"] if taken else ["Relu", "Exp"])
    assert {op.flops_source for op in graph.operators} == {"exact"}
    assert graph.notes == ()


def loop(
    trips: str, body_nodes: list[object], carried: list[int], *, condition: str = "", cond_out: str = "keep"
) -> object:
    body = helper.make_graph(
        body_nodes, "body",
        [info("i", [], TensorProto.INT64), info("keep", [], TensorProto.BOOL), info("h", carried)],
        [info(cond_out, [], TensorProto.BOOL), info("h_out", None), info("kept", None)],
    )  # fmt: skip
    return helper.make_node("Loop", [trips, condition, "x"], ["y", "all"], name="loop", body=body)


STEP = [matmul("h", "w", "h_out"), helper.make_node("Relu", ["h_out"], ["kept"], name="relu")]
WEIGHTS = {"w": np.zeros((8, 8), np.float32)}


def read_loop(node: object, weights: dict[str, np.ndarray], given: Given | None = None, inputs: dict | None = None):
    built = build_model([node], {"x": [4, 8], **(inputs or {})}, ["y", "all"], {**WEIGHTS, **weights},
                        elements={"n": TensorProto.INT64, "go": TensorProto.BOOL})  # fmt: skip
    return read_onnx(built.SerializeToString(), given=given or Given())


def test_a_loop_of_known_length_counts_its_trips_exactly():
    graph = read_loop(loop("n", STEP, [4, 8]), {"n": np.array(7)})
    (op,) = graph.operators
    assert (op.flops, op.flops_source) == (7 * (2 * 4 * 8 * 8 + 32), "exact")
    assert [graph.tensors[t].shape for t in op.outputs] == [(4, 8), (7, 4, 8)]
    assert [graph.tensors[t].size_source for t in op.outputs] == ["inferred", "inferred"]
    assert graph.notes == ()


@pytest.mark.parametrize("weights", [{"n": np.array(HUGE)}, None])
def test_a_loop_of_unknown_length_is_asked_for_and_runs_once_until_then(weights):
    """While loops are exported with the largest integer as their bound, which says nothing."""
    inputs = None if weights else {"n": []}
    graph = read_loop(loop("n", STEP, [4, 8]), weights or {}, inputs=inputs)
    op = graph.operators[-1]
    assert (op.flops, op.flops_source) == (2 * 4 * 8 * 8 + 32, "estimated")
    assert {"code": "trip_count_unknown", "params": {"operator": "loop", "assumed": 1}} in graph.notes
    # What is carried has the same shape however often the body runs; what is collected has not.
    assert [graph.tensors[t].size_source for t in op.outputs] == ["inferred", "estimated"]

    known = read_loop(loop("n", STEP, [4, 8]), weights or {}, Given(trips={"loop": 20}), inputs)
    assert known.operators[-1].flops == 20 * (2 * 4 * 8 * 8 + 32)
    assert known.tensors[known.operators[-1].outputs[1]].shape == (20, 4, 8)
    assert "trip_count_unknown" not in codes(known)


def test_a_loop_that_may_end_early_takes_its_bound_as_an_estimate():
    body = [*STEP, helper.make_node("Greater", ["total", "zero"], ["go_on"]),
            helper.make_node("ReduceSum", ["h_out"], ["total"], keepdims=0)]  # fmt: skip
    node = loop("n", body, [4, 8], cond_out="go_on")
    graph = read_loop(node, {"n": np.array(5), "zero": np.float32(0)})
    assert codes(graph)[0] == "trip_count_bound"
    assert graph.operators[0].flops_source == "estimated"
    once = read_loop(node, {"n": np.array(5), "zero": np.float32(0)}, Given(trips={"loop": 1}))
    assert graph.operators[0].flops == 5 * once.operators[0].flops


def test_a_carried_value_that_grows_is_followed_to_its_end():
    """A cache that takes one row a step: 3 rows, then 10 steps; the mean step works on 7 rows."""
    grow = [
        helper.make_node("Concat", ["h", "row"], ["h_out"], axis=0, name="append"),
        matmul("h_out", "w", "kept"),
    ]
    built = build_model([loop("n", grow, ["rows", 8])], {"x": [3, 8], "row": [1, 8]}, ["y"],
                        {**WEIGHTS, "n": np.array(10)})  # fmt: skip
    graph = read_onnx(built.SerializeToString())
    op = graph.operators[-1]
    assert graph.tensors[op.outputs[0]].shape == (13, 8)
    assert op.flops == 10 * 2 * (3 + 4 + 1) * 8 * 8
    assert op.flops_source == "estimated"


def test_a_scan_runs_once_for_each_slice():
    body = helper.make_graph(
        [matmul("slice", "w", "out"), helper.make_node("Add", ["state", "out"], ["state_out"])],
        "body", [info("state", [8]), info("slice", [8])], [info("state_out", None), info("out", None)],
    )  # fmt: skip
    node = helper.make_node("Scan", ["s", "x"], ["final", "y"], name="scan", body=body, num_scan_inputs=1,
                            scan_input_axes=[1])  # fmt: skip
    built = build_model([node], {"s": [8], "x": [8, 5]}, ["final", "y"], WEIGHTS)
    graph = read_onnx(built.SerializeToString())
    (op,) = graph.operators
    assert (op.flops, op.flops_source) == (5 * (2 * 8 * 8 + 8), "exact")
    assert [graph.tensors[t].shape for t in op.outputs] == [(8,), (5, 8)]


def test_what_a_nested_body_captures_is_an_input_of_the_outermost_operator():
    """The captured activation stays alive until the control flow has ended, however deep its reader stands."""
    inner = branches([helper.make_node("Add", ["h", "far"], ["y_then"])], [helper.make_node("Neg", ["h"], ["y_else"])])
    body = [inner, helper.make_node("Identity", ["y"], ["h_out"]), helper.make_node("Relu", ["y"], ["kept"])]
    nodes = [helper.make_node("Exp", ["x"], ["far"], name="far"), loop("n", body, [4, 8])]
    built = build_model(nodes, {"x": [4, 8], "c": []}, ["y", "all"], {"n": np.array(3)},
                        elements={"c": TensorProto.BOOL})  # fmt: skip
    graph = read_onnx(built.SerializeToString())
    far, outer = graph.operators
    assert {graph.tensors[t].name for t in outer.inputs} == {"x", "far", "c"}
    assert graph.tensors[far.outputs[0]].consumers == (outer.index,)
    assert graph.predecessors(outer.index) == (far.index,)


def test_functions_are_counted_before_they_are_expanded_and_expand_to_their_operators():
    body = [helper.make_node("MatMul", ["a", "b"], ["m"]), helper.make_node("Relu", ["m"], ["r"])]
    function = helper.make_function("local", "Layer", ["a", "b"], ["r"], body, [helper.make_opsetid("", 17)])
    nodes = [
        helper.make_node("Layer", ["x", "w"], ["h"], domain="local", name="one"),
        helper.make_node("Layer", ["h", "w"], ["y"], domain="local", name="two"),
    ]
    built = build_model(nodes, {"x": [4, 8]}, ["y"], WEIGHTS, functions=[function], domains=("local",))
    graph = read_onnx(built.SerializeToString())
    assert [op.op_type for op in graph.operators] == ["MatMul", "Relu", "MatMul", "Relu"]
    assert graph.flops == 2 * (2 * 4 * 8 * 8 + 32)
    assert len(graph.initializers) == 1


def test_nested_loops_multiply_and_stay_cheap_to_read():
    """Each level grows what it carries, so each would be walked twice: 2^24 walks without a budget."""
    graph = helper.make_graph([helper.make_node("Concat", ["h0", "row"], ["o0"], axis=0)], "b", [], [])
    inputs = lambda k: [info(f"i{k}", [], TensorProto.INT64), info(f"k{k}", [], TensorProto.BOOL), info(f"h{k}", None)]  # noqa: E731
    graph.input.extend(inputs(0))
    graph.output.extend([info("k0", [], TensorProto.BOOL), info("o0", None)])
    for k in range(1, 24):
        outer = helper.make_node("Loop", ["n", "", f"h{k}"], [f"o{k}"], name=f"loop{k}", body=graph)
        graph = helper.make_graph([outer], "b", inputs(k), [info(f"k{k}", [], TensorProto.BOOL), info(f"o{k}", None)])
    top = helper.make_node("Loop", ["n", "", "x"], ["y"], name="top", body=graph)
    built = build_model([top], {"x": [1, 2]}, ["y"], {"n": np.array(2), "row": np.zeros((1, 2), np.float32)})
    (op,) = read_onnx(built.SerializeToString(), limits=ReaderLimits(max_visits=500)).operators
    assert op.flops_source == "estimated"


def two_choices() -> bytes:
    """Two Ifs of one name, one of them in the other's then branch, and a third without a name."""

    def choice(name: str, output: str, then: list[object], result: str) -> object:
        return helper.make_node(
            "If", ["c"], [output], name=name,
            then_branch=helper.make_graph(then, "then", [], [info(result, None)]),
            else_branch=helper.make_graph([matmul("x", "w", "e")], "else", [], [info("e", None)]),
        )  # fmt: skip

    inner = choice("choice", "t", [matmul("x", "wide", "tall"), matmul("tall", "narrow", "r")], "r")
    nodes = [choice("choice", "y", [inner], "t"), choice("", "z", [helper.make_node("Neg", ["x"], ["r"])], "r")]
    weights = {name: np.zeros(shape, np.float32) for name, shape in
               (("w", (8, 8)), ("wide", (8, 16)), ("narrow", (16, 8)))}  # fmt: skip
    built = build_model(nodes, {"x": [4, 8], "c": []}, ["y", "z"], weights, elements={"c": TensorProto.BOOL})
    return built.SerializeToString()


def test_operators_of_one_name_are_answered_for_one_by_one():
    """A name that is its own stays the key; others are told apart by their place and their output."""
    graph = read_onnx(two_choices())
    keys = {note["params"]["operator"] for note in graph.notes if note["code"] == "branch_unknown"}
    assert keys == {"choice#0:y", "choice#0.0.0:t", "z"}
    small, large = 2 * 4 * 8 * 8, 2 * 4 * 8 * 32
    assert graph.operators[0].flops == large
    for shares, expected in (
        ({"choice#0:y": 0.0}, small), ({"choice#0.0.0:t": 0.0}, small),
        ({"choice#0:y": 0.5, "choice#0.0.0:t": 1.0}, (small + large) // 2), ({"z": 0.5}, large),
    ):  # fmt: skip
        assert read_onnx(two_choices(), given=Given(then_shares=shares)).operators[0].flops == expected
    with pytest.raises(ModelError, match="choice") as caught:
        read_onnx(two_choices(), given=Given(then_shares={"choice": 0.5}))
    assert caught.value.code == "given_unknown"
