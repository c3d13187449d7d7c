"""Plain tables: what a document means, and each way in which one can be wrong."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from heteroopt.errors import ModelError
from heteroopt.graph.tables import SCHEMA_PATH, read_tables

ROOT = Path(__file__).parents[3]
DOCUMENT: dict[str, Any] = json.loads(
    re.search(r"```json\n(.*?)```", (ROOT / "docs" / "plain-tables.md").read_text(), re.DOTALL)[1]  # type: ignore[index]
)


def test_the_documented_example_means_what_it_says():
    problem = read_tables(DOCUMENT)
    graph = problem.graph
    assert [op.name for op in graph.operators] == ["conv1", "relu1", "decode"]
    assert [(e.source, e.target, e.size_bytes) for e in graph.edges] == [(0, 1, 3_211_264), (1, 2, 3_211_264)]
    assert [(t.name, t.size_bytes, t.producer, t.consumers) for t in graph.tensors] == [
        ("image", 602_112, -1, (0,)),
        ("conv1", 3_211_264, 0, (1,)),
        ("relu1", 3_211_264, 1, (2,)),
        ("decode", 4096, 2, ()),
    ]
    assert (graph.inputs, graph.outputs) == ((0,), (3,))
    assert graph.weight_bytes == 37_632
    assert graph.operators[2].colocation == "text"
    assert (graph.operators[0].op_class, graph.operators[0].flops_source) == ("conv", "given")
    assert problem.time_ms == {
        "conv1": {"acc0": 0.25, "acc1": 0.25, "cpu0": 2.5},
        "relu1": {"acc0": 0.02, "cpu0": 0.05},
        "decode": {"cpu0": 1.5},
    }
    assert problem.energy_j["conv1"] == {"acc0": 0.02, "acc1": 0.02, "cpu0": 0.6}
    assert problem.energy_j["relu1"] == {}
    assert [set(device) & {"cost_class"} for device in problem.devices] == [set()] * 3
    assert problem.options == {"memory_fraction": 0.9, "blocking_transfers": True}


def test_bytes_path_and_data_are_the_same(tmp_path):
    path = tmp_path / "tables.json"
    path.write_text(json.dumps(DOCUMENT))
    assert read_tables(path) == read_tables(path.read_bytes()) == read_tables(DOCUMENT) == read_tables(str(path))


def test_the_schema_accepts_the_example_and_refuses_unknown_keys():
    schema = json.loads(SCHEMA_PATH.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(DOCUMENT, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**DOCUMENT, "operatorz": []}, schema)


def minimal(**changes: Any) -> dict[str, Any]:
    return {
        "format": "heteroopt-tables-1",
        "devices": [{"name": "d0"}, {"name": "d1"}],
        "operators": [{"name": "a", "time_ms": {"d0": 1}}, {"name": "b", "time_ms": {"d1": 2}}],
        "edges": [{"source": "a", "target": "b", "size_bytes": 8}],
        **changes,
    }


def test_operators_may_stand_in_any_order():
    document = minimal(edges=[{"source": "b", "target": "a", "size_bytes": 8}])
    assert [op.name for op in read_tables(document).graph.operators] == ["b", "a"]


def test_one_tensor_a_source_unless_named():
    third = [*minimal()["operators"], {"name": "c", "time_ms": {"d0": 1}}]
    edges = [{"source": "a", "target": name, "size_bytes": 8} for name in "bc"]
    shared = read_tables(minimal(operators=third, edges=edges)).graph
    assert [(t.name, t.consumers) for t in shared.tensors] == [("a", (1, 2))]
    named = [{**edges[0], "tensor": "left"}, {**edges[1], "tensor": "right", "size_bytes": 9}]
    separate = read_tables(minimal(operators=third, edges=named)).graph
    assert [(t.name, t.size_bytes) for t in separate.tensors] == [("a:left", 8), ("a:right", 9)]
    with pytest.raises(ModelError) as caught:
        read_tables(minimal(operators=third, edges=[edges[0], {**edges[1], "size_bytes": 9}]))
    assert caught.value.code == "tables_size_conflict"


def test_named_weights_are_shared():
    weights = [{"name": "w", "size_bytes": 100}]
    rows = [{**row, "weights": weights, "weight_bytes": 7} for row in minimal()["operators"]]
    graph = read_tables(minimal(operators=rows)).graph
    assert [op.initializers for op in graph.operators] == [(0, 1), (2, 1)]
    assert graph.weight_bytes == 114


def test_a_device_entry_wins_over_its_class_and_null_means_unsupported():
    devices = [{"name": f"d{i}", "cost_class": "k"} for i in range(3)]
    rows = [{"name": "a", "time_ms": {"d1": 5, "k": 1, "d2": None}}]
    problem = read_tables(minimal(devices=devices, operators=rows, edges=[]))
    assert problem.time_ms == {"a": {"d0": 1.0, "d1": 5.0}}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The minimal document with one place set; ``path`` like ``operators.0.name``."""
    document = copy.deepcopy(minimal(links=[{"source": "d0", "target": "d1"}], options={}))
    target: Any = document
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        target = target[step]
    target[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "code", "where"),
    [
        ("format", "other", "tables_format", "format"),
        ("typo", 1, "tables_unknown_key", "document"),
        ("name", "", "tables_name", "name"),
        ("name", "a\u202eb", "tables_name", "name"),
        ("devices", [], "tables_empty", "devices"),
        ("devices", {}, "tables_type", "devices"),
        ("devices.1.name", "d0", "tables_duplicate", "devices[1].name"),
        ("devices.1.name", "host", "tables_duplicate", "devices[1].name"),
        ("devices.1.cost_class", "d0", "tables_duplicate", "devices"),
        ("links.0.target", "d9", "tables_unknown_name", "links[0].target"),
        ("options.speed", 1, "tables_unknown_key", "options"),
        ("operators", [], "tables_empty", "operators"),
        ("operators.0", 3, "tables_type", "operators[0]"),
        ("operators.0.times_ms", {}, "tables_unknown_key", "operators[0]"),
        ("operators.1.name", "a", "tables_duplicate", "operators[1].name"),
        ("operators.0.name", "x" * 201, "tables_name", "operators[0].name"),
        ("operators.0.time_ms", {}, "tables_no_device", "operators[0].time_ms"),
        ("operators.0.time_ms", {"d0": None}, "tables_no_device", "operators[0].time_ms"),
        ("operators.0.time_ms", {"d7": 1}, "tables_unknown_name", "operators[0].time_ms"),
        ("operators.0.time_ms.d0", -1, "tables_range", "operators[0].time_ms.d0"),
        ("operators.0.time_ms.d0", float("nan"), "tables_range", "operators[0].time_ms.d0"),
        ("operators.0.time_ms.d0", float("inf"), "tables_range", "operators[0].time_ms.d0"),
        ("operators.0.time_ms.d0", "1", "tables_type", "operators[0].time_ms.d0"),
        ("operators.0.time_ms.d0", True, "tables_type", "operators[0].time_ms.d0"),
        ("operators.0.energy_j", {"d1": 1}, "tables_energy_without_time", "operators[0].energy_j"),
        ("operators.0.weight_bytes", 1.5, "tables_type", "operators[0].weight_bytes"),
        ("operators.0.weight_bytes", 2**60, "tables_range", "operators[0].weight_bytes"),
        ("operators.0.precision", "fp99", "tables_range", "operators[0].precision"),
        ("edges.0.source", "z", "tables_unknown_name", "edges[0].source"),
        ("edges.0.size_bytes", -1, "tables_range", "edges[0].size_bytes"),
        ("edges.0.size_bytes", None, "tables_type", "edges[0].size_bytes"),
        ("edges", [{"source": "a", "target": "b", "size_bytes": 8}] * 2, "tables_duplicate", "edges[1]"),
        ("inputs", [{"name": "i", "size_bytes": 1, "readers": ["z"]}], "tables_unknown_name", "inputs[0].readers"),
        ("outputs", [{"operator": "z", "size_bytes": 1}], "tables_unknown_name", "outputs[0].operator"),
        ("outputs", [{"operator": "a", "size_bytes": 1}], "tables_size_conflict", "outputs[0]"),
    ],
)
def test_mistakes_are_named_with_their_place(path, value, code, where):
    with pytest.raises(ModelError) as caught:
        read_tables(changed(path, value))
    assert (caught.value.code, caught.value.params["where"]) == (code, where)


@pytest.mark.parametrize("edges", [[("a", "b"), ("b", "a")], [("a", "a")]])
def test_cycles_are_refused(edges):
    rows = [{"source": source, "target": target, "size_bytes": 1} for source, target in edges]
    with pytest.raises(ModelError) as caught:
        read_tables(minimal(edges=rows))
    assert caught.value.code == "graph_cycle"


@pytest.mark.parametrize(
    "text", [b"{", b"[]", b"\xff", b'{"a": NaN}', b'{"a": 1, "a": 2}', b'{"a": Infinity}', b"[" * 200_000, b""]
)
def test_text_that_is_no_document(text):
    with pytest.raises(ModelError) as caught:
        read_tables(text)
    assert caught.value.code in ("tables_json", "tables_type")
