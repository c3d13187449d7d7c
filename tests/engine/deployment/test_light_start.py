"""Processes that parse somebody's model to export it start without compilers and solvers, which take seconds."""

import base64
import json
import pickle
import subprocess
import sys
from dataclasses import replace

import pytest

from apps.deployments.writing import packed
from heteroopt.deployment.export_registry import SHIPPED, find_exporter
from tests.engine.deployment.plans import model_file, random_request

HEAVY = ("numba", "scipy", "pymoo", "lightgbm", "ortools", "plotly", "django", "onnxruntime", "openvino")
OPTIONS = {
    "ort-segments": {"device.npu0": "onnxruntime:CANNExecutionProvider"},
    "openvino-hetero": {"target.gpu0": "GPU.0", "target.gpu1": "GPU.1", "target.npu0": "NPU"},
}


@pytest.mark.parametrize("key", sorted(OPTIONS))
def test_writing_a_format_that_carries_the_model_loads_no_compiler(tmp_path, key):
    request = random_request(1, model=model_file(tmp_path), **OPTIONS[key])
    (tmp_path / "payload.json").write_text(json.dumps(packed(key, request, None, {})))
    child = f"""
import json, os, pathlib, sys
os.chdir({str(tmp_path)!r})
from apps.deployments.writing import write_archive
payload = json.loads(pathlib.Path("payload.json").read_text())
write_archive(payload, {{"model": pathlib.Path("encoder.onnx")}})
print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))
"""
    done = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
    assert (tmp_path / "export.zip").is_file()


def test_the_front_is_handed_over_only_to_formats_that_show_it(tmp_path):
    request = replace(random_request(1, model=model_file(tmp_path)), front="the front")
    shown = {key for key in SHIPPED if find_exporter(key).needs_front}
    assert shown == {"report-html"}
    for key in ("ort-segments", "report-html"):
        handed = pickle.loads(base64.b64decode(packed(key, request, None, {})["request"])).front
        assert handed == ("the front" if key in shown else None)
