"""The plugins for absent hardware keep what every plugin promises, on stand-ins for the vendors' packages."""

from __future__ import annotations

from typing import ClassVar

import pytest

from heteroopt.runtimes.conformance import RuntimeConformance
from heteroopt.runtimes.description import DeviceState
from heteroopt.runtimes.handle import DeviceHandle
from heteroopt.runtimes.process import RuntimeProcess
from tests.conformance.vendors import stand_in


class OneProcess(RuntimeConformance):
    """One process for all tests that leave it alive, since what is slow here is starting one."""

    shared: ClassVar[RuntimeProcess | None] = None

    @pytest.fixture(autouse=True)
    def _open(self):
        cls = type(self)
        if cls.shared is None or not cls.shared.alive:
            cls.shared = self.start()
        self.process = cls.shared
        healthy = [device for device in self.describe(self.process).devices if device.state == DeviceState.HEALTHY]
        self.description = healthy[-1]
        self.device = DeviceHandle(self.process, self.description.index)
        yield
        if self.process.alive:
            self.device.close()

    @classmethod
    def teardown_class(cls) -> None:
        if cls.shared is not None:
            cls.shared.close()


class TestCuda(OneProcess):
    """Two made-up GPUs."""

    configuration = stand_in("cuda")


class TestCann(OneProcess):
    """Two made-up Ascend processors."""

    configuration = stand_in("cann")
