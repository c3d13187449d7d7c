"""Operators of a graph as models of their own: they do the same work, or are refused with the reason."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from heteroopt.calibration.portable.case_model import fill, insert_weights
from heteroopt.costs.facts import graph_facts
from heteroopt.errors import ModelError
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph
from heteroopt.graph.node_names import name_nodes, numbers_in
from heteroopt.graph.rebuild import rebuild, with_declared_weights
from heteroopt.graph.samples import bert_encoder_onnx, onnx_light_model
from heteroopt.graph.sketch import Sketch

SKETCHES = {
    "weight first": Sketch([("MatMul", "w x", "y", {})], {"x": (1, 8, 5)}, {"w": (3, 8)}),
    "subtract from a weight": Sketch([("Sub", "w x", "y", {})], {"x": (2, 3)}, {"w": (4, 2, 3)}),
    "slice": Sketch([("Slice", "x a b", "y", {})], {"x": (4, 9)}, {}, {"a": [0, 0], "b": [4, 3]}),
    "split": Sketch([("Split", "x s", "a b", {"axis": 1})], {"x": (4, 9)}, {}, {"s": [4, 5]}),
    "expand": Sketch([("Expand", "x s", "y", {})], {"x": (1, 9)}, {}, {"s": [5, 9]}),
    "reduce": Sketch([("ReduceMean", "x", "y", {"axes": [1], "keepdims": 0})], {"x": (4, 9, 7)}),
    "sum of a middle axis": Sketch([("ReduceSum", "x a", "y", {"keepdims": 0})], {"x": (4, 9, 7)}, {}, {"a": [1]}),
    "gather": Sketch([("Gather", "w i", "y", {})], {"i": (2, 3)}, {"w": (50, 8)}, dtypes={"i": "int64"}),
    "pad": Sketch([("Pad", "x p", "y", {})], {"x": (3, 4)}, {}, {"p": [0, 1, 0, 1]}),
    "reshape": Sketch([("Relu", "x", "r", {}), ("Reshape", "r s", "y", {})], {"x": (3, 4)}, {}, {"s": [4, 3]}),
    "square": Sketch([("Mul", "x x", "y", {})], {"x": (3, 4)}),
    "batch norm": Sketch([("BatchNormalization", "x s b m v", "y", {})], {"x": (1, 20, 4)}, {n: (20,) for n in "sbmv"}),
}


@pytest.mark.parametrize("name", SKETCHES)
def test_an_operator_alone_reads_and_writes_what_it_did(name: str):
    graph = SKETCHES[name].graph()
    index = next(op.index for op in graph.operators if not op.is_view)
    small = rebuild(graph, index)
    model = insert_weights(small.model, [(weight["name"], fill(weight)) for weight in small.weights])
    onnx.checker.check_model(model)
    results = ReferenceEvaluator(onnx.load_from_string(model)).run(
        None, {tensor["name"]: fill(tensor) for tensor in small.inputs}
    )
    operator = graph.operators[index]
    assert [result.shape for result in results] == [graph.tensors[t].shape for t in operator.outputs]
    assert [str(result.dtype) for result in results] == [graph.tensors[t].dtype for t in operator.outputs]
    again = fuse(Graph.from_onnx(with_declared_weights(small)))
    assert sum(op.flops for op in again.operators) == operator.flops


@pytest.mark.parametrize(
    "source", [onnx_light_model("resnet50"), bert_encoder_onnx(), onnx_light_model("shufflenet")], ids=["a", "b", "c"]
)
def test_every_fused_operator_of_a_model_comes_back_equal(source):
    graph = fuse(Graph.from_onnx(source))
    facts = graph_facts(graph)
    for index in {found.structure: i for i, found in enumerate(facts)}.values():
        if graph.operators[index].is_view:
            continue
        again = fuse(Graph.from_onnx(with_declared_weights(rebuild(graph, index))))
        assert facts[index].structure in {found.structure for found in graph_facts(again)}


def test_equal_operators_have_equal_structures_and_others_have_not():
    def only(sketch: Sketch) -> str:
        return graph_facts(sketch.graph())[0].structure

    conv = {"kernel_shape": [3, 3]}
    first = Sketch([("Conv", "x w", "y", conv)], {"x": (1, 8, 9, 9)}, {"w": (4, 8, 3, 3)})
    renamed = Sketch([("Conv", "a b", "c", conv)], {"a": (1, 8, 9, 9)}, {"b": (4, 8, 3, 3)})
    wider = Sketch([("Conv", "x w", "y", conv)], {"x": (1, 8, 9, 10)}, {"w": (4, 8, 3, 3)})
    strided = Sketch([("Conv", "x w", "y", {**conv, "strides": [2, 2]})], {"x": (1, 8, 9, 9)}, {"w": (4, 8, 3, 3)})
    assert only(first) == only(renamed)
    assert len({only(first), only(wider), only(strided)}) == 3


def test_what_cannot_be_made_again_is_refused_by_name():
    graph = Graph.from_onnx(Sketch([("Relu", "x", "y", {})], {"x": (2, 2)}, dtypes={"x": "bfloat16"}).model())
    with pytest.raises(ModelError) as caught:
        rebuild(graph, 0)
    assert caught.value.code == "operator_not_rebuilt"
    assert "bfloat16" in caught.value.message


def test_weights_are_put_into_the_graph_where_a_parser_finds_them():
    model = Sketch([("Add", "x w", "y", {})], {"x": (2, 3)}, {"w": (3,)}).model(declared=False)
    values = np.arange(3, dtype=np.float32)
    whole = onnx.load_from_string(insert_weights(model, [("w", values)]))
    found = ReferenceEvaluator(whole).run(None, {"x": np.ones((2, 3), np.float32)})[0]
    assert found.tolist() == [[1.0, 2.0, 3.0]] * 2


def test_nodes_are_known_again_by_parts_of_a_joined_name():
    named, outputs = name_nodes(Sketch([("Relu", "x", "a", {}), ("Exp", "a", "y", {})], {"x": (2,)}).model())
    assert outputs == [("a",), ("y",)]
    first, second = (node.name for node in onnx.load_from_string(named).graph.node)
    assert numbers_in(f"fused {first}/{second}_nchwc") == [0, 1]
    with pytest.raises(ModelError) as caught:
        name_nodes(b"\xff\xff\xff")
    assert caught.value.code == "model_unreadable"
