"""Distances on hand-made arrays, and the envelope's arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heteroopt.precision.distance import Distance, distance
from heteroopt.precision.envelope import EPSILON, MARGIN, make_envelope, read_envelope, shipped_envelope

NAN, INF = float("nan"), float("inf")


def f(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("found", "reference", "expected"),
    [
        (f(1, 2, 4), f(1, 2, 4), Distance()),
        (f(1, 2, 5), f(1, 2, 4), Distance(0.25, 1.0, 1.0 / (4 * 2.0**-23))),
        (f(0.5, 100), f(0, 100), Distance(0.005, 0.5, 0.0)),  # near zero, where a relative error explodes
        (f(0, 0), f(0, 0), Distance()),
        (f(2, 0), f(0, 0), Distance(1.0, 2.0, 1.0 * 0.0)),
        (f(NAN, 1), f(1, 1), Distance(nan_mismatch=1)),
        (f(NAN, 1), f(NAN, 1), Distance()),
        (f(INF, 1), f(INF, 1), Distance()),
        (f(-INF, 1), f(INF, 1), Distance(inf_mismatch=1)),
        (f(1, 1), f(INF, 1), Distance(inf_mismatch=1)),
        (np.array([3, 4]), np.array([3, 8]), Distance(0.5, 4.0)),
        (f(), f(), Distance()),
    ],
)
def test_distance(found, reference, expected):
    apart = distance(found, reference)
    assert (apart.scaled, apart.max_abs, apart.nan_mismatch, apart.inf_mismatch) == (
        expected.scaled,
        expected.max_abs,
        expected.nan_mismatch,
        expected.inf_mismatch,
    )
    if expected.ulp:
        assert apart.ulp == expected.ulp


@given(st.floats(1e-3, 1e3), st.floats(2.0**-20, 1e3))
def test_scale_does_not_change_the_scaled_error(value, factor):
    found, reference = np.array([value, 2.0]), np.array([value * 1.5, 2.0])
    scaled = distance(found * factor, reference * factor).scaled
    assert scaled == pytest.approx(distance(found, reference).scaled, rel=1e-12)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="shapes"):
        distance(f(1), f(1, 2))


def test_an_envelope_rises_with_the_length_and_knows_a_bound_for_every_operator():
    e = EPSILON["fp32"]
    measured = [("Conv", "fp32", 16, 8 * e), ("Conv", "fp32", 4, 3 * e), ("Conv", "fp32", 64, 5 * e)]
    made = read_envelope(make_envelope(measured, {"made_by": "a test"}))
    assert [made.roundings("Conv", "fp32", k) for k in (1, 4, 5, 16, 64)] == [3, 3, 8, 8, 8]
    assert made.roundings("Conv", "fp32", 256) == 16  # beyond the longest: times the root of 256 / 64
    assert made.tolerance("Conv", "fp32", 4) == MARGIN * e * 3
    assert made.roundings("Other", "fp32", 16) == 8  # the worst of those that were measured
    assert read_envelope({"operators": {}, "provenance": {}}).roundings("X", "fp32", 4) == 2 * math.sqrt(4)


def test_the_shipped_envelope_says_where_it_is_from_and_is_strict_where_it_should_be():
    shipped = shipped_envelope()
    assert {entry["runtime"] for entry in shipped.provenance["runtimes"]} == {"onnxruntime", "openvino"}
    assert shipped.tolerance("Relu", "fp32", 1) < shipped.tolerance("MatMul", "fp32", 1024) < 1e-5
    assert shipped.tolerance("MatMul", "bf16", 64) > 1e-2
