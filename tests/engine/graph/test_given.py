"""What a person gives where the file is silent: used, checked against the model, and refused where it cannot be."""

from __future__ import annotations

import pytest
from onnx import TensorProto, helper

from heteroopt.errors import ModelError
from heteroopt.graph.given import Given, OperatorCost
from heteroopt.graph.onnx_reader import read_onnx
from tests.engine.graph.conftest import build_model, info


def custom_model() -> bytes:
    nodes = [
        helper.make_node("Magic", ["x"], ["h"], name="magic", domain="com.example"),
        helper.make_node("Relu", ["h"], ["y"], name="relu"),
    ]
    return build_model(nodes, {"x": ["N", 4]}, ["y"], domains=("com.example",)).SerializeToString()


def refusal(given: dict[str, object], data: bytes | None = None) -> ModelError:
    with pytest.raises(ModelError) as caught:
        read_onnx(data or custom_model(), {"N": 2} if data is None else None, given=Given.from_dict(given))
    return caught.value


def test_a_custom_operator_counts_by_bytes_and_is_flagged():
    graph = read_onnx(custom_model(), {"N": 2})
    magic, relu = graph.operators
    assert (magic.flops, magic.flops_source, magic.bytes_read, magic.bytes_written) == (0, "bytes_only", 32, 32)
    assert relu.flops > 0
    assert [(note["code"], note["params"].get("reason")) for note in graph.notes] == [
        ("size_estimated", "shape_unknown"),
        ("size_estimated", "input_unknown"),  # what follows needs no answer of its own
        ("operator_unknown", None),
    ]


def test_a_shape_given_by_hand_is_used_and_everything_after_it_is_exact():
    graph = read_onnx(custom_model(), {"N": 2}, given=Given(shapes={"h": (2, 10)}))
    assert [(t.shape, t.size_source) for t in graph.tensors] == [
        ((2, 4), "bound"),
        ((2, 10), "given"),
        ((2, 10), "inferred"),
    ]
    assert (graph.operators[1].flops, graph.operators[1].flops_source) == (20, "exact")
    assert {"code": "shape_given", "params": {"tensor": "h", "shape": [2, 10]}} in graph.notes


@pytest.mark.parametrize("key", ["com.example::Magic", "magic"])
def test_a_cost_given_for_a_type_or_one_operator(key):
    cost = OperatorCost(flops=5000, bytes_read=700)
    graph = read_onnx(custom_model(), {"N": 2}, given=Given(shapes={"h": (2, 10)}, costs={key: cost}))
    magic = graph.operators[0]
    assert (magic.flops, magic.flops_source, magic.bytes_read, magic.bytes_written) == (5000, "given", 700, 80)
    assert "operator_unknown" not in [note["code"] for note in graph.notes]


def test_a_cost_per_element_follows_the_shape():
    given = Given(shapes={"h": (2, 10)}, costs={"com.example::Magic": OperatorCost(flops_per_element=2.5)})
    assert read_onnx(custom_model(), {"N": 2}, given=given).operators[0].flops == 50


def test_the_cost_of_one_operator_wins_over_that_of_its_type():
    costs = {"magic": OperatorCost(flops=1), "com.example::Magic": OperatorCost(flops=2)}
    error = refusal(Given(costs=costs).to_dict())  # the type's then applies to nothing
    assert (error.code, error.params["names"]) == ("given_unknown", ["com.example::Magic"])


def test_an_input_without_shape_can_be_given_one(read):
    data = build_model([helper.make_node("Relu", ["x"], ["y"])], {"x": None}, ["y"]).SerializeToString()
    graph = read_onnx(data, given=Given(shapes={"x": (3, 5)}))
    assert [(t.shape, t.size_source) for t in graph.tensors] == [((3, 5), "given"), ((3, 5), "inferred")]
    assert [note["code"] for note in graph.notes] == ["shape_given"]


def test_a_data_dependent_size_can_be_given(read):
    nodes = [helper.make_node("NonZero", ["x"], ["where"])]
    data = build_model(nodes, {"x": [4, 6]}, ["where"], elements={"where": TensorProto.INT64}).SerializeToString()
    graph = read_onnx(data, given=Given(shapes={"where": (2, 17)}))
    assert (graph.tensors[1].size_bytes, graph.tensors[1].size_source) == (2 * 17 * 8, "given")
    error = refusal({"shapes": {"where": [3, 17]}}, data)
    assert (error.code, error.params["inferred"]) == ("shape_conflict", [2, "?"])


@pytest.mark.parametrize(
    "given",
    [
        {"shapes": {"nothing": [1]}},
        {"trips": {"magic": 3}},
        {"then_shares": {"relu": 0.5}},
        {"costs": {"com.other::Magic": {"flops": 1}}},
    ],
)
def test_a_name_that_is_not_there_is_refused(given):
    error = refusal(given)
    assert error.code == "given_unknown"
    assert error.params == {"kind": next(iter(given)), "names": list(next(iter(given.values())))}


@pytest.mark.parametrize(
    "given",
    [
        [],
        {"shape": {}},
        {"shapes": [1]},
        {"shapes": {"h": "2,10"}},
        {"shapes": {"h": [2, -1]}},
        {"shapes": {"h": [True]}},
        {"trips": {"l": 1.5}},
        {"trips": {"l": 2**40}},
        {"then_shares": {"i": 1.01}},
        {"then_shares": {"i": float("nan")}},
        {"costs": {"m": {}}},
        {"costs": {"m": {"flop": 1}}},
        {"costs": {"m": {"flops": -1}}},
        {"costs": {"m": {"flops_per_element": float("inf")}}},
    ],
)
def test_what_cannot_be_is_refused(given):
    with pytest.raises(ModelError) as caught:
        Given.from_dict(given)
    assert caught.value.code == "given_invalid"


def test_what_was_given_survives_json():
    given = Given(
        shapes={"h": (2, 10)},
        trips={"loop": 7},
        then_shares={"if": 0.25},
        costs={"m": OperatorCost(flops=3), "n": OperatorCost(flops_per_element=0.5, bytes_read=4, bytes_written=0)},
    )
    assert Given.from_dict(given.to_dict()) == given
    assert Given().to_dict() == {}


def test_a_formula_in_a_declaration_is_computed():
    nodes = [
        helper.make_node("Magic", ["x"], ["h"], domain="com.example"),
        helper.make_node("Relu", ["h"], ["y"]),
    ]
    built = build_model(nodes, {"x": ["past", 4]}, ["y"], domains=("com.example",))
    built.graph.value_info.append(info("h", ["past + 1", "floor(past/2)"]))
    graph = read_onnx(built.SerializeToString(), {"past": 9})
    assert [(t.shape, t.size_source) for t in graph.tensors[1:]] == [((10, 4), "declared"), ((10, 4), "inferred")]
