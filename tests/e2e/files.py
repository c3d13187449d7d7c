"""Files that a person brings: an own model with a batch of symbolic size, plain tables, a pool."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
from onnx import TensorProto, helper

CHANNELS = 64
STEPS = 6


def write_model(path: Path) -> Path:
    """Two branches of convolutions, joined at the end, over a batch of symbolic size."""
    weight = helper.make_node(
        "ConstantOfShape", ["shape"], ["w"], value=helper.make_tensor("v", TensorProto.FLOAT, [1], [0.01])
    )
    nodes = [weight]
    ends = []
    for branch in ("left", "right"):
        source = "x"
        for step in range(STEPS):
            target = f"{branch}_{step}"
            nodes += [
                helper.make_node(
                    "Conv", [source, "w"], [f"{target}_conv"], name=f"{branch}/conv{step}", pads=[1, 1, 1, 1]
                ),
                helper.make_node("Relu", [f"{target}_conv"], [target], name=f"{branch}/relu{step}"),
            ]
            source = target
        ends.append(source)
    nodes.append(helper.make_node("Add", ends, ["y"], name="join"))
    dims: list[str | int | None] = ["batch", CHANNELS, 56, 56]
    graph = helper.make_graph(
        nodes,
        path.stem,  # so that files of two names are two models
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, dims)],
        initializer=[helper.make_tensor("shape", TensorProto.INT64, [4], [CHANNELS, CHANNELS, 3, 3])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path)
    return path


def write_truncated_model(path: Path) -> Path:
    """The first half of a whole model."""
    data = write_model(path).read_bytes()
    path.write_bytes(data[: len(data) // 2])
    return path


def write_tables(path: Path) -> Path:
    """Two chains of operators that an accelerator runs in 1 ms and a CPU in 3 ms each, with times given."""
    operators = []
    edges = []
    for chain in ("a", "b"):
        for step in range(4):
            operators.append(
                {
                    "name": f"{chain}{step}",
                    "op_type": "MatMul",
                    "time_ms": {"acc0": 1.0, "cpu0": 3.0},
                    "energy_j": {"acc0": 0.2, "cpu0": 0.1},
                }
            )
            if step:
                edges.append({"source": f"{chain}{step - 1}", "target": f"{chain}{step}", "size_bytes": 1000})
    problem = {
        "format": "heteroopt-tables-1",
        "name": "measured chains",
        "devices": [
            {"name": "acc0", "device_type": "NPU", "memory_size_bytes": 16_000_000_000},
            {"name": "cpu0", "device_type": "CPU", "memory_size_bytes": 64_000_000_000},
        ],
        "links": [{"source": "acc0", "target": "cpu0", "bandwidth_gb_per_s": 10, "latency_us": 10}],
        "operators": operators,
        "edges": edges,
    }
    path.write_text(json.dumps(problem))
    return path


POOL_TOML = """\
name = "Two cards from a file"
default_device = "left"

[[devices]]
name = "left"
template = "NVIDIA_RTX_4090"

[[devices]]
name = "right"
template = "NVIDIA_RTX_4090"

[[devices]]
name = "host"
template = "Intel_Xeon_8480"

[[links]]
source = "left"
target = "host"
bandwidth_gb_per_s = 20
latency_us = 8

[[links]]
source = "right"
target = "host"
bandwidth_gb_per_s = 20
latency_us = 8
"""


def write_pool(path: Path) -> Path:
    path.write_text(POOL_TOML)
    return path
