"""The operators of a training graph: for each its dimension map, and what it computes on a device's own parts (numpy).

The numpy part is the definition: run on the shards of any legal annotation, the results are the shards of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.training.annotations import Box, Shape
from heteroopt.training.dimension_map import DimensionMap, Label, Linearity
from heteroopt.training.errors import TrainingError

Array = NDArray[Any]
Attributes = Mapping[str, Any]


@dataclass(frozen=True)
class Local:
    """What a device computes with: its parts of the inputs, where they lie (``boxes``), and the whole shapes."""

    inputs: tuple[Array, ...]
    boxes: tuple[Box, ...]
    shapes: tuple[Shape, ...]
    attributes: Attributes


@dataclass(frozen=True)
class Rule:
    """An operator type: ``dimensions(shapes, attributes)`` and ``compute(local) -> outputs``."""

    name: str
    dimensions: Callable[[Sequence[Shape], Attributes], DimensionMap]
    compute: Callable[[Local], tuple[Array, ...]]


RULES: dict[str, Rule] = {}


def output_shapes(dimensions: DimensionMap) -> tuple[Shape, ...]:
    """Return the outputs' shapes."""
    return tuple(
        tuple(math.prod(dimensions.sizes[label] for label in parts) for parts in labels)
        for labels in dimensions.outputs
    )


def mapped(
    spec: str,
    shapes: Sequence[Shape],
    *,
    linearity: Linearity = Linearity.NONE,
    whole: str = "",
    extra: Mapping[str, int] | None = None,
) -> DimensionMap:
    """Return the map of ``spec``, for example ``"b m k, k n -> b m n"``.

    A label that only inputs carry is summed unless it is in ``whole`` (labels with spaces between). ``extra``: sizes
    of labels that only outputs carry.
    """
    left, right = spec.split("->")
    inputs = tuple(tuple((label,) for label in one.split()) for one in left.split(","))
    outputs = tuple(tuple((label,) for label in one.split()) for one in right.split(","))
    sizes: dict[Label, int] = dict(extra or {})
    for labels, shape in zip(inputs, shapes, strict=True):
        if len(labels) != len(shape):
            raise _shapes(f"{len(shape)} dimensions where {len(labels)} are needed", shapes)
        for (label,), length in zip(labels, shape, strict=True):
            if sizes.setdefault(label, length) != length:
                raise _shapes(f"{length} where {sizes[label]} is needed", shapes)
    kept = {label for labels in outputs for parts in labels for label in parts}
    stays = frozenset(whole.split())
    seen = {label for labels in inputs for parts in labels for label in parts}
    return DimensionMap(inputs, outputs, sizes, linearity, stays, frozenset(seen - kept - stays))


def _shapes(says: str, shapes: Sequence[Shape]) -> TrainingError:
    return TrainingError(
        "training_shapes",
        f"The inputs' shapes do not fit together: {says} (shapes {', '.join(map(str, shapes))}).",
        hint="Compare the shapes with what the operator takes.",
        says=says,
        shapes=[list(shape) for shape in shapes],
    )


def _define(
    name: str,
    dimensions: Callable[[Sequence[Shape], Attributes], DimensionMap],
    compute: Callable[[Local], tuple[Array, ...]],
) -> None:
    RULES[name] = Rule(name, dimensions, compute)


# Elementwise, with numpy's broadcasting.


def _elementwise(linearity: Linearity) -> Callable[[Sequence[Shape], Attributes], DimensionMap]:
    def dimensions(shapes: Sequence[Shape], _attributes: Attributes) -> DimensionMap:
        try:
            result = np.broadcast_shapes(*shapes)
        except ValueError as error:
            raise _shapes("they do not broadcast", shapes) from error
        names = [f"d{position}" for position in range(len(result))]
        sizes: dict[Label, int] = dict(zip(names, result, strict=True))
        sizes["one"] = 1
        inputs = tuple(
            tuple(
                ("one",) if length == 1 else (names[len(result) - len(shape) + position],)
                for position, length in enumerate(shape)
            )
            for shape in shapes
        )
        return DimensionMap(inputs, (tuple((name,) for name in names),), sizes, linearity)

    return dimensions


def _apply(function: Callable[..., Array]) -> Callable[[Local], tuple[Array, ...]]:
    return lambda local: (function(*local.inputs),)


def _gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3))))


def _sigmoid(x: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-x)))


