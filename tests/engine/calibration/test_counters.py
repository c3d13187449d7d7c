"""Counters of joules: RAPL's packages with their turns, and which device's calibration may use them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from heteroopt.calibration.handle_device import HandleDevice
from heteroopt.calibration.portable.counters import Rapl, power_w


def package(root: Path, name: str, energy_uj: int) -> Path:
    folder = root / name
    folder.mkdir(exist_ok=True)
    (folder / "energy_uj").write_text(str(energy_uj))
    (folder / "max_energy_range_uj").write_text("1000000000")
    return folder


def test_packages_add_up_and_a_counter_that_starts_again_goes_on(tmp_path: Path):
    for name, energy in (("intel-rapl:0", 5_000_000), ("intel-rapl:1", 2_000_000), ("intel-rapl:0:0", 7)):
        package(tmp_path, name, energy)
    counter = Rapl(str(tmp_path))
    assert counter.joules() == pytest.approx(7.0)
    package(tmp_path, "intel-rapl:0", 1_000_000)
    assert counter.joules() == pytest.approx(1.0 + 1000.0 + 2.0)
    (tmp_path / "intel-rapl:1" / "energy_uj").unlink()
    assert counter.joules() is None
    assert Rapl(str(tmp_path / "nothing")).joules() is None


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
