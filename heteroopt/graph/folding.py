"""Values of small constants, computed with numpy and no runtime session.

Each rule takes the attributes, the inputs (``None`` where one is left out) and the opset, and returns the
outputs. The caller has inferred the output shapes before and calls only when they are small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from heteroopt.graph.attributes import Attributes
from heteroopt.graph.values import Array

Inputs = Sequence[Array | None]
Rule = Callable[[Attributes, list[Any], int], Any]


def _axes(attributes: Attributes, inputs: list[Any], position: int) -> tuple[int, ...] | None:
    if len(inputs) > position and inputs[position] is not None:
        return tuple(int(axis) for axis in np.ravel(inputs[position]))
    axes = attributes.get("axes")
    return None if axes is None else tuple(axes)


def _unsqueeze(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
    return np.expand_dims(inputs[0], _axes(attributes, inputs, 1) or ())


def _squeeze(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
    return np.squeeze(inputs[0], _axes(attributes, inputs, 1))


def _reshape(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
    source = inputs[0]
    wanted = attributes["shape"] if len(inputs) < 2 else [int(size) for size in inputs[1]]
    if not attributes.get("allowzero", 0):
        wanted = [source.shape[i] if size == 0 else size for i, size in enumerate(wanted)]
    return source.reshape(wanted)


def _slice(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
    source = inputs[0]
    if "starts" in attributes:
        starts, ends = attributes["starts"], attributes["ends"]
        axes, steps = attributes.get("axes"), None
    else:
        starts, ends = inputs[1], inputs[2]
        axes = inputs[3] if len(inputs) > 3 else None
        steps = inputs[4] if len(inputs) > 4 else None
    selection = [slice(None)] * source.ndim
    for i in range(len(starts)):
        axis = int(axes[i]) if axes is not None else i
        step = int(steps[i]) if steps is not None else 1
        end: int | None = int(ends[i])
        if step < 0 and end is not None and end < -source.shape[axis]:
            end = None
        selection[axis] = slice(int(starts[i]), end, step)
    return source[tuple(selection)]


def _split(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
    source, axis = inputs[0], attributes.get("axis", 0)
    sizes = attributes.get("split") if len(inputs) < 2 or inputs[1] is None else [int(n) for n in inputs[1]]
    if sizes is None:
        count = attributes.get("num_outputs") or attributes["__outputs__"]
        chunk = -(-source.shape[axis] // count)
        sizes = [min(chunk, source.shape[axis] - i * chunk) for i in range(count)]
    return tuple(np.split(source, np.cumsum(sizes)[:-1], axis=axis))


def _cast(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
    from onnx.helper import tensor_dtype_to_np_dtype

    return inputs[0].astype(tensor_dtype_to_np_dtype(attributes["to"]))


def _divide(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
    left, right = inputs
    if np.issubdtype(np.result_type(left, right), np.integer):
        quotient = np.abs(left) // np.maximum(np.abs(right), 1)
        return (np.sign(left) * np.sign(right) * quotient).astype(left.dtype)
    return left / right


def _modulo(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
    return np.fmod(*inputs) if attributes.get("fmod", 0) else np.mod(*inputs)


def _range(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
    start, limit, delta = (item.reshape(()) for item in inputs)
    return np.arange(start, limit, delta, dtype=start.dtype)


def _expand(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
    shape = np.broadcast_shapes(inputs[0].shape, tuple(int(size) for size in inputs[1]))
    return np.broadcast_to(inputs[0], shape)


def _constant_of_shape(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
    from onnx.numpy_helper import to_array

    value = to_array(attributes["value"]).reshape(-1) if "value" in attributes else np.zeros(1, np.float32)
    return np.full(tuple(int(size) for size in inputs[0]), value[0], dtype=value.dtype)


def _reduce(function: Any) -> Rule:
    def rule(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
        axes = _axes(attributes, inputs, 1)
        if not axes and attributes.get("noop_with_empty_axes", 0):
            return inputs[0]
        result = function(inputs[0], axis=axes or None, keepdims=bool(attributes.get("keepdims", 1)))
        return np.asarray(result, dtype=inputs[0].dtype)

    return rule


def _variadic(function: Any) -> Rule:
    def rule(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
        result = inputs[0]
        for item in inputs[1:]:
            result = function(result, item)
        return result

    return rule


def _elementwise(function: Any) -> Rule:
    return lambda attributes, inputs, opset: function(*inputs)


def _gather_elements(attributes: Attributes, inputs: list[Any], opset: int) -> Any:
    axis = attributes.get("axis", 0)
    index = np.where(inputs[1] < 0, inputs[1] + inputs[0].shape[axis], inputs[1])
    return np.take_along_axis(inputs[0], index, axis)


RULES: dict[str, Rule] = {
    "Identity": lambda attributes, inputs, opset: inputs[0],
    "Shape": lambda attributes, inputs, opset: np.array(
        inputs[0].shape[slice(attributes.get("start", 0), attributes.get("end"))], np.int64
    ),
    "Size": lambda attributes, inputs, opset: np.array(inputs[0].size, np.int64),
    "Gather": lambda attributes, inputs, opset: np.take(inputs[0], inputs[1], axis=attributes.get("axis", 0)),
    "GatherElements": _gather_elements,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Concat": lambda attributes, inputs, opset: np.concatenate(inputs, axis=attributes.get("axis", 1)),
    "Slice": _slice,
    "Split": _split,
    "Cast": _cast,
    "CastLike": lambda attributes, inputs, opset: inputs[0].astype(inputs[1].dtype),
    "Add": _elementwise(np.add),
    "Sub": _elementwise(np.subtract),
    "Mul": _elementwise(np.multiply),
    "Div": _divide,
    "Mod": _modulo,
    "Pow": lambda attributes, inputs, opset: np.power(inputs[0], inputs[1]).astype(inputs[0].dtype),
    "Neg": _elementwise(np.negative),
    "Abs": _elementwise(np.abs),
    "Sqrt": _elementwise(np.sqrt),
    "Reciprocal": lambda attributes, inputs, opset: (1 / inputs[0]).astype(inputs[0].dtype),
    "Exp": _elementwise(np.exp),
    "Log": _elementwise(np.log),
    "Sin": _elementwise(np.sin),
    "Cos": _elementwise(np.cos),
    "Floor": _elementwise(np.floor),
    "Ceil": _elementwise(np.ceil),
    "Round": _elementwise(np.rint),
    "Sign": _elementwise(np.sign),
    "Min": _variadic(np.minimum),
    "Max": _variadic(np.maximum),
    "Sum": _variadic(np.add),
    "Equal": _elementwise(np.equal),
    "Less": _elementwise(np.less),
    "LessOrEqual": _elementwise(np.less_equal),
    "Greater": _elementwise(np.greater),
    "GreaterOrEqual": _elementwise(np.greater_equal),
    "And": _elementwise(np.logical_and),
    "Or": _elementwise(np.logical_or),
    "Xor": _elementwise(np.logical_xor),
    "Not": _elementwise(np.logical_not),
    "Where": _elementwise(np.where),
    "Reshape": _reshape,
    "Flatten": lambda attributes, inputs, opset: inputs[0].reshape(
        int(np.prod(inputs[0].shape[: attributes.get("axis", 1)], dtype=np.int64)), -1
    ),
    "Range": _range,
    "Expand": _expand,
    "Tile": lambda attributes, inputs, opset: np.tile(inputs[0], [int(n) for n in inputs[1]]),
    "Transpose": lambda attributes, inputs, opset: np.transpose(inputs[0], attributes.get("perm")),
    "ConstantOfShape": _constant_of_shape,
    "ReduceProd": _reduce(np.prod),
    "ReduceSum": _reduce(np.sum),
    "ReduceMax": _reduce(np.max),
    "ReduceMin": _reduce(np.min),
    "NonZero": lambda attributes, inputs, opset: np.array(np.nonzero(inputs[0]), np.int64),
    "Trilu": lambda attributes, inputs, opset: (np.triu if attributes.get("upper", 1) else np.tril)(
        inputs[0], int(inputs[1]) if len(inputs) > 1 else 0
    ),
}


def fold(op_type: str, attributes: Attributes, inputs: Inputs, opset: int, outputs: int) -> tuple[Array, ...] | None:
    """The outputs of an operator on known inputs, or ``None`` where there is no rule or it does not apply."""
    rule = RULES.get(op_type)
    if rule is None:
        return None
    try:
        with np.errstate(all="ignore"):
            result = rule({**attributes, "__outputs__": outputs}, list(inputs), opset)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError, ZeroDivisionError):
        return None
    return result if isinstance(result, tuple) else (np.asarray(result),)