for _name, _function, _linearity in (
    ("add", np.add, Linearity.TOGETHER),
    ("subtract", np.subtract, Linearity.TOGETHER),
    ("multiply", np.multiply, Linearity.EACH),
    ("divide", np.divide, Linearity.FIRST),
    ("maximum", np.maximum, Linearity.NONE),
    ("negate", np.negative, Linearity.EACH),
    ("identity", np.array, Linearity.EACH),
    ("exp", np.exp, Linearity.NONE),
    ("tanh", np.tanh, Linearity.NONE),
    ("sigmoid", _sigmoid, Linearity.NONE),
    ("relu", lambda x: np.maximum(x, 0), Linearity.NONE),
    ("gelu", _gelu, Linearity.NONE),
    ("silu", lambda x: x * _sigmoid(x), Linearity.NONE),
    ("where", np.where, Linearity.NONE),
):
    _define(_name, _elementwise(_linearity), _apply(_function))

_define("scale", _elementwise(Linearity.EACH), lambda local: (local.inputs[0] * local.attributes["factor"],))


def _adam(local: Local) -> tuple[Array, ...]:
    """One step of Adam without bias correction: weights, gradient, first and second moment in; the new ones out."""
    weight, gradient, mean, square = local.inputs
    rate, beta1, beta2 = (local.attributes.get(k, v) for k, v in (("rate", 1e-3), ("beta1", 0.9), ("beta2", 0.999)))
    mean = beta1 * mean + (1 - beta1) * gradient
    square = beta2 * square + (1 - beta2) * gradient**2
    return weight - rate * mean / (np.sqrt(square) + 1e-8), mean, square


def _adam_dimensions(shapes: Sequence[Shape], attributes: Attributes) -> DimensionMap:
    if len(set(shapes)) != 1:
        raise _shapes("the weight, its gradient and its moments have one shape", shapes)
    one = _elementwise(Linearity.NONE)(shapes, attributes)
    return DimensionMap(one.inputs, one.outputs * 3, one.sizes)


_define("adam_step", _adam_dimensions, _adam)


# Products.


def _matmul_dimensions(shapes: Sequence[Shape], _attributes: Attributes) -> DimensionMap:
    left, right = shapes
    if len(left) < 2 or len(right) < 2 or left[-1] != right[-2]:
        raise _shapes("the inner dimensions differ, or there are fewer than two", shapes)
    batch = _elementwise(Linearity.EACH)([left[:-2], right[:-2]], {})
    return DimensionMap(
        ((*batch.inputs[0], ("m",), ("k",)), (*batch.inputs[1], ("k",), ("n",))),
        ((*batch.outputs[0], ("m",), ("n",)),),
        {**batch.sizes, "m": left[-2], "k": left[-1], "n": right[-1]},
        Linearity.EACH,
        summed=frozenset("k"),
    )


_define("matmul", _matmul_dimensions, _apply(np.matmul))


def _einsum_dimensions(shapes: Sequence[Shape], attributes: Attributes) -> DimensionMap:
    return mapped(attributes["spec"], shapes, linearity=Linearity.EACH)


def _einsum(local: Local) -> tuple[Array, ...]:
    left, right = local.attributes["spec"].split("->")
    letters: dict[str, str] = {}
    for label in (left.replace(",", " ") + right).split():
        letters.setdefault(label, chr(ord("a") + len(letters)))
    joined = [",".join("".join(letters[x] for x in one.split()) for one in side.split(",")) for side in (left, right)]
    return (np.einsum(f"{joined[0]}->{joined[1]}", *local.inputs),)


_define("einsum", _einsum_dimensions, _einsum)


# Dimensions moved about.


def _transpose_dimensions(shapes: Sequence[Shape], attributes: Attributes) -> DimensionMap:
    names = [f"d{position}" for position in range(len(shapes[0]))]
    order = [names[position] for position in attributes["order"]]
    return mapped(f"{' '.join(names)} -> {' '.join(order)}", shapes, linearity=Linearity.EACH)


_define(
    "transpose",
    _transpose_dimensions,
    lambda local: (np.transpose(local.inputs[0], local.attributes["order"]),),
)


