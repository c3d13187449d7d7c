"""Models with random weights in one piece and in segments on ONNX Runtime and OpenVINO: how far results are apart.

Run: python -m benchmarks.split [--models resnet50,bert] [--layers 12] [--segments 2,4,6] [--json FILE]

The light models' own weights are constant, so that every answer would be right; here every weight is drawn anew.
Exits with 1 where a difference is above ``LIMIT`` or an answer is constant.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import ModelProto, TensorProto, helper, numpy_helper

import heteroopt as hopt
from heteroopt.api.exporting import plan_request
from heteroopt.costs.roofline import roofline_cost_table
from heteroopt.deployment.export_plan import export_plan
from heteroopt.deployment.plan import Plan
from heteroopt.graph.fusion import fuse
from heteroopt.graph.samples import bert_encoder_onnx, onnx_light_model
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.compile import compile_problem
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.reference_plan import reference_plan

LIMIT = 1e-5
"""Largest difference, over the largest value of an output, in FP32."""
POOL = """
name = "two runtimes"
[[devices]]
name = "ort"
template = "Intel_Xeon_8380"
[[devices]]
name = "ov"
template = "Intel_Xeon_8380"
"""
RUNTIMES = {"device.ort": "onnxruntime:CPUExecutionProvider", "device.ov": "openvino:CPU"}
_FEW = 8


def random_weights(model: ModelProto, seed: int = 1, scale: float = 0.05) -> None:
    """Give every weight other values, those that nodes make of a shape too; these keep the scale of activations.

    Stored vectors are positive, because variances are among them, and small, so that a softmax at the end says much.
    """
    rng = np.random.default_rng(seed)
    for tensor in model.graph.initializer:
        old = numpy_helper.to_array(tensor)
        if old.dtype == np.float32 and old.size > _FEW:
            values = rng.standard_normal(old.shape) * scale if old.ndim > 1 else rng.uniform(0.2, 0.6, old.shape)
            tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float32), tensor.name))
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for node in [n for n in model.graph.node if n.op_type == "ConstantOfShape" and n.input[0] in shapes]:
        shape = tuple(int(size) for size in shapes[node.input[0]])
        fan = int(np.prod(shape[1:])) or 1
        drawn = rng.standard_normal(shape) * (2.0 / fan) ** 0.5 if len(shape) > 1 else rng.uniform(0.5, 1.5, shape)
        model.graph.initializer.append(numpy_helper.from_array(drawn.astype(np.float32), node.output[0]))
        model.graph.node.remove(node)


def add_logits(model: ModelProto) -> None:
    """Make what a softmax at the end reads an output too: the softmax of large numbers is the same for all of them."""
    names = {item.name for item in model.graph.output}
    for node in [n for n in model.graph.node if n.op_type == "Softmax" and n.output[0] in names]:
        model.graph.output.append(helper.make_tensor_value_info(node.input[0], TensorProto.FLOAT, None))


def export_split(path: Path, pieces: int, folder: Path) -> dict[str, Any]:
    """Export a model with its operators in ``pieces`` runs on the two devices in turn; the manifest."""
    graph, pool = fuse(hopt.Graph.from_onnx(path)), hopt.DevicePool.from_toml(POOL)
    costs = roofline_cost_table(graph, pool)
    problem = compile_problem(graph, pool, costs)
    order = np.arange(len(graph.operators), dtype=np.int32)
    schedule = decode_one(problem, order, (pieces * order // len(order) % 2).astype(np.int32))
    plan = Plan(graph, pool, costs, problem, reference_plan(problem), SearchSettings(), schedule)
    return export_plan("ort-segments", plan_request(plan, model=path, options=RUNTIMES), folder)


def load_runner(folder: Path) -> Any:
    """The runner that lies in an export, as a module."""
    spec = importlib.util.spec_from_file_location("plan_runner", folder / "runner.py")
    assert spec is not None and spec.loader is not None
    runner = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(runner)
    return runner


def compare(path: Path, pieces: int, folder: Path) -> dict[str, Any]:
    """Cut a model's operators into ``pieces`` runs on two runtimes in turn, and run it both ways on the same inputs."""
    manifest, runner = export_split(path, pieces, folder), load_runner(folder)
    with runner.Plan(str(folder), 1) as segments:
        inputs = runner.made_up(segments.plan, seed=4)
        found = segments.run(inputs)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    whole = dict(zip([item.name for item in session.get_outputs()], session.run(None, inputs), strict=True))
    worst = max(float(np.abs(found[name] - value).max() / np.abs(value).max()) for name, value in whole.items())
    return {
        "segments": len(manifest["segments"]),
        "difference": worst,
        "constant": any(float(np.std(value)) == 0.0 for value in whole.values()),
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", default="resnet50,bert")
    parser.add_argument("--layers", type=int, default=12, help="of the BERT encoder")
    parser.add_argument("--segments", default="2,3,4,5,6")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = []
    for name in arguments.models.split(","):
        data = bert_encoder_onnx(layers=arguments.layers) if name == "bert" else onnx_light_model(name).read_bytes()
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / f"{name}.onnx"
            model = onnx.load_from_string(data)
            random_weights(model)
            add_logits(model)
            onnx.save(model, str(path))
            del model
            for pieces in (int(word) for word in arguments.segments.split(",")):
                rows.append({"model": name} | compare(path, pieces, Path(scratch) / str(pieces)))
                print(json.dumps(rows[-1]), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    return 0 if all(row["difference"] <= LIMIT and not row["constant"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
