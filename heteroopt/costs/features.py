"""Numbers that describe an operator to a learned model: work, traffic, shapes, kernel, all on log scales."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from heteroopt.costs.facts import OperatorFacts
from heteroopt.costs.work_terms import TERMS, bytes_each, is_broadcast, source_stride
from heteroopt.units import PS_PER_S

FloatArray = npt.NDArray[np.float64]

FEATURES: tuple[str, ...] = (
    "group", "flops", "activation_bytes", "weight_bytes", "written_bytes", "intensity", "members", "inputs", "width",
    *(f"{part}{axis}" for part in ("in", "with", "out") for axis in range(4)),
    "kernel", "kernel_area", "stride", "dilation", "channel_group", "in_odd", "out_odd", "last_in_odd", "last_out_odd",
    "source_stride", "stride_evenness", "broadcast", "padded_flops", "rows", "gathered", "conflicting", "roofline",
)  # fmt: skip


def feature_matrix(
    rows: Sequence[OperatorFacts], groups: Sequence[str], terms: FloatArray, roofline_s: FloatArray
) -> FloatArray:
    """[n, F] in the order of ``FEATURES``; the group's code is its place in ``groups``, -1 for an unknown one.

    ``terms``: ``work_terms(rows)``; ``roofline_s``: what the fitted roofline says, [n].
    """
    codes = {name: float(code) for code, name in enumerate(groups)}
    plain = np.array([_features(facts, codes) for facts in rows], np.float64).reshape(len(rows), _PLAIN)
    found = np.concatenate([plain, terms[:, _TAKEN], roofline_s[:, None] * PS_PER_S], axis=1)
    found[:, _ON_LOG_SCALE] = np.log1p(found[:, _ON_LOG_SCALE])
    found[:, _INTENSITY] = found[:, _FLOPS] - np.log1p(found[:, _INTENSITY])
    return found


def work(rows: Sequence[OperatorFacts]) -> tuple[FloatArray, FloatArray]:
    """FLOP and bytes moved of each, [n] and [n]; at least 1, so that logarithms exist."""
    flops = np.array([max(1, facts.flops) for facts in rows], np.float64)
    moved = np.array([max(1, facts.bytes_read + facts.bytes_written) for facts in rows], np.float64)
    return flops, moved


def _features(facts: OperatorFacts, codes: dict[str, float]) -> list[float]:
    """One row, before logarithms are taken."""
    first = facts.inputs[0][1] if facts.inputs else None
    second = facts.inputs[1][1] if len(facts.inputs) > 1 else (facts.weights[0][1] if facts.weights else None)
    width, out = facts.outputs[0] if facts.outputs else ("", None)
    numbers = facts.attributes.get
    kernel = numbers("kernel_shape")
    area = math.prod(kernel) if isinstance(kernel, list) else 1
    stride = source_stride(facts)
    return [
        codes.get(facts.group, -1.0),
        facts.flops,
        facts.bytes_read - facts.weight_bytes,
        facts.weight_bytes,
        facts.bytes_written,
        facts.bytes_read + facts.bytes_written,
        len(facts.op_types),
        len(facts.inputs),
        bytes_each(width),
        *_last(first),
        *_last(second),
        *_last(out),
        _first(kernel),
        area,
        _first(numbers("strides")),
        _first(numbers("dilations")),
        _first(numbers("group")),
        _odd(first),
        _odd(out),
        first[-1] % 16 if first else 0,
        out[-1] % 16 if out else 0,
        stride,
        (stride & -stride).bit_length(),
        facts.op_class == "elementwise" and is_broadcast(facts),
    ]


def _last(shape: tuple[int, ...] | None) -> tuple[int, ...]:
    """The last four sizes, 0 where there are fewer."""
    return (_NONE + (shape or ()))[-4:]


def _odd(shape: tuple[int, ...] | None) -> int:
    """How far the channels (or the last size) are from a multiple of 16, which vector units are filled by."""
    if not shape:
        return 0
    return (shape[1] if len(shape) == 4 else shape[-1]) % 16


def _first(value: object) -> float:
    """The first number of an attribute, 1 without it."""
    item = value[0] if isinstance(value, list) and value else value
    return item if isinstance(item, int) else 1


_NONE = (0, 0, 0, 0)
_FROM_TERMS = ("padded_flops", "rows", "gathered", "conflicting")
_TAKEN = [TERMS.index(name) for name in _FROM_TERMS]
_PLAIN = len(FEATURES) - len(_FROM_TERMS) - 1
_FLOPS, _INTENSITY = FEATURES.index("flops"), FEATURES.index("intensity")
_LOG = ("flops", "activation_bytes", "weight_bytes", "written_bytes", "channel_group", "source_stride", "roofline")
_ON_LOG_SCALE = [
    FEATURES.index(name)
    for name in FEATURES
    if name in (*_LOG, *_FROM_TERMS) or (name[:-1] in ("in", "with", "out") and name[-1].isdigit())
]