def reshape_dimensions(shapes: Sequence[Shape], attributes: Attributes) -> DimensionMap:
    """Cut both shapes into common factors, so that a cut of one is known as a cut of the other."""
    source, target = shapes[0], tuple(attributes["shape"])
    if math.prod(source) != math.prod(target):
        raise _shapes(f"{source} cannot become {target}", shapes)
    sizes: dict[Label, int] = {}
    whole: set[Label] = set()
    left: list[list[Label]] = [[] for _ in source]
    right: list[list[Label]] = [[] for _ in target]
    i = j = 0
    a, b = 1, 1
    while i < len(source) or j < len(target) or a > 1 or b > 1:
        if a == 1 and i < len(source):
            a, i = source[i], i + 1
        if b == 1 and j < len(target):
            b, j = target[j], j + 1
        if a == 1 or b == 1:
            if a == b:
                continue
            if (a == 1 and i == len(source)) or (b == 1 and j == len(target)):
                break
            continue
        factor = math.gcd(a, b)
        small = min(a, b)
        if factor != small:
            # No cut of the one is a cut of the other from here until the products meet again.
            first_i, first_j = i, j
            while a != b:
                if a < b:
                    a, i = a * source[i], i + 1
                else:
                    b, j = b * target[j], j + 1
            for side, labels, begin, end, shape in (
                ("s", left, first_i, i, source),
                ("t", right, first_j, j, target),
            ):
                for position in range(begin - 1, end):
                    label = f"{side}{position}"
                    sizes[label] = shape[position] // math.prod(sizes[one] for one in labels[position])
                    labels[position].append(label)
                    whole.add(label)
            a = b = 1
            continue
        label = f"f{len(sizes)}"
        sizes[label] = small
        left[i - 1].append(label)
        right[j - 1].append(label)
        a, b = a // small, b // small
    return DimensionMap(
        (tuple(map(tuple, left)),), (tuple(map(tuple, right)),), sizes, Linearity.EACH, frozenset(whole)
    )


def _reshape(local: Local) -> tuple[Array, ...]:
    """A device's share keeps the proportions: the local target shape follows from the labels' local sizes."""
    dimensions = reshape_dimensions(local.shapes, local.attributes)
    sizes = dict(dimensions.sizes)
    for parts, (low, high) in zip(dimensions.inputs[0], local.boxes[0], strict=True):
        left = high - low
        for label in reversed(parts):
            sizes[label] = left if label == parts[0] else min(left, sizes[label])
            left //= sizes[label]
    target = [math.prod(sizes[label] for label in parts) for parts in dimensions.outputs[0]]
    return (np.reshape(local.inputs[0], target),)


_define("reshape", reshape_dimensions, _reshape)


def _expand_dimensions(shapes: Sequence[Shape], attributes: Attributes) -> DimensionMap:
    target = tuple(attributes["shape"])
    one = _elementwise(Linearity.EACH)([shapes[0], target], {})
    return DimensionMap(one.inputs[:1], one.outputs, one.sizes, Linearity.EACH)


def _expand(local: Local) -> tuple[Array, ...]:
    target = list(local.attributes["shape"])
    offset = len(target) - len(local.shapes[0])
    for position, (whole, (low, high)) in enumerate(zip(local.shapes[0], local.boxes[0], strict=True)):
        if whole > 1:
            target[offset + position] = high - low
    return (np.broadcast_to(local.inputs[0], target).copy(),)


_define("expand", _expand_dimensions, _expand)


def _concat_dimensions(shapes: Sequence[Shape], attributes: Attributes) -> DimensionMap:
    axis = attributes["axis"]
    names = [f"d{position}" for position in range(len(shapes[0]))]
    sides = [" ".join(f"c{k}" if d == axis else name for d, name in enumerate(names)) for k in range(len(shapes))]
    result = " ".join("c" if d == axis else name for d, name in enumerate(names))
    whole = " ".join(["c", *(f"c{k}" for k in range(len(shapes)))])
    total = sum(shape[axis] for shape in shapes)
    return mapped(
        f"{', '.join(sides)} -> {result}", shapes, linearity=Linearity.TOGETHER, whole=whole, extra={"c": total}
    )


_define("concat", _concat_dimensions, lambda local: (np.concatenate(local.inputs, local.attributes["axis"]),))


def _slice_dimensions(shapes: Sequence[Shape], attributes: Attributes) -> DimensionMap:
    axis = attributes["axis"]
    names = [f"d{position}" for position in range(len(shapes[0]))]
    result = ["c" if d == axis else name for d, name in enumerate(names)]
    return mapped(
        f"{' '.join(names)} -> {' '.join(result)}",
        shapes,
        linearity=Linearity.EACH,
        whole=f"c {names[axis]}",
        extra={"c": attributes["stop"] - attributes["start"]},
    )


def _slice(local: Local) -> tuple[Array, ...]:
    index = [slice(None)] * local.inputs[0].ndim
    index[local.attributes["axis"]] = slice(local.attributes["start"], local.attributes["stop"])
    return (local.inputs[0][tuple(index)],)


_define("slice", _slice_dimensions, _slice)


# Reductions and what needs a dimension whole.


