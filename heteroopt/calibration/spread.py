"""A designed spread of shapes for each type of operator: what models use, log-uniform in size, from tiny to large."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise

from heteroopt.graph.graph import Graph
from heteroopt.graph.sketch import Node, Sketch

LARGEST_MACS = 1_200_000_000
LARGEST_ELEMENTS = 4_000_000
CHANNELS = (3, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
WIDTHS = (7, 10, 14, 20, 28, 40, 56, 80, 112)
FEATURES = (64, 128, 256, 384, 512, 768, 1024, 2048, 3072)
UNARY = ("Relu", "Sigmoid", "Tanh", "Erf", "Sqrt", "HardSwish", "Exp", "HardSigmoid")
BINARY = ("Add", "Mul", "Sub", "Div")
ACTIVATION = ("", "Relu", "Sigmoid", "HardSwish")


def launch_sketch(operators: int) -> Sketch:
    """So many operators that do next to nothing, one after another, and that no runtime joins."""
    names = ["x", *(f"y{number}" for number in range(operators))]
    nodes: list[Node] = [("Softmax", a, b, {"axis": -1}) for a, b in pairwise(names)]
    return Sketch(nodes, {"x": (1, 4)})


def spread_graphs(count: int, seed: int, used: Collection[str] = ()) -> Iterator[Graph]:
    """``count`` graphs of one operator each; types in proportion to their weight, only ``used`` ones where given."""
    generator = random.Random(seed)
    chosen = [row for row in _DESIGN if not used or row[1] in used] or list(_DESIGN)
    weights = [row[0] for row in chosen]
    made = 0
    while made < count:
        sketch = generator.choices(chosen, weights)[0][2](generator)
        if sketch is not None:
            made += 1
            yield sketch.graph("spread")


def _log(generator: random.Random, low: float, high: float) -> int:
    return round(math.exp(generator.uniform(math.log(low), math.log(high))))


def _then(generator: random.Random, nodes: list[Node]) -> list[Node]:
    """With an activation joined to it, as often as models do that."""
    kind = generator.choice(ACTIVATION)
    if not kind:
        return nodes
    last = nodes[-1]
    return [*nodes[:-1], (last[0], last[1], "z", last[3]), (kind, "z", "y", {})]


def _conv(generator: random.Random, *, depthwise: bool = False) -> Sketch | None:
    width, kernel = generator.choice(WIDTHS), generator.choice((3, 3, 5, 7) if depthwise else (1, 1, 3, 3, 5, 7))
    stride, batch = generator.choice((1, 1, 1, 2)), generator.choice((1, 1, 1, 2, 4))
    read = max(8, generator.choice(CHANNELS)) if depthwise else generator.choice(CHANNELS)
    written = read if depthwise else generator.choice(CHANNELS[1:])
    group = read if depthwise else 1
    out = (width + 2 * (kernel // 2) - kernel) // stride + 1
    macs = batch * written * out * out * (read // group) * kernel * kernel
    if macs > LARGEST_MACS or batch * read * width * width > LARGEST_ELEMENTS:
        return None
    attributes = {
        "kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [kernel // 2] * 4, "group": group,
    }  # fmt: skip
    return Sketch(
        _then(generator, [("Conv", "x w b", "y", attributes)]),
        {"x": (batch, read, width, width)},
        {"w": (written, read // group, kernel, kernel), "b": (written,)},
    )


def _depthwise(generator: random.Random) -> Sketch | None:
    return _conv(generator, depthwise=True)


def _conv_transpose(generator: random.Random) -> Sketch | None:
    width, kernel = generator.choice(WIDTHS[:6]), generator.choice((2, 3, 4))
    read, written = generator.choice(CHANNELS[2:9]), generator.choice(CHANNELS[1:9])
    attributes = {"kernel_shape": [kernel] * 2, "strides": [2, 2]}
    if read * written * kernel * kernel * width * width > LARGEST_MACS:
        return None
    return Sketch(
        [("ConvTranspose", "x w b", "y", attributes)],
        {"x": (1, read, width, width)},
        {"w": (read, written, kernel, kernel), "b": (written,)},
    )


def _rows(generator: random.Random) -> int:
    return generator.choice((1, 1, _log(generator, 2, 16), _log(generator, 8, 512), _log(generator, 32, 512)))


def _matmul(generator: random.Random) -> Sketch | None:
    rows, inner, columns = _rows(generator), generator.choice(FEATURES), generator.choice(FEATURES)
    if rows * inner * columns > LARGEST_MACS:
        return None
    nodes: list[Node] = [("MatMul", "x w", "y", {})]
    weights: dict[str, tuple[int, ...]] = {"w": (inner, columns)}
    if generator.random() < 0.5:
        nodes = [("MatMul", "x w", "m", {}), ("Add", "m b", "y", {})]
        weights["b"] = (columns,)
    return Sketch(nodes, {"x": (1, rows, inner)}, weights)


def _gemm(generator: random.Random) -> Sketch | None:
    rows, inner, columns = _rows(generator), generator.choice(FEATURES), generator.choice((*FEATURES, 1000, 10))
    if rows * inner * columns > LARGEST_MACS:
        return None
    return Sketch(
        [("Gemm", "x w b", "y", {"transB": 1})], {"x": (rows, inner)}, {"w": (columns, inner), "b": (columns,)}
    )


def _batched(generator: random.Random) -> Sketch | None:
    batch, rows = generator.choice((1, 4, 8, 12, 16)), _log(generator, 4, 256)
    inner = generator.choice((32, 64, 64, 80, 128, rows))
    columns = generator.choice((rows, rows, 64))
    return Sketch([("MatMul", "a b", "y", {})], {"a": (1, batch, rows, inner), "b": (1, batch, inner, columns)})


def _image(generator: random.Random) -> tuple[int, int, int, int] | None:
    batch, channels, width = generator.choice((1, 1, 2)), generator.choice(CHANNELS[2:]), generator.choice(WIDTHS)
    fits = batch * channels * width * width <= LARGEST_ELEMENTS
    return (batch, channels, width, width) if fits else None


def _sequence(generator: random.Random) -> tuple[int, int, int] | None:
    shape = generator.choice((1, 1, 4, 12)), _log(generator, 1, 512), generator.choice((*FEATURES, 197))
    return shape if math.prod(shape) <= LARGEST_ELEMENTS else None


def _any_shape(generator: random.Random) -> tuple[int, ...] | None:
    return _image(generator) if generator.random() < 0.5 else _sequence(generator)


def _unary(kinds: tuple[str, ...]) -> Callable[[random.Random], Sketch | None]:
    def sketch(generator: random.Random) -> Sketch | None:
        shape = _any_shape(generator)
        return None if shape is None else Sketch([(generator.choice(kinds), "x", "y", {})], {"x": shape})

    return sketch


def _binary(generator: random.Random) -> Sketch | None:
    shape = _any_shape(generator)
    if shape is None:
        return None
    kind = generator.choice(BINARY)
    if generator.random() < 0.3:
        return Sketch([(kind, "a w", "y", {})], {"a": shape}, {"w": shape[-1:]})
    return Sketch([(kind, "a b", "y", {})], {"a": shape, "b": shape})


def _batch_norm(generator: random.Random) -> Sketch | None:
    shape = _image(generator)
    if shape is None:
        return None
    nodes = _then(generator, [("BatchNormalization", "x s b m v", "y", {})])
    return Sketch(nodes, {"x": shape}, {name: (shape[1],) for name in "sbmv"})


def _layer_norm(generator: random.Random) -> Sketch | None:
    shape = _sequence(generator)
    return shape and Sketch(
        [("LayerNormalization", "x s b", "y", {"axis": -1})], {"x": shape}, {name: shape[-1:] for name in "sb"}
    )


def _softmax(generator: random.Random) -> Sketch | None:
    shape = _sequence(generator)
    return shape and Sketch([("Softmax", "x", "y", {"axis": -1})], {"x": shape})


def _reduce(generator: random.Random) -> Sketch | None:
    shape = _sequence(generator)
    return shape and Sketch([("ReduceMean", "x", "y", {"axes": [-1]})], {"x": shape})


def _pool(generator: random.Random) -> Sketch | None:
    shape = _image(generator)
    if shape is None:
        return None
    kind = generator.choice(("MaxPool", "MaxPool", "AveragePool", "GlobalAveragePool"))
    if kind == "GlobalAveragePool":
        return Sketch([(kind, "x", "y", {})], {"x": shape})
    kernel = generator.choice((2, 3))
    attributes = {"kernel_shape": [kernel] * 2, "strides": [generator.choice((1, 2))] * 2, "pads": [kernel // 3] * 4}
    return Sketch([(kind, "x", "y", attributes)], {"x": shape})


def _transpose(generator: random.Random) -> Sketch | None:
    heads = generator.choice((4, 8, 12, 16))
    shape = (1, _log(generator, 8, 512), heads, 64)
    return Sketch([("Transpose", "x", "y", {"perm": generator.choice(([0, 2, 1, 3], [0, 2, 3, 1]))})], {"x": shape})


def _concat(generator: random.Random) -> Sketch | None:
    shape = _image(generator)
    return shape and Sketch([("Concat", "a b", "y", {"axis": 1})], {"a": shape, "b": shape})


def _gather(generator: random.Random) -> Sketch | None:
    rows, width = _log(generator, 100, 30_000), generator.choice((64, 128, 384, 768))
    return Sketch(
        [("Gather", "w i", "y", {"axis": 0})], {"i": (1, _log(generator, 1, 512))}, {"w": (rows, width)},
        dtypes={"i": "int64"},
    )  # fmt: skip


_DESIGN: tuple[tuple[int, str, Callable[[random.Random], Sketch | None]], ...] = (
    (26, "Conv", _conv), (8, "Conv", _depthwise), (3, "ConvTranspose", _conv_transpose), (12, "MatMul", _matmul),
    (6, "Gemm", _gemm), (7, "MatMul", _batched), (5, "Relu", _unary(UNARY[:1])), (8, "Sigmoid", _unary(UNARY[1:])),
    (7, "Add", _binary), (5, "BatchNormalization", _batch_norm), (5, "LayerNormalization", _layer_norm),
    (6, "Softmax", _softmax), (4, "ReduceMean", _reduce), (6, "MaxPool", _pool), (4, "Transpose", _transpose),
    (3, "Concat", _concat), (2, "Gather", _gather),
)  # fmt: skip
"""Weight, the type whose use in a model calls for it, and how one is made."""
