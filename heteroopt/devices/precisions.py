"""Arithmetic precisions: their names, their widths, and which one a device uses for a model's."""

from __future__ import annotations

from collections.abc import Mapping

PRECISIONS: tuple[str, ...] = ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "int4")
"""Names in use, also the codes of ``CostTable.precision``."""

BYTES_PER_ELEMENT: dict[str, float] = {
    "fp64": 8.0,
    "fp32": 4.0,
    "tf32": 4.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    "int4": 0.5,
}
"""Width in memory of one element."""

UNKNOWN_AS = "fp32"
"""An operator whose precision is none of these (bool, int64, string) runs at the device's FP32 rate, without casts."""

_PREFERENCE: dict[str, tuple[tuple[str, ...], ...]] = {
    "fp64": (("fp32", "tf32"), ("bf16", "fp16")),
    "fp32": (("tf32", "bf16", "fp16"), ("fp64",)),
    "tf32": (("fp32",), ("bf16", "fp16"), ("fp64",)),
    "bf16": (("fp16", "fp32", "tf32"), ("fp64",)),
    "fp16": (("bf16", "fp32", "tf32"), ("fp64",)),
    "fp8": (("bf16", "fp16", "fp32", "tf32"), ("fp64",)),
    "int8": (("bf16", "fp16", "fp32", "tf32"), ("fp64",)),
    "int4": (("int8", "fp8"), ("bf16", "fp16", "fp32", "tf32"), ("fp64",)),
}
# Only when a device has nothing of the above: an integer-only accelerator runs a quantised copy of the model.
_LAST_RESORT: tuple[str, ...] = ("fp8", "int8", "int4")


def execution_precision(wanted: str, peaks: Mapping[str, float]) -> str | None:
    """Precision in which a device runs arithmetic of precision ``wanted``; ``None`` if it has no peak at all.

    The model's own precision where the device has a peak for it, otherwise the fastest one of the nearest
    group: floating point of at most half the width before wider and slower ones, and narrower integers only
    where the device has nothing else.
    """
    wanted = wanted if wanted in PRECISIONS else UNKNOWN_AS
    if wanted in peaks:
        return wanted
    for group in (*_PREFERENCE[wanted], _LAST_RESORT, PRECISIONS):
        present = [precision for precision in group if precision in peaks]
        if present:
            return max(present, key=lambda precision: peaks[precision])
    return None