def _reduction(linearity: Linearity, summed: bool) -> Callable[[Sequence[Shape], Attributes], DimensionMap]:
    def dimensions(shapes: Sequence[Shape], attributes: Attributes) -> DimensionMap:
        names = [f"d{position}" for position in range(len(shapes[0]))]
        kept = [name for position, name in enumerate(names) if position not in attributes["axes"]]
        gone = [name for name in names if name not in kept]
        spec = f"{' '.join(names)} -> {' '.join(kept)}"
        return mapped(spec, shapes, linearity=linearity, whole="" if summed else " ".join(gone))

    return dimensions


def _reduce_mean(local: Local) -> tuple[Array, ...]:
    axes = tuple(local.attributes["axes"])
    return (np.sum(local.inputs[0], axes) / math.prod(local.shapes[0][axis] for axis in axes),)


_define("reduce_sum", _reduction(Linearity.EACH, True), lambda x: (np.sum(x.inputs[0], tuple(x.attributes["axes"])),))
_define("reduce_mean", _reduction(Linearity.EACH, True), _reduce_mean)
_define("reduce_max", _reduction(Linearity.NONE, False), lambda x: (np.max(x.inputs[0], tuple(x.attributes["axes"])),))
_define(
    "sum_of_squares",
    _reduction(Linearity.NONE, True),
    lambda x: (np.sum(x.inputs[0] ** 2, tuple(x.attributes["axes"])),),
)


def _last_whole(count: int) -> Callable[[Sequence[Shape], Attributes], DimensionMap]:
    """The first input has any number of dimensions; the others have the last one, which stays whole."""

    def dimensions(shapes: Sequence[Shape], _attributes: Attributes) -> DimensionMap:
        names = [f"d{position}" for position in range(len(shapes[0]) - 1)]
        row = " ".join([*names, "h"])
        return mapped(f"{', '.join([row] + ['h'] * (count - 1))} -> {row}", shapes, whole="h")

    return dimensions


def softmax(x: Array) -> Array:
    """Softmax over the last dimension."""
    raised = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


def _layer_norm(x: Array, scale: Array, bias: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale + bias)


def _rms_norm(x: Array, scale: Array) -> Array:
    return np.asarray(x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * scale)


_define("softmax", _last_whole(1), _apply(softmax))
_define("layer_norm", _last_whole(3), _apply(_layer_norm))
_define("rms_norm", _last_whole(2), _apply(_rms_norm))


def _rotary_dimensions(shapes: Sequence[Shape], _attributes: Attributes) -> DimensionMap:
    return mapped("b n s d, s d, s d -> b n s d", shapes, whole="d")


def _rotary(x: Array, cosine: Array, sine: Array) -> Array:
    half = x.shape[-1] // 2
    return np.asarray(x * cosine + np.concatenate([-x[..., half:], x[..., :half]], -1) * sine)


_define("rotary", _rotary_dimensions, _apply(_rotary))


def _attention_dimensions(shapes: Sequence[Shape], _attributes: Attributes) -> DimensionMap:
    return mapped("b n s d, b n t d, b n t e -> b n s e", shapes, whole="s t d e")


def _attention(local: Local) -> tuple[Array, ...]:
    query, key, value = local.inputs
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(query.shape[-1])
    if local.attributes.get("causal", True):
        rows, columns = scores.shape[-2:]
        scores = np.where(np.tri(rows, columns, columns - rows, dtype=bool), scores, -np.inf)
    return (softmax(scores) @ value,)


_define("attention", _attention_dimensions, _attention)


def _embedding_dimensions(shapes: Sequence[Shape], _attributes: Attributes) -> DimensionMap:
    names = " ".join(f"d{position}" for position in range(len(shapes[1])))
    return mapped(f"v h, {names} -> {names} h", shapes, linearity=Linearity.FIRST)


def _embedding(local: Local) -> tuple[Array, ...]:
    """A device with a part of the vocabulary gives zeros for the other tokens: the sum over devices is the row."""
    table, tokens = local.inputs
    low, high = local.boxes[0][0]
    mine = (tokens >= low) & (tokens < high)
    return (np.where(mine[..., None], table[np.where(mine, tokens - low, 0)], 0),)


_define("embedding", _embedding_dimensions, _embedding)


def _cross_entropy_dimensions(shapes: Sequence[Shape], _attributes: Attributes) -> DimensionMap:
    names = " ".join(f"d{position}" for position in range(len(shapes[1])))
    return mapped(f"{names} v, {names} -> {names}", shapes, whole="v")


def _cross_entropy(logits: Array, targets: Array) -> Array:
    top = logits.max(-1)
    total = np.log(np.exp(logits - top[..., None]).sum(-1)) + top
    return np.asarray(total - np.take_along_axis(logits, targets[..., None], -1)[..., 0])


_define("cross_entropy", _cross_entropy_dimensions, _apply(_cross_entropy))
