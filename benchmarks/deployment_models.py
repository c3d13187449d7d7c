"""A small reader of text lines with random weights: convolutions, then dense layers along the line, in two branches."""

from __future__ import annotations

import numpy as np

from heteroopt.calibration.portable.case_model import fill, insert_weights
from heteroopt.graph.sketch import Node, Shape, Sketch

CHANNELS = (32, 64, 128, 256)
LINE, DENSE, LETTERS = 320, 512, 4000


def text_line_reader() -> bytes:
    """A line of 32 x 320 pixels to scores of 4,000 letters at 40 places and of a script: two branches."""
    nodes: list[Node] = []
    weights: dict[str, Shape] = {}
    x, before = "x", 1
    for number, channels in enumerate(CHANNELS):
        weights[f"w{number}"], weights[f"b{number}"] = (channels, before, 3, 3), (channels,)
        attributes = {"kernel_shape": [3, 3], "pads": [1] * 4}
        nodes.append(("Conv", f"{x} w{number} b{number}", f"c{number}", attributes))
        nodes.append(("Relu", f"c{number}", f"r{number}", {}))
        stride = [2, 2] if number < 3 else [4, 1]
        nodes.append(("MaxPool", f"r{number}", f"p{number}", {"kernel_shape": stride, "strides": stride}))
        x, before = f"p{number}", channels
    places = LINE // 8
    nodes.append(("Reshape", f"{x} flat", "columns", {}))
    nodes.append(("Transpose", "columns", "line", {"perm": [0, 2, 1]}))
    for branch, wide in (("letters", LETTERS), ("script", 40)):
        y, width = "line", before
        for layer in range(3):
            weights[f"{branch}{layer}"], weights[f"{branch}{layer}b"] = (width, DENSE), (DENSE,)
            nodes.append(("MatMul", f"{y} {branch}{layer}", f"{branch}_m{layer}", {}))
            nodes.append(("Add", f"{branch}_m{layer} {branch}{layer}b", f"{branch}_a{layer}", {}))
            nodes.append(("Relu", f"{branch}_a{layer}", f"{branch}_r{layer}", {}))
            y, width = f"{branch}_r{layer}", DENSE
        weights[f"{branch}_w"] = (DENSE, wide)
        nodes.append(("MatMul", f"{y} {branch}_w", branch, {}))
    nodes.append(("Concat", "letters script", "scores", {"axis": 2}))
    sketch = Sketch(nodes, {"x": (1, 1, 32, LINE)}, weights, {"flat": (1, before, places)})
    tensors = [{"name": name, "dtype": "float32", "shape": list(shape)} for name, shape in weights.items()]
    values = [(t["name"], fill(t) / np.float32(np.sqrt(max(1, np.prod(t["shape"][1:]))))) for t in tensors]
    return insert_weights(sketch.model("text line", 13, declared=False), [(str(name), value) for name, value in values])
