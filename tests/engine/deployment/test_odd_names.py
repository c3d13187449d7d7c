"""Names of tensors may be anything: what the runner and a trial run write of them comes back under the right one."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from heteroopt.cli.trial_command import profile_paths
from heteroopt.deployment.export_plan import export_plan
from heteroopt.deployment.trial import TrialSettings, run_trial
from tests.engine.deployment import segment_cases as cases
from tests.engine.deployment.test_ort_segments import CPU, load_runner

PLAIN = ["file", "args", "a/b", "x", "output_2", "output_10", "with blank", "层"]
ODD = ["../../up", "/abs", "..", "x.npy", "c:\\d", "tab\there", "whole:x", "a//b"]


def with_names(path):
    """x times 2, 3, ...: an output for every name."""
    names = [*PLAIN, *ODD]
    nodes = [helper.make_node("Mul", ["in", f"k{n}"], [name]) for n, name in enumerate(names)]
    stored = [numpy_helper.from_array(np.array([n + 2], np.float32), f"k{n}") for n in range(len(names))]
    return cases.save(
        path, nodes, [cases.float_input("in", [4, 8])], [cases.float_input(name, [4, 8]) for name in names], stored
    )


def test_the_runner_writes_every_output_where_numpy_finds_it(tmp_path):
    model = with_names(tmp_path / "m.onnx")
    export_plan("ort-segments", cases.request_for(model, lambda i, n: i % 2, **CPU), tmp_path / "out")
    given = {"in": np.random.default_rng(1).standard_normal((4, 8)).astype(np.float32)}
    np.savez(tmp_path / "in.npz", **given)
    arguments = ["--items", "1", "--inputs", str(tmp_path / "in.npz"), "--outputs", str(tmp_path / "found"), "--json"]
    done = subprocess.run(
        [sys.executable, str(tmp_path / "out/runner.py"), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    called = json.loads(done.stdout)["outputs"]
    assert {name for name, key in called.items() if name == key} == set(PLAIN)
    assert len(set(called.values())) == len(called) == len(PLAIN) + len(ODD)
    with np.load(tmp_path / "found.npz", allow_pickle=False) as found:
        assert sorted(found.files) == sorted(called.values())
        for name, whole in cases.run_whole(model, given).items():
            assert np.array_equal(found[called[name]], whole), name
    for entry in zipfile.ZipFile(tmp_path / "found.npz").namelist():
        assert not {"", ".", ".."}.intersection(entry.split("/")) and "\\" not in entry


def test_a_trial_run_compares_every_output_with_its_own(tmp_path):
    request = cases.request_for(with_names(tmp_path / "m.onnx"), lambda i, n: i % 2, **CPU)
    report = run_trial(request, TrialSettings(items=1))
    assert len(report.outputs) == len(PLAIN) + len(ODD)
    assert all(output.distance == 0.0 for output in report.outputs)


def test_sequences_maps_and_texts_are_written_in_parts(tmp_path):
    model = with_names(tmp_path / "m.onnx")
    export_plan("ort-segments", cases.request_for(model, lambda i, n: i % 2, **CPU), tmp_path / "out")
    texts = np.array(["a", "bc"], object)
    outputs = {"s": [np.ones(2), np.zeros((3, 1))], "m": [{"k": 1.5, "l": 2.5}], "t": texts, "none": None}
    called = load_runner(tmp_path / "out").save(str(tmp_path / "odd.npz"), outputs)
    assert list(called) == ["s/0", "s/1", "m/0/keys", "m/0/values", "t"]
    with np.load(tmp_path / "odd.npz", allow_pickle=False) as found:
        assert found["s/1"].shape == (3, 1) and found["m/0/values"].tolist() == [1.5, 2.5]
        assert found["m/0/keys"].tolist() == ["k", "l"] and found["t"].tolist() == ["a", "bc"]


def test_what_numpy_has_no_type_for_can_be_an_output_that_the_next_segment_reads(tmp_path):
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("SplitToSequence", ["a", "sizes"], ["parts"], axis=0),
        helper.make_node("ConcatFromSequence", ["parts"], ["joined"], axis=0),
        helper.make_node("Cast", ["joined"], ["short"], to=TensorProto.BFLOAT16),
        helper.make_node("Cast", ["short"], ["y"], to=TensorProto.FLOAT),
    ]
    stored = [cases.weight("w", 16, 16), numpy_helper.from_array(np.array([1, 3], np.int64), "sizes")]
    outputs = [
        helper.make_tensor_sequence_value_info("parts", TensorProto.FLOAT, None),
        helper.make_tensor_value_info("short", TensorProto.BFLOAT16, [4, 16]),
        cases.float_input("y", [4, 16]),
    ]
    graph = helper.make_graph(nodes, "odd", [cases.float_input("x", [4, 16])], outputs, stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(tmp_path / "m.onnx"))
    report = run_trial(cases.request_for(tmp_path / "m.onnx", lambda i, n: i % 2, **CPU), TrialSettings(items=1))
    assert {output.name: output.distance for output in report.outputs} == {"parts": 0.0, "short": 0.0, "y": 0.0}
    assert not any(output.constant for output in report.outputs)


def test_profiles_of_oddly_named_devices_stay_in_their_folder(tmp_path):
    names = ["gpu0", "../up", "a/b", "a_b", "..", "CON"]
    paths = profile_paths(tmp_path, names)
    assert paths["gpu0"] == tmp_path / "gpu0.json"
    assert {path.parent for path in paths.values()} == {tmp_path}
    assert len({path.name.lower() for path in paths.values()}) == len(names)
