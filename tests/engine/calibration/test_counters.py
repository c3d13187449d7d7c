"""Power over a window, and which device's calibration may count the joules of a processor's package."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from heteroopt.calibration.handle_device import HandleDevice
from heteroopt.calibration.portable.counters import power_w


def test_power_is_that_of_a_window_of_a_second_or_more():
    now = [0.0]

    def work() -> None:
        now[0] += 0.3

    assert power_w(lambda: 40.0 * now[0], work, 1.0, lambda: now[0]) == pytest.approx(40.0)
    assert now[0] >= 1.0
    assert power_w(lambda: None, work, 1.0, lambda: now[0]) is None


@pytest.mark.parametrize(
    ("device_type", "own", "found"),
    [("CPU", None, 7.0), ("CPU", 3.0, 3.0), ("GPU", None, None), ("NPU", None, None), ("GPU", 3.0, 3.0)],
)
def test_a_processors_package_is_counted_for_processors_without_a_counter_only(device_type, own, found):
    device = object.__new__(HandleDevice)
    device.handle = SimpleNamespace(energy_j=lambda: own)
    device._package = SimpleNamespace(joules=lambda: 7.0) if device_type == "CPU" else None
    assert device.joules() == found
