"""Numbers that describe an operator to a learned model: work, traffic, shapes, kernel, all on log scales."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from heteroopt.costs.facts import OperatorFacts, Tensor

FloatArray = npt.NDArray[np.float64]

FEATURES: tuple[str, ...] = (
    "group", "flops", "activation_bytes", "weight_bytes", "written_bytes", "intensity", "members", "inputs", "width",
    *(f"{part}{axis}" for part in ("in", "with", "out") for axis in range(4)),
    "kernel", "kernel_area", "stride", "dilation", "channel_group", "in_odd", "out_odd",
)  # fmt: skip
_BYTES = {"float64": 8, "int64": 8, "float16": 2, "bfloat16": 2, "int8": 1, "uint8": 1, "bool": 1}


def group_of(facts: OperatorFacts) -> str:
    """Operators that are fitted together: of one main type, told apart where kernels are quite different."""
    if facts.op_class == "depthwise_conv":
        return f"{facts.main} depthwise"
    if facts.op_class == "matmul":
        rows = facts.outputs[0][1] if facts.outputs else None
        return f"{facts.main} {'weights' if facts.weights else 'batched'}{' row' if _rows(rows) == 1 else ''}"
    return facts.main


def feature_matrix(rows: Sequence[OperatorFacts], groups: Sequence[str]) -> FloatArray:
    """[n, F] in the order of ``FEATURES``; the group's code is its place in ``groups``, -1 for an unknown one."""
    codes = {name: float(code) for code, name in enumerate(groups)}
    return np.array([_features(facts, codes) for facts in rows], np.float64).reshape(len(rows), len(FEATURES))


def work(rows: Sequence[OperatorFacts]) -> tuple[FloatArray, FloatArray]:
    """FLOP and bytes moved of each, [n] and [n]; at least 1, so that logarithms exist."""
    flops = np.array([max(1, facts.flops) for facts in rows], np.float64)
    moved = np.array([max(1, facts.bytes_read + facts.bytes_written) for facts in rows], np.float64)
    return flops, moved


def _features(facts: OperatorFacts, codes: dict[str, float]) -> list[float]:
    moved = facts.bytes_read + facts.bytes_written
    first = facts.inputs[0] if facts.inputs else ("", None)
    second = facts.inputs[1] if len(facts.inputs) > 1 else (facts.weights[0] if facts.weights else ("", None))
    out = facts.outputs[0] if facts.outputs else ("", None)
    kernel = _ints(facts, "kernel_shape")
    return [
        codes.get(group_of(facts), -1.0),
        math.log1p(facts.flops),
        math.log1p(facts.bytes_read - facts.weight_bytes),
        math.log1p(facts.weight_bytes),
        math.log1p(facts.bytes_written),
        math.log1p(facts.flops) - math.log1p(moved),
        float(len(facts.op_types)),
        float(len(facts.inputs)),
        float(_BYTES.get(out[0], 4)),
        *_dims(first),
        *_dims(second),
        *_dims(out),
        float(kernel[0]),
        float(math.prod(kernel)),
        float(_ints(facts, "strides")[0]),
        float(_ints(facts, "dilations")[0]),
        math.log1p(_ints(facts, "group")[0]),
        _odd(first),
        _odd(out),
    ]


def _dims(tensor: Tensor) -> list[float]:
    """Logarithms of the last four sizes, 0 where there are fewer."""
    sizes = [math.log1p(size) for size in (tensor[1] or ())[-4:]]
    return [0.0] * (4 - len(sizes)) + sizes


def _odd(tensor: Tensor) -> float:
    """How far the channels (or the last size) are from a multiple of 16, which vector units are filled by."""
    shape = tensor[1] or (16,)
    return float((shape[1] if len(shape) == 4 else shape[-1]) % 16)


def _ints(facts: OperatorFacts, name: str) -> list[int]:
    value = facts.attributes.get(name, 1)
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, int)] or [1]


def _rows(shape: tuple[int, ...] | None) -> int:
    return 0 if shape is None else math.prod(shape[:-1])
