"""The timing rule against devices whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from heteroopt.calibration.portable.timing import Rule, measure, summarise
from tests.engine.calibration.fakes import FakeDevice, FakeProgram, noise


def program(truth) -> FakeProgram:
    return FakeProgram(FakeDevice(truth), "x")


def test_the_highest_and_lowest_fifth_are_dropped_and_the_median_of_the_rest_is_kept():
    found = summarise([9.0, 1.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 2.0, 10.0], Rule())
    assert found.median_s == 5.5
    assert found.minimum_s == 1.0
    assert found.spread_s == pytest.approx(4.5)  # quartiles 3.25 and 7.75
    assert found.repeats == 10


def test_a_cold_start_and_a_slow_ramp_do_not_count():
    """First call 1 s, the next 20 fall from 3 ms to 1 ms, then 1 ms within 2 %."""
    steady = noise()

    def truth(key: str, runs: int, busy_s: float) -> float:
        if runs == 0:
            return 1.0
        if runs <= 20:
            return 3e-3 - (runs - 1) * 1e-4
        return 1e-3 * steady()

    found = measure(program(truth).run, Rule())
    assert found.median_s == pytest.approx(1e-3, rel=0.05)
    assert found.cold_s == 1.0
    assert found.repeats == 10
    assert found.spread_s < 0.05 * found.median_s
    assert found.flags == []


def test_tiny_shapes_run_in_loops_that_last_long_enough():
    found = measure(program(lambda *_: 2e-6).run, Rule())
    assert found.loop == 200
    assert measure(program(lambda *_: 1e-4).run, Rule()).loop == 10
    assert measure(program(lambda *_: 5e-3).run, Rule()).loop == 1


def test_spikes_inside_loops_and_between_them_move_nothing():
    generator = np.random.default_rng(3)
    found = measure(program(lambda *_: 1e-4 * (10 if generator.random() < 0.05 else 1)).run, Rule())
    assert found.median_s == pytest.approx(1e-4, rel=0.05)
    generator = np.random.default_rng(3)
    found = measure(program(lambda *_: 5e-3 * (10 if generator.random() < 0.05 else 1)).run, Rule())
    assert found.median_s == pytest.approx(5e-3, rel=0.05)


def test_a_step_within_the_samples_is_measured_again_and_not_averaged_in():
    """It becomes slower for a while just when the samples are taken; the second attempt is clean."""
    device = FakeDevice(lambda key, runs, busy_s: 2e-3 if 12 <= runs < 20 else 1e-3)
    found = measure(FakeProgram(device, "x").run, Rule())
    assert found.median_s == pytest.approx(1e-3)
    assert found.flags == []
    assert found.attempts == 2


def test_what_never_becomes_steady_keeps_its_flag():
    generator = np.random.default_rng(0)
    found = measure(program(lambda *_: 2e-3 * generator.uniform(0.5, 1.5)).run, Rule())
    assert "noisy" in found.flags
    assert found.attempts == 3


@pytest.mark.parametrize("share", [0.0, 0.02, 0.05, 0.1, 0.2, 0.4])
@pytest.mark.parametrize("seed", range(8))
def test_the_value_is_within_a_twentieth_of_the_truth_or_flagged(share: float, seed: int):
    generator = np.random.default_rng(seed)
    found = measure(program(lambda *_: 2e-3 * max(0.1, 1 + share * generator.standard_normal())).run, Rule())
    assert found.flags or found.median_s == pytest.approx(2e-3, rel=0.05)
