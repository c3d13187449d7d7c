"""The sample models read as what they claim to be."""

from __future__ import annotations

import onnx
import pytest

from heteroopt.errors import ModelError
from heteroopt.graph.graph import Graph
from heteroopt.graph.samples import LIGHT_MODELS, bert_encoder_onnx, onnx_light_model


def test_bert_is_small_valid_and_complete():
    data = bert_encoder_onnx()
    assert len(data) < 200_000
    onnx.checker.check_model(onnx.load_model_from_string(data))
    graph = Graph.from_onnx(data)
    counts = graph.op_type_histogram()
    assert (len(graph.operators), counts["MatMul"], counts["Erf"], counts["Softmax"]) == (621, 96, 12, 12)
    # Embeddings (vocabulary, types, 128 positions, norm), 12 layers, pooler.
    hidden, wide = 768, 3072
    layer = 4 * (hidden * hidden + hidden) + 2 * hidden * wide + wide + hidden + 4 * hidden
    assert graph.parameters == (30522 + 2 + 128 + 2) * hidden + 12 * layer + hidden * hidden + hidden
    assert graph.notes == ()
    assert {op.scope for op in graph.operators if "query" in op.name} >= {"encoder/layer.0/attention/self/query"}


def test_bert_of_other_sizes():
    graph = Graph.from_onnx(bert_encoder_onnx(layers=2, hidden=16, heads=4, seq=8, batch=3, vocabulary=50))
    assert [graph.tensors[t].shape for t in graph.outputs] == [(3, 8, 16), (3, 16)]
    with pytest.raises(ModelError):
        bert_encoder_onnx(hidden=10, heads=3)


@pytest.mark.parametrize("name", LIGHT_MODELS)
def test_light_models_read_without_remarks(name):
    graph = Graph.from_onnx(onnx_light_model(name))
    assert graph.notes == ()
    assert {t.size_source for t in graph.tensors} <= {"declared", "inferred"}
    assert graph.tensors[graph.inputs[0]].shape == (1, 3, 224, 224)
    assert Graph.from_dict(graph.to_dict()) == graph
    assert Graph.from_onnx(onnx_light_model(name)).content_hash == graph.content_hash


def test_an_unknown_sample_is_refused():
    with pytest.raises(ModelError) as caught:
        onnx_light_model("../../etc/passwd")
    assert caught.value.code == "sample_unknown"


def test_a_graph_can_be_renamed():
    assert Graph.from_onnx(onnx_light_model("squeezenet"), name="mine").name == "mine"
