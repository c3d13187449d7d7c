"""Processes of plugins that the tests of a module share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from heteroopt.runtimes.configuration import read_configuration
from heteroopt.runtimes.handle import DeviceHandle
from heteroopt.runtimes.process import RuntimeProcess
from heteroopt.runtimes.registry import SHIPPED


@pytest.fixture(scope="module")
def start() -> Iterator[Callable[..., RuntimeProcess]]:
    """``start(plugin, settings=..., environment=...)``: a shipped plugin's process, loaded."""
    made: list[RuntimeProcess] = []

    def begin(name: str, **more: Any) -> RuntimeProcess:
        asked = replace(read_configuration(SHIPPED / name), **more)
        process = RuntimeProcess(name, asked.plugin, settings=asked.settings, environment=asked.environment)
        made.append(process)
        process.start(60.0)
        return process

    yield begin
    for process in made:
        process.close()


@pytest.fixture(scope="module")
def device(request: pytest.FixtureRequest, start: Callable[..., RuntimeProcess]) -> DeviceHandle:
    """Device 0 of the plugin that the module names in ``PLUGIN``."""
    return DeviceHandle(start(request.module.PLUGIN), 0)
