"""Which precision a device runs a model's arithmetic in."""

import pytest

from heteroopt.devices.precisions import BYTES_PER_ELEMENT, PRECISIONS, execution_precision


@pytest.mark.parametrize(
    ("wanted", "peaks", "used"),
    [
        ("fp32", {"fp32": 20.0, "fp16": 300.0}, "fp32"),
        ("fp32", {"fp16": 256.0, "int8": 512.0}, "fp16"),
        ("fp32", {"bf16": 432.0, "fp8": 865.0}, "bf16"),
        ("fp32", {"int8": 33.0}, "int8"),
        ("fp16", {"fp32": 7.0, "bf16": 229.0}, "bf16"),
        ("fp16", {"fp32": 15.0}, "fp32"),
        ("int8", {"fp32": 3.0, "fp16": 7.0}, "fp16"),
        ("int4", {"int8": 10.0, "fp16": 5.0}, "int8"),
        ("fp64", {"fp32": 20.0, "fp16": 300.0}, "fp32"),
        ("int64", {"fp32": 20.0, "fp16": 300.0}, "fp32"),
        ("string", {"fp16": 300.0}, "fp16"),
        ("fp32", {}, None),
    ],
)
def test_own_precision_first_then_the_nearest_group(wanted, peaks, used):
    assert execution_precision(wanted, peaks) == used


def test_every_precision_has_a_width_and_a_fallback_to_every_other():
    for wanted in PRECISIONS:
        assert BYTES_PER_ELEMENT[wanted] > 0
        for only in PRECISIONS:
            assert execution_precision(wanted, {only: 1.0}) == only
