"""How much devices slow each other: what cannot be is measured again, and is never a pool's slowdown."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from heteroopt.calibration import contention
from heteroopt.calibration.contention import ATTEMPTS, measure_contention, measured_domains
from heteroopt.costs.database import MeasuredContention
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec


def device(name: str) -> SimpleNamespace:
    program = SimpleNamespace(close=lambda: None)
    return SimpleNamespace(open=lambda case: program, description=SimpleNamespace(name=name))


@pytest.mark.parametrize(
    ("together", "taken", "kept"),
    [
        ([(1.5, 1.25)], 1, (1.5, 1.25)),
        ([(0.35, 1.25), (1.5, 1.25), (9.0, 9.0)], 2, (1.5, 1.25)),
        ([(1.5, 0.5)] * ATTEMPTS, ATTEMPTS, (1.5, 0.5)),
    ],
)
def test_a_device_that_is_faster_beside_another_is_measured_again(monkeypatch, together, taken, kept):
    seconds = iter(together)
    asked: list[tuple[float, float]] = []
    monkeypatch.setattr(contention, "_alone", lambda program, window_s: 1.0)
    monkeypatch.setattr(contention, "_together", lambda *_: asked.append(next(seconds)) or asked[-1])
    found = measure_contention(device("a"), device("b"), cases={"memory": {}})
    assert (len(asked), found.slowdown["memory"]) == (taken, kept)


def test_a_pool_takes_no_slowdown_below_one_for_an_answer():
    pool = DevicePool(
        [DeviceSpec(name=name, device_type="CPU", memory_size_bytes=10**9, memory_domain="ram") for name in ("a", "b")]
    )
    disturbed, right = MeasuredContention("b", 0.35, 1.0), MeasuredContention("a", 1.20681440563, 1.0)
    assert measured_domains(pool, {"a": disturbed, "b": right})["ram"].slowdown == 1.207
    assert measured_domains(pool, {"a": disturbed, "b": None}) == {}
    assert measured_domains(pool, {"a": MeasuredContention("b", 0.95, 1.0)})["ram"].slowdown == 1.0
