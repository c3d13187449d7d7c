"""The one file that is copied to other machines."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from heteroopt.calibration.cases import make_cases, write_cases
from heteroopt.calibration.portable import standalone
from heteroopt.calibration.single_file import single_file
from heteroopt.costs.bundle import read_bundle
from tests.engine.calibration.fakes import FakeDevice

STANDARD = frozenset((
    "argparse", "base64", "ctypes", "dataclasses", "hashlib", "json", "math", "os", "platform", "sys", "time", "typing",
))  # fmt: skip


def test_it_is_python_3_8_and_imports_numpy_and_the_runtime_only():
    tree = ast.parse(single_file("0"), feature_version=(3, 8))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])
    assert imported - STANDARD == {"__future__", "numpy", "onnxruntime", "openvino"}


def test_it_uses_nothing_that_came_after_python_3_8():
    names = {node.attr for node in ast.walk(ast.parse(single_file("0"))) if isinstance(node, ast.Attribute)}
    assert not names & {"removeprefix", "removesuffix", "pairwise", "bit_count", "is_relative_to", "batched"}
    for node in ast.walk(ast.parse(single_file("0"))):
        if isinstance(node, ast.Call):
            assert not any(keyword.arg in ("strict", "slots", "kw_only") for keyword in node.keywords)
        # annotations are not evaluated, but an alias such as X = list[int] would be
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            assert not (isinstance(node.value.value, ast.Name) and node.value.value.id in ("list", "dict", "tuple"))


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="onnxruntime is not installed")
def test_it_measures_without_the_package(tmp_path: Path):
    cases, refused = make_cases(count=3, seed=2)
    assert refused == []
    write_cases(tmp_path / "cases.json", cases)
    (tmp_path / "calibrator.py").write_text(single_file("0"), "utf-8")
    command = [
        sys.executable, "-I", "calibrator.py", "--runtime", "onnxruntime", "--threads", "1", "--cases", "cases.json",
        "--out", "bundle.json", "--budget-s", "60", "--resume", "checkpoint.json",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    database = read_bundle(tmp_path / "bundle.json")
    assert len(database) == 3
    assert database.device.runtime == "onnxruntime"
    assert database.launch_overhead_s > 0
    assert all(row.median_s >= row.minimum_s > 0 for row in database.rows.values())
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert again.returncode == 0, again.stderr
    assert read_bundle(tmp_path / "bundle.json").rows == database.rows  # all of it was in the checkpoint


@pytest.mark.parametrize(
    ("cases", "out", "says"),
    [
        ("{}", "b.json", "heteroopt calibrate --cases-out"),
        ("[1]", "b.json", "heteroopt calibrate --cases-out"),
        ("{", "b.json", "cannot be read"),
        (None, "b.json", "cannot be read"),
        ("{}", "no-such-folder/b.json", "no-such-folder/b.json cannot be written"),
    ],
)
def test_what_cannot_be_read_or_written_is_said_before_anything_is_measured(tmp_path, monkeypatch, cases, out, says):
    monkeypatch.chdir(tmp_path)
    if cases is not None:
        Path("cases.json").write_text(cases, "utf-8")
    with pytest.raises(SystemExit) as ended:
        standalone.main(["--runtime", "onnxruntime", "--cases", "cases.json", "--out", out])
    assert says in str(ended.value)
    assert not Path(out).exists()


@pytest.mark.parametrize("state", ["{", "[]", "{}"])
def test_a_damaged_checkpoint_is_named_with_what_to_do(tmp_path, monkeypatch, state):
    monkeypatch.chdir(tmp_path)
    write_cases(Path("cases.json"), make_cases(count=3, seed=2)[0])
    Path("state.json").write_text(state, "utf-8")
    monkeypatch.setattr(standalone, "open_device", lambda *_: FakeDevice(lambda *_: 1e-3))
    with pytest.raises(SystemExit, match=r"state\.json .*Remove it to start again"):
        standalone.main(
            ["--runtime", "onnxruntime", "--cases", "cases.json", "--out", "b.json", "--resume", "state.json"]
        )
