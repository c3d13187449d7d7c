"""The plugins for absent hardware keep what every plugin promises, on stand-ins for the vendors' packages."""

from __future__ import annotations

from heteroopt.runtimes.conformance import RuntimeConformance
from tests.conformance.vendors import stand_in


class TestCuda(RuntimeConformance):
    """Two made-up GPUs."""

    configuration = stand_in("cuda")


class TestCann(RuntimeConformance):
    """Two made-up Ascend processors."""

    configuration = stand_in("cann")
