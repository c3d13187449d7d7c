"""The one file that is copied to other machines."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from heteroopt.calibration.cases import make_cases, write_cases
from heteroopt.calibration.single_file import single_file
from heteroopt.costs.bundle import read_bundle

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


def test_a_file_that_holds_no_cases_is_refused(tmp_path: Path):
    (tmp_path / "cases.json").write_text("{}", "utf-8")
    (tmp_path / "calibrator.py").write_text(single_file("0"), "utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "calibrator.py", "--runtime", "onnxruntime", "--cases", "cases.json", "--out", "b.json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "heteroopt calibrate --cases-out" in done.stderr
