"""The kinds of work that one operator does, in numbers that its time grows with: what a roofline is fitted to."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from heteroopt.costs.facts import OperatorFacts

FloatArray = npt.NDArray[np.float64]

TERMS: tuple[str, ...] = (
    "operator", "flops", "padded_flops", "read_bytes", "written_bytes", "weight_bytes", "rows", "gathered",
    "conflicting",
)  # fmt: skip
"""``operator``: 1. ``padded_flops``: with sizes rounded up to what vector units are filled by. ``weight_bytes``: of
products and convolutions; the others' are ``read_bytes``. ``rows``: inner loops begun: of products, normalisation and
broadcasting, contiguous runs of a transposition. ``gathered``: bytes that a convolution's windows read, elements that a
transposition takes one by one. ``conflicting``: of these, those whose addresses fall into the same sets of a cache.
"""
VECTOR = 16
ROW_TILE = 4
CONFLICT_BYTES = 2048
"""Elements so far apart, or a multiple, share few sets of a first-level cache."""

PRODUCTS = frozenset(("conv", "depthwise_conv", "matmul"))
BY_ROW = frozenset(("softmax", "normalization", "reduction", "embedding"))
_BYTES = {"float64": 8, "int64": 8, "float16": 2, "bfloat16": 2, "int8": 1, "uint8": 1, "bool": 1}
Shape = tuple[int, ...]


def work_terms(rows: Sequence[OperatorFacts]) -> FloatArray:
    """[n, T] in the order of ``TERMS``."""
    return np.array([_terms(facts) for facts in rows], np.float64).reshape(len(rows), len(TERMS))


def is_broadcast(facts: OperatorFacts) -> bool:
    """Whether an elementwise operator reads an operand that is smaller than what it writes, and no single number."""
    out = _shape(facts.outputs)
    size = math.prod(out)
    others = [shape for _, shape in (*facts.inputs, *facts.weights) if shape is not None]
    return len(others) > 1 and any(1 < math.prod(shape) < size for shape in others)


def source_stride(facts: OperatorFacts) -> int:
    """Elements between neighbours of a transposition's output in its input; 1 if the last axis stays, 0 of others."""
    perm = facts.attributes.get("perm")
    if not isinstance(perm, list):
        return 0
    shape = _shape(facts.inputs)
    if not shape or sorted(map(str, perm)) != sorted(map(str, range(len(shape)))):
        return 0
    return math.prod(shape[int(perm[-1]) + 1 :])


def bytes_each(dtype: str) -> int:
    """Of an element; 4 of those that are not known."""
    return _BYTES.get(dtype, 4)


def _terms(facts: OperatorFacts) -> tuple[float, ...]:
    out, first, kind = _shape(facts.outputs), _shape(facts.inputs), facts.op_class
    size = math.prod(out)
    read, weights = float(facts.bytes_read), 0.0
    padded, rows, gathered, conflicting = float(facts.flops), 0.0, 0.0, 0.0
    if kind in PRODUCTS:
        read, weights = read - facts.weight_bytes, float(facts.weight_bytes)
    if kind == "matmul" and out:
        rows = size / out[-1] if out[-1] else 0.0
        padded = facts.flops * _up(rows, ROW_TILE) / max(1.0, rows) * _up(out[-1], VECTOR) / max(1, out[-1])
    elif kind in PRODUCTS and len(first) == 4 and len(out) == 4:
        padded, gathered = _windows(facts, first, out)
    elif (kind in BY_ROW and out) or (kind == "elementwise" and out and is_broadcast(facts)):
        rows = size / out[-1] if out[-1] else 0.0
    stride = source_stride(facts)
    if stride > 1:
        gathered = float(size)
        if stride * bytes_each(facts.outputs[0][0]) % CONFLICT_BYTES == 0:
            conflicting = float(size)
    elif stride == 1 and first:
        rows = size / max(1, first[-1])
    return 1.0, float(facts.flops), padded, read, float(facts.bytes_written), weights, rows, gathered, conflicting


def _windows(facts: OperatorFacts, first: Shape, out: Shape) -> tuple[float, float]:
    """FLOP with channels rounded up, and bytes that the windows read, of a convolution in two dimensions."""
    kernel = facts.attributes.get("kernel_shape")
    area = math.prod(kernel) if isinstance(kernel, list) and all(isinstance(one, int) for one in kernel) else 1
    group = facts.attributes.get("group")
    groups = group if isinstance(group, int) and group > 0 else 1
    places = out[0] * out[2] * out[3]
    if groups == 1:
        padded = 2.0 * places * area * _up(first[1], VECTOR) * _up(out[1], VECTOR)
    else:
        padded = 2.0 * places * area * max(1, first[1] // groups) * _up(out[1], VECTOR)
    return padded, float(places * area * first[1] * bytes_each(facts.outputs[0][0]))


def _shape(tensors: Sequence[tuple[str, Shape | None]]) -> Shape:
    return (tensors[0][1] or ()) if tensors else ()


def _up(size: float, step: int) -> float:
    return math.ceil(size / step) * step
