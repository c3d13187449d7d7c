"""A made-up device with a clock of its own: nothing here takes time, and everything repeats exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from heteroopt.calibration.cases import make_cases
from heteroopt.calibration.portable.session import LAYOUT, WEIGHTS

Truth = Callable[[str, int, float], float]
"""Seconds of a run, from the case's key, how often it ran before, and the device's seconds so far."""


class FakeClock:
    """Seconds that pass only when somebody lets them."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class FakeDevice:
    """Runs cases in no time and says how long they took. ``watts``: what it draws while it runs, above ``idle_w``."""

    def __init__(self, truth: Truth, *, watts: float | None = None, idle_w: float = 0.0) -> None:
        self.truth = truth
        self.clock = FakeClock()
        self.watts, self.idle_w = watts, idle_w
        self.busy_s = 0.0
        self.opened: list[str] = []
        self.refuse: set[str] = set()

    def describe(self) -> dict[str, Any]:
        return {
            "runtime": "fake", "index": 0, "name": "fake0", "host": "here", "versions": {"fake": "1"},
            "processor": "none", "threads": 0, "fingerprint": "f00d",
        }  # fmt: skip

    def joules(self) -> float | None:
        return None if self.watts is None else self.busy_s * self.watts + self.clock.now * self.idle_w

    def open(self, case: dict[str, Any]) -> FakeProgram:
        self.opened.append(case["key"])
        if case["key"] in self.refuse:
            raise ValueError(f"no kernel for {case['facts']['main']}")
        return FakeProgram(self, case["key"])


class FakeProgram:
    def __init__(self, device: FakeDevice, key: str) -> None:
        self.device, self.key, self.runs = device, key, 0

    def run(self, count: int) -> list[float]:
        return [self._one() for _ in range(count)]

    def _one(self) -> float:
        device = self.device
        seconds = device.truth(self.key, self.runs, device.busy_s)
        self.runs += 1
        device.busy_s += seconds
        device.clock.now += seconds
        return seconds

    def close(self) -> None:
        pass


def few_cases(count: int = 12) -> list[dict[str, Any]]:
    """Cases of a designed spread, after the two that tell what starting a program costs."""
    return [case for case in make_cases(count=count, seed=1)[0] if case.get("role") not in (LAYOUT, WEIGHTS)]


def noise(seed: int = 0, share: float = 0.02) -> Callable[[], float]:
    """Factors around 1, uniform within ``share``."""
    generator = np.random.default_rng(seed)
    return lambda: float(1 + generator.uniform(-share, share))
