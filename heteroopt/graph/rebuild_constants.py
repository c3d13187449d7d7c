"""Constants that steer an operator (axes, sizes, limits), found again from the shapes that it reads and writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.graph.graph import Operator

Constants = dict[str, NDArray[Any]]
Shapes = Mapping[str, tuple[str, tuple[int, ...]]]

BINARY = frozenset((
    "Add", "Sub", "Mul", "Div", "Pow", "Mod", "Min", "Max", "PRelu", "Equal", "Greater", "GreaterOrEqual", "Less",
    "LessOrEqual", "And", "Or", "Xor", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
))  # fmt: skip
REDUCE_AXES_INPUT = {"ReduceSum": 13}
"""Opset since which a reduction takes its axes as an input; 18 for the others."""


@dataclass
class Given:
    """One way to write a node: inputs with constants in their places, attributes, and bounds of integer inputs."""

    inputs: list[str]
    attributes: dict[str, Any]
    constants: Constants = field(default_factory=dict)
    highs: dict[str, int] = field(default_factory=dict)


@dataclass
class _Ask:
    opset: int
    op: Operator
    data: list[str]
    outputs: list[str]
    shapes: Shapes
    attributes: dict[str, Any]

    @property
    def read(self) -> tuple[int, ...]:
        return self.shapes[self.data[0]][1]

    @property
    def written(self) -> tuple[int, ...]:
        return self.shapes[self.outputs[0]][1]

    def give(self, *values: NDArray[Any] | None, data: Sequence[str] | None = None) -> Given:
        """The data inputs, then these constants; ``None`` leaves an optional input out."""
        names, constants = list(self.data if data is None else data), {}
        for value in values:
            names.append("" if value is None else f"c{self.op.index}_{len(names)}")
            if value is not None:
                constants[names[-1]] = value
        return Given(names, dict(self.attributes), constants)


def steering_constants(
    opset: int, op: Operator, data: list[str], outputs: list[str], shapes: Shapes, attributes: dict[str, Any]
) -> Iterator[Given]:
    """Ways to write the node with the data inputs in this order, the likeliest first."""
    ask = _Ask(opset, op, data, outputs, shapes, attributes)
    if op.domain in ("", "ai.onnx") and data:
        if op.op_type in BINARY and len(data) == 1:
            yield _scalar(ask)
            return
        if op.op_type.startswith("Reduce"):
            yield from _reduce(ask)
            return
        special = _SPECIAL.get(op.op_type)
        if special is not None:
            yield from special(ask)
            return
    yield Given(list(data), dict(attributes))


def _ints(values: Sequence[int]) -> NDArray[Any]:
    return np.array(values, np.int64)


def _scalar(ask: _Ask) -> Given:
    return ask.give(np.array(2, ask.shapes[ask.data[0]][0]))


def _reduce(ask: _Ask) -> Iterator[Given]:
    if "axes" in ask.attributes:
        yield Given(list(ask.data), dict(ask.attributes))
        return
    kept = len(ask.read) == len(ask.written)
    if kept:
        axes = [i for i, (a, b) in enumerate(zip(ask.read, ask.written, strict=True)) if a != b] or [len(ask.read) - 1]
        choices = [axes]
    else:
        n = len(ask.read) - len(ask.written)
        choices = [list(range(i, i + n)) for i in range(len(ask.read) - n, -1, -1)]
    for axes in choices:
        if ask.opset >= REDUCE_AXES_INPUT.get(ask.op.op_type, 18):
            yield ask.give(_ints(axes))
        else:
            yield Given(list(ask.data), {**ask.attributes, "axes": axes})


def _to_shape(ask: _Ask) -> Iterator[Given]:
    yield ask.give(_ints(ask.written), data=ask.data[:1])


def _axes_of_ones(ask: _Ask) -> Iterator[Given]:
    """Squeeze and Unsqueeze."""
    longer, shorter = (ask.read, ask.written) if ask.op.op_type == "Squeeze" else (ask.written, ask.read)
    axes, at = [], 0
    for position, size in enumerate(longer):
        if at < len(shorter) and shorter[at] == size:
            at += 1
        else:
            axes.append(position)
    if "axes" in ask.attributes or ask.opset < 13:
        yield Given(list(ask.data), {"axes": axes})
    else:
        yield ask.give(_ints(axes), data=ask.data[:1])


def _slice(ask: _Ask) -> Iterator[Given]:
    if "starts" in ask.attributes or len(ask.read) != len(ask.written):
        yield Given(list(ask.data), dict(ask.attributes))
        return
    axes = [i for i, (a, b) in enumerate(zip(ask.read, ask.written, strict=True)) if a != b] or [0]
    yield ask.give(_ints([0] * len(axes)), _ints([ask.written[i] for i in axes]), _ints(axes), data=ask.data[:1])


def _split(ask: _Ask) -> Iterator[Given]:
    axis = int(ask.attributes.get("axis", 0))
    sizes = [ask.shapes[name][1][axis] for name in ask.outputs]
    if ask.opset >= 13 and "num_outputs" not in ask.attributes:
        yield ask.give(_ints(sizes), data=ask.data[:1])
    else:
        yield Given(ask.data[:1], dict(ask.attributes))


def _pad(ask: _Ask) -> Iterator[Given]:
    if "pads" in ask.attributes or len(ask.read) != len(ask.written):
        yield Given(list(ask.data), dict(ask.attributes))
        return
    more = [b - a for a, b in zip(ask.read, ask.written, strict=True)]
    yield ask.give(_ints([m // 2 for m in more] + [m - m // 2 for m in more]), data=ask.data[:1])


def _resize(ask: _Ask) -> Iterator[Given]:
    if ask.op.op_type == "Upsample" or ask.opset < 11:
        scales = np.array([b / a for a, b in zip(ask.read, ask.written, strict=True)], np.float32)
        yield ask.give(scales, data=ask.data[:1])
    elif ask.opset >= 13:
        yield ask.give(None, None, _ints(ask.written), data=ask.data[:1])
    else:
        empty = np.zeros(0, np.float32)
        yield ask.give(empty, empty, _ints(ask.written), data=ask.data[:1])


def _tile(ask: _Ask) -> Iterator[Given]:
    if len(ask.read) == len(ask.written):
        yield ask.give(_ints([b // max(1, a) for a, b in zip(ask.read, ask.written, strict=True)]), data=ask.data[:1])


def _topk(ask: _Ask) -> Iterator[Given]:
    axis = int(ask.attributes.get("axis", -1))
    yield ask.give(_ints([ask.written[axis]]), data=ask.data[:1])


def _clip(ask: _Ask) -> Iterator[Given]:
    if ask.opset < 11 or len(ask.data) > 1:
        yield Given(list(ask.data), dict(ask.attributes))
    else:
        kind = ask.shapes[ask.data[0]][0]
        yield ask.give(np.array(0, kind), np.array(6, kind))


def _gather(ask: _Ask) -> Iterator[Given]:
    given = Given(list(ask.data), dict(ask.attributes))
    if len(ask.data) == 1:
        axis = int(ask.attributes.get("axis", 0))
        missing = len(ask.read) - len(ask.written)
        index = np.array(0, np.int64) if missing == 1 else _ints([0] * ask.written[axis])
        yield ask.give(index)
        return
    if ask.read:
        given.highs[ask.data[1]] = max(1, ask.read[int(ask.attributes.get("axis", 0)) % len(ask.read)])
    yield given


def _where(ask: _Ask) -> Iterator[Given]:
    kind = ask.shapes[ask.outputs[0]][0]
    numbers = [name for name in ask.data if ask.shapes[name][0] != "bool" or kind == "bool"]
    if len(ask.data) == 3:
        yield Given(list(ask.data), dict(ask.attributes))
    elif len(ask.data) == 2 and len(numbers) == 1:
        given = ask.give(np.array(0, kind))
        yield given
        yield Given([given.inputs[0], given.inputs[2], given.inputs[1]], given.attributes, given.constants)


def _cumsum(ask: _Ask) -> Iterator[Given]:
    yield ask.give(np.array(len(ask.read) - 1, np.int64), data=ask.data[:1])


def _quantise(ask: _Ask) -> Iterator[Given]:
    """Scale and zero point of one value for the whole tensor, where they are not among the data."""
    if len(ask.data) > 1:
        yield Given(list(ask.data), dict(ask.attributes))
        return
    narrow = ask.shapes[ask.outputs[0] if ask.op.op_type == "QuantizeLinear" else ask.data[0]][0]
    yield ask.give(np.array(0.1, np.float32), np.array(0, narrow))


def _batch_norm(ask: _Ask) -> Iterator[Given]:
    """Scales of few channels count as constants of the graph."""
    if len(ask.data) == 1 and len(ask.read) > 1:
        yield ask.give(*[np.ones(ask.read[1], ask.shapes[ask.data[0]][0])] * 4)
    else:
        yield Given(list(ask.data), dict(ask.attributes))


_SPECIAL: dict[str, Callable[[_Ask], Iterator[Given]]] = {
    "Reshape": _to_shape, "Expand": _to_shape, "Squeeze": _axes_of_ones, "Unsqueeze": _axes_of_ones, "Slice": _slice,
    "Split": _split, "Pad": _pad, "Resize": _resize, "Upsample": _resize, "Tile": _tile, "TopK": _topk, "Clip": _clip,
    "Gather": _gather, "GatherElements": _gather, "Where": _where, "CumSum": _cumsum, "QuantizeLinear": _quantise,
    "DequantizeLinear": _quantise, "BatchNormalization": _batch_norm,
}  # fmt: skip
