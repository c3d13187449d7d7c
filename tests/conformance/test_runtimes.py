"""The runtimes that ship with us keep what every plugin promises. Their libraries are in the test environment."""

from __future__ import annotations

from pathlib import Path

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


class TestOnnxRuntime(RuntimeConformance):
    """The CPU as it is."""

    configuration = read_configuration(SHIPPED / "onnxruntime")


class TestOnnxRuntimeOnCores(RuntimeConformance):
    """One core as a device of its own."""

    configuration = PluginConfiguration(
        "onnxruntime", read_configuration(SHIPPED / "onnxruntime").plugin, settings={"core_sets": [[0]]}
    )


class TestOpenVino(RuntimeConformance):
    """All that it lists here."""

    configuration = read_configuration(SHIPPED / "openvino")


def platforms() -> list[Path]:
    """The vendors' libraries that the system's OpenCL loader would find, without loading any."""
    return sorted(Path("/etc/OpenCL/vendors").glob("*.icd"))


@pytest.mark.skipif(not platforms(), reason="no OpenCL platform here (Debian: apt install pocl-opencl-icd)")
class TestOpenCl(RuntimeConformance):
    """The first device of the first platform that can compile."""

    configuration = read_configuration(SHIPPED / "opencl")
