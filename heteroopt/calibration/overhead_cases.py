"""Cases that tell what a program costs beside its operators: its start, the layout of images, weights from memory."""

from __future__ import annotations

import base64
from itertools import pairwise
from typing import Any

from heteroopt.calibration.portable.session import LAUNCH, LAYOUT, WEIGHTS
from heteroopt.calibration.spread import launch_sketch
from heteroopt.costs.facts import graph_facts
from heteroopt.graph.sketch import Node, Sketch

LAUNCH_OPERATORS = (1, 17)
LAYOUT_OPERATORS = (1, 5)
LAYOUT_IMAGES = ((32, 112), (64, 56), (144, 56), (192, 28), (576, 14))
"""Channels and width of images, from a quarter of a megabyte to two."""
WEIGHT_SIZE = 4096
"""A square matrix of so many rows, 64 MiB, is in no cache when it is read again."""


def launch_cases() -> list[dict[str, Any]]:
    """A program of one operator that does next to nothing, and one of many: they tell what starting a program costs
    and what each operator inside it does.
    """
    return [_case(f"launch {n}", LAUNCH, n, launch_sketch(n), 0) for n in LAUNCH_OPERATORS]


def layout_cases() -> list[dict[str, Any]]:
    """Programs of one depthwise convolution and of several in a row, which cost little beside moving their images.

    A runtime that computes in a layout of its own changes to it and back once in each program, however many operators
    there are: the difference between the two tells how long that takes.
    """
    found = []
    for channels, width in LAYOUT_IMAGES:
        for operators in LAYOUT_OPERATORS:
            key = f"layout {channels} {width} {operators}"
            moved = 2 * channels * width * width * 4
            found.append(_case(key, LAYOUT, operators, layout_sketch(operators, channels, width), moved))
    return found


def weight_cases() -> list[dict[str, Any]]:
    """A product of one row with weights that no cache holds: it takes as long as reading them."""
    sketch = Sketch([("MatMul", "x w", "y", {})], {"x": (1, WEIGHT_SIZE)}, {"w": (WEIGHT_SIZE, WEIGHT_SIZE)})
    return [_case(f"weights {WEIGHT_SIZE}", WEIGHTS, 1, sketch, WEIGHT_SIZE * WEIGHT_SIZE * 4)]


def layout_sketch(operators: int, channels: int, width: int) -> Sketch:
    """So many depthwise convolutions of 3 x 3, one after another, of images of one size."""
    names = ["x", *(f"y{number}" for number in range(operators))]
    attributes = {"kernel_shape": [3, 3], "pads": [1] * 4, "group": channels}
    nodes: list[Node] = [("Conv", f"{a} w{i} b{i}", b, attributes) for i, (a, b) in enumerate(pairwise(names))]
    weights = {f"w{i}": (channels, 1, 3, 3) for i in range(operators)} | {
        f"b{i}": (channels,) for i in range(operators)
    }
    return Sketch(nodes, {"x": (1, channels, width, width)}, weights)


def _case(key: str, role: str, operators: int, sketch: Sketch, moved_bytes: int) -> dict[str, Any]:
    graph = sketch.graph(role)
    output = graph.tensors[graph.outputs[0]]
    return {
        "key": key,
        "role": role,
        "operators": operators,
        "moved_bytes": moved_bytes,
        "facts": graph_facts(graph)[0].to_dict(),
        "model": base64.b64encode(sketch.model(role, declared=False)).decode(),
        "weights": [{"name": n, "dtype": "float32", "shape": list(shape)} for n, shape in sketch.weights.items()],
        "inputs": [{"name": "x", "dtype": "float32", "shape": list(sketch.inputs["x"])}],
        "outputs": [{"name": output.name, "dtype": output.dtype, "shape": list(output.shape or ())}],
        "from_model": False,
    }
