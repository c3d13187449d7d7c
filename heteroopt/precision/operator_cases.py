"""Single-operator programs with seeded inputs from each operator's own domain, for comparing two runtimes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

OPSET = 18
IR_VERSION = 8

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Operands:
    """What one operator is run on. ``reduction_length``: how many products or terms make one element of the result.

    Floating-point arrays are float64 here; the program gets them in its own precision.
    """

    inputs: dict[str, Array]
    reduction_length: int = 1
    attributes: dict[str, Any] = field(default_factory=dict)
    outputs: tuple[str, ...] = ("y",)
    omitted: frozenset[str] = frozenset()
    """Names of inputs that the operator is given as empty ones."""


@dataclass(frozen=True, slots=True)
class OperatorCase:
    """A program of one operator, its inputs in float32, and its results in float64 from the standard's own evaluator.

    ``key`` names it for good: the same seed and key are the same case in every run.
    """

    key: str
    op_type: str
    reduction_length: int
    model: bytes
    inputs: dict[str, Array]
    reference: dict[str, Array]

    @property
    def outputs(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Type and shape of every result."""
        return {
            name: ("float32" if array.dtype.kind == "f" else str(array.dtype), array.shape)
            for name, array in self.reference.items()
        }


Maker = Callable[[np.random.Generator, int], Operands]
"""Makes operands from random numbers and a size from 0 (tiny) to 4 (some 100,000 numbers)."""

_SIDE = (3, 8, 17, 32, 65)
_LENGTH = (4, 16, 64, 256, 1024)


def _shape(rng: np.random.Generator, size: int) -> tuple[int, ...]:
    side = _SIDE[size]
    return ((side,), (2, side), (2, 3, side), (1, 4, side, side), (2, 3, side, side))[int(rng.integers(0, 5))]


def _unary(low: float, high: float, **attributes: Any) -> Maker:
    def make(rng: np.random.Generator, size: int) -> Operands:
        return Operands({"x": rng.uniform(low, high, _shape(rng, size))}, attributes=attributes)

    return make


def _normal(scale: float = 2.0, **attributes: Any) -> Maker:
    def make(rng: np.random.Generator, size: int) -> Operands:
        return Operands({"x": rng.normal(0, scale, _shape(rng, size))}, attributes=attributes)

    return make


def _binary(low: float, high: float, low_b: float | None = None, high_b: float | None = None) -> Maker:
    def make(rng: np.random.Generator, size: int) -> Operands:
        shape = _shape(rng, size)
        second = shape if rng.random() < 0.5 else (1,) * (len(shape) - 1) + shape[-1:]
        lowest, highest = (low if low_b is None else low_b), (high if high_b is None else high_b)
        return Operands({"a": rng.uniform(low, high, shape), "b": rng.uniform(lowest, highest, second)})

    return make


def _matmul(rng: np.random.Generator, size: int) -> Operands:
    n, k, m = int(rng.integers(1, 33)), _LENGTH[size], int(rng.integers(1, 33))
    batch = () if rng.random() < 0.5 else (2,)
    return Operands({"a": rng.normal(size=(*batch, n, k)), "b": rng.normal(size=(*batch, k, m))}, k)


def _gemm(rng: np.random.Generator, size: int) -> Operands:
    n, k, m = int(rng.integers(1, 33)), _LENGTH[size], int(rng.integers(1, 33))
    b = rng.normal(size=(m, k)) if size % 2 else rng.normal(size=(k, m))
    attributes = {"transB": 1} if size % 2 else {"alpha": 0.5, "beta": 2.0}
    return Operands({"a": rng.normal(size=(n, k)), "b": b, "c": rng.normal(size=m)}, k, attributes)


