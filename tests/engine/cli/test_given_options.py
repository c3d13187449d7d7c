"""Options that say what a model's file does not."""

from __future__ import annotations

import json

import pytest
from onnx import helper

from heteroopt.cli import main
from tests.engine.graph.conftest import build_model


@pytest.fixture
def path(tmp_path):
    nodes = [
        helper.make_node("Magic", ["x"], ["h"], name="magic", domain="com.example"),
        helper.make_node("Relu", ["h"], ["y"], name="relu"),
    ]
    file = tmp_path / "model.onnx"
    file.write_bytes(build_model(nodes, {"x": ["N", 4]}, ["y"], domains=("com.example",)).SerializeToString())
    return str(file)


def test_shapes_and_costs_are_taken(path, capsys):
    given = ["--shape", "h=2x10", "--cost", "com.example::Magic=5000,700,80"]
    assert main(["inspect", path, "--dim", "N=2", *given, "--json"]) == 0
    account = json.loads(capsys.readouterr().out)
    assert account["flops"] == 5020
    assert "operator_unknown" not in [note["code"] for note in account["notes"]]


def test_a_name_that_is_not_there_is_an_error(path, capsys):
    assert main(["inspect", path, "--trips", "loop=3"]) == 1
    assert "'loop'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", [("--shape", "h=2xN"), ("--trips", "loop=-1"), ("--then-share", "if=x"), ("--cost", "m=1,2")]
)
def test_texts_that_say_nothing_are_wrong_usage(path, option):
    assert main(["inspect", path, *option]) == 2
