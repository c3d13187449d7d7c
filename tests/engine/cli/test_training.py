"""``--training``: a training step is planned, written and evaluated as any model is."""

from __future__ import annotations

import json

import pytest

from heteroopt.cli import main
from heteroopt.graph.samples import bert_encoder_onnx


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "encoder.onnx"
    path.write_bytes(bert_encoder_onnx(layers=1, hidden=64, heads=2, seq=16, vocabulary=100))
    return str(path)


def test_a_training_step_is_planned_explained_and_evaluated(model, tmp_path, capsys):
    plan, table = tmp_path / "PLAN.json", tmp_path / "operators.csv"
    step = [model, "--pool", "workstation", "--training", "adam", "--json"]
    search = ["--generations", "3", "--population", "16", "--seed", "1"]
    assert main(["plan", *step, *search, "--out", str(plan), "--csv", str(table)]) == 0
    planned = json.loads(capsys.readouterr().out)["plan"]
    rows = json.loads(plan.read_text())
    names = {row["name"] for row in rows["operators"]}
    assert "backward/encoder/layer.0/output/dense/MatMul/weight" in names
    assert "update/embeddings.word_embeddings.weight" in table.read_text()
    assert main(["explain", str(plan)]) == 0
    capsys.readouterr()
    assert main(["evaluate", *step, "--placement", str(table)]) == 0
    evaluated = json.loads(capsys.readouterr().out)["plan"]
    assert evaluated["exec_time_ms"] == planned["exec_time_ms"]
    assert evaluated["energy_j"] == planned["energy_j"]


def test_tables_are_no_training_step(tmp_path, capsys):
    for command in (["plan"], ["evaluate", "--placement", "p.csv"]):
        assert main([*command, "--tables", str(tmp_path / "t.json"), "--training", "sgd"]) == 2
    assert "usage:" in capsys.readouterr().err
