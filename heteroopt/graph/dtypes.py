"""Element types: their ONNX numbers, names, widths in bits, and the arithmetic precision they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ElementType:
    """An element type; ``precision`` is the arithmetic that operators on it use on a device.

    Integer index arithmetic (int32, int64, bool, ...) runs on the general units and counts at the fp32 rate.
    """

    number: int
    name: str
    bits: int
    precision: str
    is_float: bool


_TABLE: Final = (
    (1, "float32", 32, "fp32", True), (2, "uint8", 8, "int8", False), (3, "int8", 8, "int8", False),
    (4, "uint16", 16, "fp32", False), (5, "int16", 16, "fp32", False), (6, "int32", 32, "fp32", False),
    (7, "int64", 64, "fp32", False), (8, "string", 64, "fp32", False), (9, "bool", 8, "fp32", False),
    (10, "float16", 16, "fp16", True), (11, "float64", 64, "fp64", True), (12, "uint32", 32, "fp32", False),
    (13, "uint64", 64, "fp32", False), (14, "complex64", 64, "fp32", True), (15, "complex128", 128, "fp64", True),
    (16, "bfloat16", 16, "bf16", True), (17, "float8e4m3fn", 8, "fp8", True), (18, "float8e4m3fnuz", 8, "fp8", True),
    (19, "float8e5m2", 8, "fp8", True), (20, "float8e5m2fnuz", 8, "fp8", True), (21, "uint4", 4, "int4", False),
    (22, "int4", 4, "int4", False), (23, "float4e2m1", 4, "fp4", True), (24, "float8e8m0", 8, "fp8", True),
    (25, "uint2", 2, "int4", False), (26, "int2", 2, "int4", False),
)  # fmt: skip
UNKNOWN_TYPE: Final = ElementType(0, "unknown", 32, "fp32", False)
ELEMENT_TYPES: Final = {row[0]: ElementType(*row) for row in _TABLE}
BY_NAME: Final = {element.name: element for element in ELEMENT_TYPES.values()}


def element_type(number: int) -> ElementType:
    """The element type with this ONNX number; an unknown one counts as 32 bits."""
    return ELEMENT_TYPES.get(number, UNKNOWN_TYPE)


def size_in_bytes(elements: int, bits: int) -> int:
    """Bytes of ``elements`` packed elements of ``bits`` each, rounded up."""
    return (elements * bits + 7) // 8
