"""The runtimes that ship with us, and that are installed here, keep what every plugin promises."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from heteroopt.runtimes.configuration import PluginConfiguration, read_configuration
from heteroopt.runtimes.conformance import RuntimeConformance
from heteroopt.runtimes.registry import SHIPPED


class TestSimulated(RuntimeConformance):
    """With frees that come late, coarse granularity and runs that stay in flight."""

    configuration = PluginConfiguration(
        "simulated",
        read_configuration(SHIPPED / "simulated").plugin,
        settings={
            "devices": [
                {"free_delay_s": 0.02, "granularity_bytes": 4096, "run_delay_s": 0.005},
                {"name": "broken", "unusable": "It was switched off."},
            ]
        },
    )


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="onnxruntime is not installed")
class TestOnnxRuntime(RuntimeConformance):
    """The CPU as it is."""

    configuration = read_configuration(SHIPPED / "onnxruntime")


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="onnxruntime is not installed")
class TestOnnxRuntimeOnCores(RuntimeConformance):
    """One core as a device of its own."""

    configuration = PluginConfiguration(
        "onnxruntime", read_configuration(SHIPPED / "onnxruntime").plugin, settings={"core_sets": [[0]]}
    )
