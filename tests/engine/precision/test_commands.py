"""The commands on runtimes: what a wrong option says, before anything is started."""

from __future__ import annotations

import json

import pytest

from heteroopt.cli.run import run


@pytest.mark.parametrize("given", ["onnxruntime", "a,b,c", ",onnxruntime", "onnxruntime:x,onnxruntime"])
def test_two_devices_must_be_named(given, capsys):
    assert run(["regress", "--runtimes", given, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "two_runtimes"


def test_an_unknown_runtime_is_named_with_those_that_there_are(capsys):
    assert run(["operators", "--runtime", "nope", "--json"]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "device_unknown"
    assert "simulated" in error["hint"]


def test_a_file_that_is_no_run_is_refused_at_once(tmp_path, capsys):
    other = tmp_path / "other.json"
    other.write_text('{"kind": "loss"}')
    assert run(["regress", "--runtimes", "onnxruntime,onnxruntime", "--before", str(other), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "run_invalid"
