"""Fractions of peak that each kind of device reaches per operator class, where nothing was measured.

Estimates, rounded, from published measurements: dense matrix products reach 60-80 % of a GPU's peak and
about as much of a CPU's (NVIDIA, "Matrix Multiplication Background User's Guide"; Intel oneDNN benchdnn
reports), depthwise convolutions about a tenth of it (Zhang et al., "High Performance Depthwise and Pointwise
Convolutions on Mobile Devices", AAAI 2020), streaming kernels 80-90 % of the memory bandwidth (BabelStream).
Calibration replaces them.
"""

from __future__ import annotations

OP_CLASSES: tuple[str, ...] = (
    "matmul",
    "conv",
    "depthwise_conv",
    "normalization",
    "elementwise",
    "softmax",
    "reduction",
    "pooling",
    "movement",
    "embedding",
    "recurrent",
    "attention",
    "view",
    "control",
    "other",
)

_COMPUTE: dict[str, dict[str, float]] = {
    "GPU": {"matmul": 0.70, "conv": 0.60, "attention": 0.50, "depthwise_conv": 0.10, "recurrent": 0.25, "other": 0.10},
    "CPU": {"matmul": 0.75, "conv": 0.65, "attention": 0.55, "depthwise_conv": 0.20, "recurrent": 0.40, "other": 0.20},
    "NPU": {"matmul": 0.60, "conv": 0.60, "attention": 0.40, "depthwise_conv": 0.10, "recurrent": 0.20, "other": 0.05},
    "FPGA": {"matmul": 0.60, "conv": 0.70, "attention": 0.40, "depthwise_conv": 0.30, "recurrent": 0.40, "other": 0.10},
}
_BANDWIDTH: dict[str, dict[str, float]] = {
    "GPU": {"movement": 0.60, "embedding": 0.40, "softmax": 0.70, "reduction": 0.70, "other": 0.80},
    "CPU": {"movement": 0.60, "embedding": 0.40, "softmax": 0.60, "reduction": 0.70, "other": 0.75},
    "NPU": {"movement": 0.40, "embedding": 0.30, "softmax": 0.50, "reduction": 0.50, "other": 0.70},
    "FPGA": {"movement": 0.50, "embedding": 0.30, "softmax": 0.50, "reduction": 0.60, "other": 0.70},
}


def default_efficiency(device_type: str) -> dict[str, float]:
    """Fraction of peak FLOP/s per operator class for a type of device."""
    table = _COMPUTE[device_type]
    return {op_class: table.get(op_class, table["other"]) for op_class in OP_CLASSES}


def default_bandwidth_efficiency(device_type: str) -> dict[str, float]:
    """Fraction of peak memory bandwidth per operator class for a type of device."""
    table = _BANDWIDTH[device_type]
    return {op_class: table.get(op_class, table["other"]) for op_class in OP_CLASSES}
