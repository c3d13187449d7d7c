"""OpenVINO's tensors over our own memory, of every element type that numpy or ml_dtypes has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import openvino as ov

from heteroopt.runtimes.errors import failed
from heteroopt.runtimes.host_memory import as_array
from heteroopt.runtimes.plugin import Argument

_AS_BITS: Mapping[str, Any] = {
    "bfloat16": ov.Type.bf16,
    "float8_e4m3fn": ov.Type.f8e4m3,
    "float8_e5m2": ov.Type.f8e5m2,
    "float8_e8m0fnu": ov.Type.f8e8m0,
}
"""Types that OpenVINO takes as unsigned integers of the same width."""


def over(argument: Argument) -> Any:
    """Return a tensor over the argument's memory (no copy). Raises ``RuntimeFault`` ``program_failed``."""
    array = as_array(argument)
    if argument.dtype in _AS_BITS:
        bits = array.view(f"uint{array.itemsize * 8}")
        return ov.Tensor(bits, list(argument.shape), _AS_BITS[argument.dtype])
    if array.dtype.kind not in "biuf" or array.dtype.isbuiltin != 1:
        raise failed(f"OpenVINO has no tensors of {argument.dtype} here", kind="TypeError")
    return ov.Tensor(array, shared_memory=True)