def _conv(group: bool = False) -> Maker:
    def make(rng: np.random.Generator, size: int) -> Operands:
        channels, kernel = (2, 4, 8, 16, 32)[size], int(rng.integers(1, 4))
        side = kernel + (2, 4, 6, 6, 8)[size]
        groups = channels if group else 1
        x, w = (
            rng.normal(size=(1, channels, side, side)),
            rng.normal(size=(channels, channels // groups, kernel, kernel)),
        )
        attributes = {"group": groups, "strides": [1 + size % 2] * 2, "pads": [kernel // 2] * 4}
        operands = {"x": x, "w": w, "b": rng.normal(size=channels)}
        return Operands(operands, channels // groups * kernel * kernel, attributes)

    return make


def _conv_transpose(rng: np.random.Generator, size: int) -> Operands:
    channels, side = (1, 2, 4, 8, 16)[size], (3, 4, 5, 6, 7)[size]
    inputs = {"x": rng.normal(size=(1, channels, side, side)), "w": rng.normal(size=(channels, 3, 3, 3))}
    return Operands(inputs, channels * 9, {"strides": [2, 2], "pads": [1, 1, 1, 1]})


def _over_axis(longest: bool = True, low: float | None = None, **attributes: Any) -> Maker:
    def make(rng: np.random.Generator, size: int) -> Operands:
        length = _LENGTH[size]
        x = rng.normal(0, 2, (4, length)) if low is None else rng.uniform(low, 2.0, (4, length))
        return Operands({"x": x}, length, {"axis": -1, **attributes} if longest else attributes)

    return make


def _reduce(low: float | None = None) -> Maker:
    def make(rng: np.random.Generator, size: int) -> Operands:
        length = _LENGTH[size]
        x = rng.normal(0, 1, (5, length)) if low is None else rng.uniform(low, 1.5, (5, length))
        return Operands({"x": x, "axes": np.array([1], np.int64)}, length, {"keepdims": size % 2})

    return make


def _reduce_sum(rng: np.random.Generator, size: int) -> Operands:
    length = _LENGTH[size]
    return Operands({"x": rng.normal(size=(5, length)), "axes": np.array([1], np.int64)}, length, {"keepdims": 0})


def _reduce_product(rng: np.random.Generator, size: int) -> Operands:
    length = _LENGTH[min(size, 2)]
    x = rng.uniform(0.8, 1.2, (5, length))
    return Operands({"x": x, "axes": np.array([1], np.int64)}, length, {"keepdims": 0})


def _cumulative(rng: np.random.Generator, size: int) -> Operands:
    length = _LENGTH[size]
    return Operands({"x": rng.normal(size=(4, length)), "axis": np.array(1, np.int64)}, length)


def _layer_normalization(rng: np.random.Generator, size: int) -> Operands:
    length = _LENGTH[size]
    inputs = {"x": rng.normal(1, 2, (4, length)), "s": rng.normal(size=length), "b": rng.normal(size=length)}
    return Operands(inputs, length, {"axis": -1})


def _batch_normalization(rng: np.random.Generator, size: int) -> Operands:
    channels, side = (2, 3, 8, 16, 32)[size], (3, 5, 7, 9, 11)[size]
    inputs = {"x": rng.normal(size=(2, channels, side, side)), "s": rng.normal(size=channels)}
    inputs |= {"b": rng.normal(size=channels), "mean": rng.normal(size=channels), "var": rng.uniform(0.5, 2, channels)}
    return Operands(inputs)


def _instance_normalization(rng: np.random.Generator, size: int) -> Operands:
    channels, side = (1, 2, 3, 4, 8)[size], (3, 5, 9, 17, 31)[size]
    inputs = {"x": rng.normal(1, 2, (2, channels, side, side)), "s": rng.normal(size=channels)}
    return Operands({**inputs, "b": rng.normal(size=channels)}, side * side)


def _pool(kernel: int = 3, **attributes: Any) -> Maker:
    def make(rng: np.random.Generator, size: int) -> Operands:
        side = (5, 7, 12, 20, 33)[size]
        asked = {"kernel_shape": [kernel, kernel], "strides": [2, 2], **attributes}
        return Operands({"x": rng.normal(size=(1, 1 + size, side, side))}, kernel * kernel, asked)

    return make


def _global_pool(rng: np.random.Generator, size: int) -> Operands:
    side = (2, 4, 8, 16, 32)[size]
    return Operands({"x": rng.normal(size=(2, 3, side, side))}, side * side)


def _recurrent(gates: int) -> Maker:
    def make(rng: np.random.Generator, size: int) -> Operands:
        steps, hidden, width = (2, 3, 4, 5, 6)[size], (4, 8, 16, 24, 32)[size], (3, 8, 16, 24, 32)[size]
        scale = 1 / np.sqrt(hidden)
        inputs = {
            "x": rng.normal(size=(steps, 2, width)),
            "w": rng.normal(0, scale, (1, gates * hidden, width)),
            "r": rng.normal(0, scale, (1, gates * hidden, hidden)),
            "b": rng.normal(0, scale, (1, 2 * gates * hidden)),
        }
        return Operands(inputs, width + hidden, {"hidden_size": hidden}, ("y", "y_h"))

    return make


def _clip(rng: np.random.Generator, size: int) -> Operands:
    return Operands({"x": rng.normal(0, 2, _shape(rng, size)), "low": np.array(-1.0), "high": np.array(1.5)})


def _power(rng: np.random.Generator, size: int) -> Operands:
    shape = _shape(rng, size)
    return Operands({"a": rng.uniform(0.2, 3.0, shape), "b": rng.uniform(-2.0, 2.0, shape)})


def _prelu(rng: np.random.Generator, size: int) -> Operands:
    shape = _shape(rng, size)
    return Operands({"x": rng.normal(size=shape), "slope": rng.uniform(0.1, 0.5, shape[-1:])})


def _where(rng: np.random.Generator, size: int) -> Operands:
    shape = _shape(rng, size)
    return Operands({"c": rng.random(shape) < 0.5, "a": rng.normal(size=shape), "b": rng.normal(size=shape)})


def _gather(rng: np.random.Generator, size: int) -> Operands:
    rows = _LENGTH[size]
    return Operands({"x": rng.normal(size=(rows, 7)), "i": rng.integers(0, rows, (3, 4))}, attributes={"axis": 0})


def _transpose(rng: np.random.Generator, size: int) -> Operands:
    return Operands({"x": rng.normal(size=(2, 3, _SIDE[size]))}, attributes={"perm": [2, 0, 1]})


def _concat(rng: np.random.Generator, size: int) -> Operands:
    side = _SIDE[size]
    return Operands({"a": rng.normal(size=(2, side)), "b": rng.normal(size=(3, side))}, attributes={"axis": 0})


def _several(rng: np.random.Generator, size: int) -> Operands:
    shape = _shape(rng, size)
    return Operands({name: rng.normal(size=shape) for name in "abc"}, 3)


def _einsum(rng: np.random.Generator, size: int) -> Operands:
    k = _LENGTH[size]
    inputs = {"a": rng.normal(size=(2, 3, k)), "b": rng.normal(size=(2, k, 5))}
    return Operands(inputs, k, {"equation": "bik,bkj->bij"})


def _resize(rng: np.random.Generator, size: int) -> Operands:
    side = (2, 4, 7, 12, 20)[size]
    inputs: dict[str, Array] = {"x": rng.normal(size=(1, 2, side, side))}
    inputs["scales"] = np.array([1, 1, 2, 2], np.float32)
    return Operands(inputs, 4, {"mode": "linear"}, omitted=frozenset({"roi"}))


def _local_response(rng: np.random.Generator, size: int) -> Operands:
    # onnx.reference (1.23) normalises as many channels as there are items, so both are the same here
    return Operands({"x": rng.normal(size=(4 + 2 * size, 4 + 2 * size, 5, 5))}, 3, {"size": 3})


MAKERS: Mapping[str, Maker] = {
    "Abs": _normal(), "Acos": _unary(-0.9, 0.9), "Acosh": _unary(1.1, 9.0), "Add": _binary(-3, 3),
    "Asin": _unary(-0.9, 0.9), "Asinh": _normal(), "Atan": _normal(), "Atanh": _unary(-0.9, 0.9),
    "AveragePool": _pool(), "BatchNormalization": _batch_normalization, "Clip": _clip, "Concat": _concat,
    "Conv": _conv(), "ConvDepthwise": _conv(group=True), "ConvTranspose": _conv_transpose, "Cos": _unary(-6, 6),
    "Cosh": _unary(-4, 4), "CumSum": _cumulative, "Div": _binary(-3, 3, 0.5, 4), "Einsum": _einsum, "Elu": _normal(),
    "Erf": _normal(), "Exp": _unary(-5, 5), "GRU": _recurrent(3), "Gather": _gather, "Gemm": _gemm,
    "GlobalAveragePool": _global_pool, "GlobalMaxPool": _global_pool, "HardSigmoid": _normal(),
    "HardSwish": _normal(), "InstanceNormalization": _instance_normalization, "LRN": _local_response,
    "LSTM": _recurrent(4), "LayerNormalization": _layer_normalization, "LeakyRelu": _normal(), "Log": _unary(0.1, 20),
    "LogSoftmax": _over_axis(), "LpNormalization": _over_axis(p=2), "MatMul": _matmul, "Max": _several,
    "MaxPool": _pool(), "Mean": _several, "Min": _several, "Mul": _binary(-3, 3), "Neg": _normal(), "PRelu": _prelu,
    "Pow": _power, "Reciprocal": _unary(0.3, 5), "ReduceL1": _reduce(), "ReduceL2": _reduce(),
    "ReduceLogSum": _reduce(0.5), "ReduceLogSumExp": _reduce(), "ReduceMax": _reduce(), "ReduceMean": _reduce(),
    "ReduceMin": _reduce(), "ReduceProd": _reduce_product, "ReduceSum": _reduce_sum, "ReduceSumSquare": _reduce(),
    "Relu": _normal(), "Resize": _resize, "Selu": _normal(), "Sigmoid": _normal(), "Sin": _unary(-6, 6),
    "Sinh": _unary(-4, 4), "Softmax": _over_axis(), "Softplus": _normal(), "Softsign": _normal(),
    "Sqrt": _unary(0.1, 9), "Sub": _binary(-3, 3), "Sum": _several, "Tan": _unary(-1.2, 1.2), "Tanh": _normal(),
    "ThresholdedRelu": _normal(), "Transpose": _transpose, "Where": _where,
}  # fmt: skip
"""Operators that are compared, with how their operands are made. ``ConvDepthwise`` is a Conv with a group a channel."""

_ONNX_TYPE = {"ConvDepthwise": "Conv"}
_CONSTANT = frozenset({"axes", "axis", "scales", "low", "high"})
"""Operands that models state as constants, and that some runtimes take only so."""


def operator_cases(count: int, seed: int = 0, only: Mapping[str, Maker] | None = None) -> list[OperatorCase]:
    """Return ``count`` cases: every operator in turn, in growing sizes, then again with other numbers.

    A case depends on ``seed`` and its own key alone, so a shorter run holds the first cases of a longer one.
    """
    makers = sorted((MAKERS if only is None else only).items())
    cases = []
    for number in range(count):
        name, maker = makers[number % len(makers)]
        cases.append(_make(name, maker, number // len(makers), seed))
    return cases


def _make(name: str, maker: Maker, turn: int, seed: int) -> OperatorCase:
    letters = [ord(letter) for letter in name]
    operands = maker(np.random.default_rng([seed, turn, *letters]), turn % len(_LENGTH))
    wide = dict(operands.inputs)
    narrow = {key: array.astype(np.float32) if array.dtype == np.float64 else array for key, array in wide.items()}
    for key, array in wide.items():
        if array.dtype == np.float64:
            wide[key] = narrow[key].astype(np.float64)  # the same numbers, to the last bit
    op_type = _ONNX_TYPE.get(name, name)
    evaluator = ReferenceEvaluator(_model(op_type, operands, wide))
    with np.errstate(all="ignore"):
        results = evaluator.run(None, wide)
    reference = {key: np.asarray(result) for key, result in zip(operands.outputs, results, strict=True)}
    return OperatorCase(
        key=f"{name}/{turn}",
        op_type=op_type,
        reduction_length=operands.reduction_length,
        model=_model(op_type, operands, narrow, reference).SerializeToString(),
        inputs={key: array for key, array in narrow.items() if key not in _CONSTANT},
        reference=reference,
    )


def _model(
    op_type: str, operands: Operands, inputs: Mapping[str, Array], results: Mapping[str, Array] | None = None
) -> Any:
    listed = list(inputs)
    if "roi" in operands.omitted:
        listed.insert(1, "")
    node = helper.make_node(op_type, listed, list(operands.outputs), name=op_type, **operands.attributes)
    values = [
        helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for key, array in inputs.items()
        if results is None or key not in _CONSTANT
    ]
    constants = [] if results is None else [key for key in inputs if key in _CONSTANT]
    wide = results is None
    outputs = [
        helper.make_tensor_value_info(
            key,
            TensorProto.DOUBLE if wide else TensorProto.FLOAT,
            None if results is None else results[key].shape,
        )
        for key in operands.outputs
    ]
    weights = [numpy_helper.from_array(inputs[key], key) for key in constants]
    graph = helper.make_graph([node], op_type, values, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
