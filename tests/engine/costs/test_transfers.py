"""Alpha-beta transfers on hand-worked figures."""

import pytest

from heteroopt.costs.transfers import effective_bandwidth_fraction, transfer_energy_pj, transfer_time_ps
from heteroopt.units import ps_per_byte, us_to_ps


def test_one_gib_over_pcie():
    # 512 x 512 x 1024 FP32 = 1 GiB at 24 GB/s and 10 us: 44.739 ms + 10 us
    assert transfer_time_ps(us_to_ps(10.0), ps_per_byte(24.0), 2**30) == 10_000_000 + round(2**30 / 24 * 1000)


def test_rounding_is_half_up_and_empty_messages_cost_the_latency():
    assert transfer_time_ps(7, 0.5, 1) == 8
    assert transfer_time_ps(7, 0.5, 0) == 7
    assert transfer_energy_pj(160.0, 4) == 640.0


def test_small_messages_reach_a_part_of_the_peak():
    latency, rate = us_to_ps(10.0), ps_per_byte(24.0)
    assert effective_bandwidth_fraction(latency, rate, 240_000) == pytest.approx(0.5)
    assert effective_bandwidth_fraction(latency, rate, 1_000) < 0.01
    assert effective_bandwidth_fraction(0, rate, 0) == 1.0
