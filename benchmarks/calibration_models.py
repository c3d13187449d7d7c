"""Whole models with random weights, to compare the sum of predicted operators with a run of the model itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from heteroopt.calibration.portable.case_model import fill, insert_weights
from heteroopt.graph.samples import bert_encoder_onnx, onnx_light_model
from heteroopt.graph.sketch import Node, Shape, Sketch

INVERTED_RESIDUALS = (
    (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
)  # fmt: skip
"""Of MobileNetV2 (Sandler et al., CVPR 2018, table 2): expansion, channels, repeats, first stride."""


def whole_models(ocr: Path | None = None) -> dict[str, bytes]:
    """The models by name; an OCR detector where a file of one is given."""
    models = {
        "ResNet-50": random_weights(onnx.load(onnx_light_model("resnet50"))),
        "BERT, 128 tokens": random_weights(onnx.load_from_string(bert_encoder_onnx())),
        "MobileNetV2": mobilenet_v2(),
    }
    if ocr is not None:
        models["OCR detector"] = ocr.read_bytes()
    return models


def random_weights(model: onnx.ModelProto) -> bytes:
    """The model with what ConstantOfShape makes of a constant shape replaced by random weights."""
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    generator = np.random.default_rng(1)
    kept = []
    for node in model.graph.node:
        if node.op_type != "ConstantOfShape" or node.input[0] not in constants:
            kept.append(node)
            continue
        shape = [int(size) for size in constants[node.input[0]]]
        fan_in = max(1, int(np.prod(shape[1:])))
        values = generator.standard_normal(shape, np.float32) / np.sqrt(fan_in)
        if len(shape) == 1:
            values = np.abs(values) + 0.5  # variances too
        model.graph.initializer.append(numpy_helper.from_array(values.astype(np.float32), node.output[0]))
    del model.graph.node[:]
    model.graph.node.extend(kept)
    model.ir_version = max(model.ir_version, 4)
    return bytes(model.SerializeToString())


def mobilenet_v2(size: int = 224) -> bytes:
    """MobileNetV2 at width 1, batch normalisation folded into the convolutions as exporters do."""
    nodes: list[Node] = []
    weights: dict[str, Shape] = {}

    def conv(source: str, read: int, written: int, kernel: int, stride: int, group: int, relu6: bool) -> str:
        number = len(nodes)
        weights[f"w{number}"], weights[f"b{number}"] = (written, read // group, kernel, kernel), (written,)
        attributes = {
            "kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [kernel // 2] * 4, "group": group,
        }  # fmt: skip
        nodes.append(("Conv", f"{source} w{number} b{number}", f"c{number}", attributes))
        if not relu6:
            return f"c{number}"
        nodes.append(("Clip", f"c{number}", f"r{number}", {"min": 0.0, "max": 6.0}))
        return f"r{number}"

    x, channels = conv("x", 3, 32, 3, 2, 1, True), 32
    for expansion, written, repeats, first_stride in INVERTED_RESIDUALS:
        for repeat in range(repeats):
            stride, before, hidden = first_stride if repeat == 0 else 1, x, channels * expansion
            if expansion > 1:
                x = conv(x, channels, hidden, 1, 1, 1, True)
            x = conv(conv(x, hidden, hidden, 3, stride, hidden, True), hidden, written, 1, 1, 1, False)
            if stride == 1 and channels == written:
                nodes.append(("Add", f"{before} {x}", f"s{len(nodes)}", {}))
                x = nodes[-1][2]
            channels = written
    x = conv(x, channels, 1280, 1, 1, 1, True)
    nodes.append(("GlobalAveragePool", x, "pooled", {}))
    nodes.append(("Flatten", "pooled", "flat", {}))
    weights["fc"], weights["fb"] = (1000, 1280), (1000,)
    nodes.append(("Gemm", "flat fc fb", "logits", {"transB": 1}))
    sketch = Sketch(nodes, {"x": (1, 3, size, size)}, weights)
    tensors = [{"name": name, "dtype": "float32", "shape": list(shape)} for name, shape in weights.items()]
    values = [(t["name"], fill(t) / np.float32(np.sqrt(max(1, np.prod(t["shape"][1:]))))) for t in tensors]
    return insert_weights(sketch.model("mobilenet", 9, declared=False), [(str(name), value) for name, value in values])
