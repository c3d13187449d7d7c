"""The plugins for absent hardware: what is said where something is missing, and what they ask of the vendor's calls."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from heteroopt.runtimes.canary import canary_model
from heteroopt.runtimes.conformance import chain_model
from heteroopt.runtimes.description import Capability, DeviceState
from heteroopt.runtimes.device import Device
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.manager import RuntimeManager
from heteroopt.runtimes.plugins.cann import smi
from heteroopt.runtimes.plugins.cann.runtime import CannRuntime
from heteroopt.runtimes.plugins.cuda.driver_api import precisions
from heteroopt.runtimes.plugins.cuda.runtime import CudaRuntime
from heteroopt.runtimes.presence import require
from heteroopt.runtimes.registry import find_plugins
from tests.conformance.vendors import PRESENT, SITES, VENDORS

STAND_INS = ("acl", "acl.rt", "cuda", "cuda.bindings", "cuda.bindings.driver", "pynvml", "onnxruntime")


def use(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let imports in this process find the stand-ins of one vendor."""
    for path in (VENDORS / "shared", SITES[name]):
        monkeypatch.syspath_prepend(path)
    for module in (*STAND_INS, "fake_memory", "fake_session"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    importlib.invalidate_caches()


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Any:
    use(monkeypatch, "cuda")
    yield importlib.import_module("cuda.bindings.driver")
    for module in (*STAND_INS, "fake_memory", "fake_session"):
        sys.modules.pop(module, None)


@pytest.fixture
def rt(monkeypatch: pytest.MonkeyPatch) -> Any:
    use(monkeypatch, "cann")
    monkeypatch.setattr(smi, "run_tool", lambda command: "")
    yield importlib.import_module("acl.rt")
    for module in (*STAND_INS, "fake_memory", "fake_session"):
        sys.modules.pop(module, None)


def live_bytes(module: ModuleType) -> list[int]:
    return [sum(data.nbytes for data in memory.live.values()) for memory in module.memories]


def place(name: str, buffer: int, size: int = 16) -> tuple[str, int, int, str, tuple[int, int]]:
    return name, buffer, 0, "float32", (size, size)


def product(device: Device, options: dict[str, Any] | None = None) -> np.ndarray:
    """Run the canary by hand and return what it gives for two matrices of ones."""
    program = device.load(canary_model(), options or {})
    ones, result = np.ones(256, np.float32), np.zeros(256, np.float32)
    buffers = [device.alloc(1024) for _ in range(3)]
    for buffer in buffers[:2]:
        device.copy_h2d(buffer, 0, memoryview(ones).cast("B"))
    device.launch(program, [place("a", buffers[0]), place("b", buffers[1])], [place("y", buffers[2])])
    device.synchronize(device.copy_d2h(buffers[2], 0, memoryview(result).cast("B")), 60.0)
    return result


def test_what_is_not_here_is_absent_with_all_that_is_missing_and_delays_nothing():
    plugins = [plugin for plugin in find_plugins(found=[]) if plugin.name in ("cuda", "cann")]
    assert [plugin.configuration and plugin.configuration.verified for plugin in plugins] == [False, False]
    manager = RuntimeManager(plugins)
    manager.start()
    try:
        assert manager.wait(60.0)
        for name, device, library, package in (
            ("cuda", "/dev/nvidia0", "libcuda.so.1", "cuda-bindings"),
            ("cann", "/dev/davinci0", "libascendcl.so", "pyACL (CANN toolkit)"),
        ):
            status = manager.status(name)
            if status.state == DeviceState.HEALTHY:
                pytest.skip("the hardware is here")
            assert status.state == DeviceState.ABSENT
            assert status.reason is not None
            assert status.reason.code == "runtime_absent"
            missing = status.reason.params["missing"]
            assert {device, library, package} & set(missing), missing
            assert not status.verified
            with pytest.raises(RuntimeFault, match="This host has no"):
                manager.open(name, 0)
    finally:
        manager.stop()


def test_all_that_is_missing_is_named_at_once():
    with pytest.raises(RuntimeFault) as caught:
        require("x", ["/no/such[0-9]*", "/no/other"], ["libno.so.7"], ["numpy", "no.such.package pip-name"])
    assert caught.value.params["missing"] == ["/no/such0", "libno.so.7", "pip-name"]
    require("x", ["/no/such", "/dev/null"], ["libc.so.6"], ["numpy"])


class TestCuda:
    def test_a_gpu_describes_itself(self, driver):
        first, second = CudaRuntime(PRESENT).probe()
        assert (first.name, first.device_type, first.memory_size_bytes) == ("NVIDIA A100-SXM4-80GB", "GPU", 64 << 20)
        assert first.precisions == ("fp64", "fp32", "tf32", "bf16", "fp16", "int8")
        assert set(first.capabilities) == {
            Capability.PARTITION, Capability.PREEMPT, Capability.ASYNC_COPY, Capability.ASYNC_FREE, Capability.PEER_COPY
        }  # fmt: skip
        assert second.position == {
            "pci_address": "ffff:02:00.0", "compute_capability": "8.0", "uuid": "GPU-1", "mig": False
        }  # fmt: skip
        assert first.versions == {"cuda_driver": "13.2", "nvidia_driver": "580.95.05", "onnxruntime": "1.99.0"}

    def test_everything_is_given_back(self, driver):
        devices = [Device(CudaRuntime(PRESENT).open(1)) for _ in range(2)]
        for device in devices:
            assert (product(device) == 16).all()
        assert driver.retained == [0, 2]
        assert live_bytes(driver) == [0, 2 * 3 * 1024]
        for device in devices:
            device.close()
        assert (live_bytes(driver), driver.retained) == ([0, 0], [0, 0])
        assert (driver.streams, driver.events) == ({}, {})
        assert driver.calls.count("alloc") == driver.calls.count("free") == 6

    def test_two_gpus_in_one_process_do_not_mix(self, driver):
        runtime = CudaRuntime(PRESENT)
        first, second = Device(runtime.open(0)), Device(runtime.open(1))
        first.alloc(64)
        assert (product(second) == 16).all()
        assert (product(first) == 16).all()
        assert live_bytes(driver) == [64 + 3 * 1024, 3 * 1024]
        first.close()
        second.close()

    def test_the_sessions_use_our_stream_and_round_only_if_asked(self, driver):
        device = Device(CudaRuntime({**PRESENT, "provider_options": {"gpu_mem_limit": 5}}).open(0))
        for options in ({"precision": "model"}, {"precision": "default"}):
            product(device, options)
        made = importlib.import_module("onnxruntime").InferenceSession.made
        assert [options["use_tf32"] for options in made] == ["0", "1"]
        assert {options["gpu_mem_limit"] for options in made} == {"5"}
        assert int(made[0]["user_compute_stream"]) in driver.streams
        device.close()

    def test_a_precision_that_the_model_has_not_is_refused(self, driver):
        opened = CudaRuntime(PRESENT).open(0)
        opened.load(canary_model(), {"precision": "fp32"})
        with pytest.raises(RuntimeFault, match="fp32 where fp16") as caught:
            opened.load(canary_model(), {"precision": "fp16"})
        assert caught.value.code == "program_refused"
        opened.close()

    def test_runs_are_timed_by_the_devices_events(self, driver):
        device = Device(CudaRuntime(PRESENT).open(0))
        program = device.load(chain_model())
        buffers = [device.alloc(128 * 128 * 4) for _ in range(2)]
        device.copy_h2d(buffers[0], 0, memoryview(np.ones(128 * 128, np.float32)).cast("B"))
        x, y = (place(name, buffer, 128) for name, buffer in zip("xy", buffers, strict=True))
        seconds = device.time_runs(program, [x], [y], 3, 60.0)
        assert len(seconds) == 3
        assert min(seconds) > 0
        device.close()

    def test_counters_and_health(self, driver):
        runtime = CudaRuntime(PRESENT)
        first, second = Device(runtime.open(0)), Device(runtime.open(1))
        assert (first.energy_j(), second.energy_j()) == (12.5, None)
        assert first.health() == {
            "temperature_c": 41.0, "power_w": 61.25, "clock_mhz": 1155.0, "memory_used_bytes": 25.0,
            "throttle": "power_cap,thermal",
        }  # fmt: skip
        first.close()
        second.close()

    def test_memory_that_is_full_is_said_so(self, driver):
        device = Device(CudaRuntime(PRESENT).open(0))
        driver.memories[0].capacity = 1 << 20
        with pytest.raises(RuntimeFault) as caught:
            device.alloc(2 << 20)
        assert caught.value.code == "device_memory_full"
        device.close()

    def test_a_tensor_that_does_not_fit_its_buffer_is_refused(self, driver):
        device = Device(CudaRuntime(PRESENT).open(0))
        program = device.load(canary_model())
        small = device.alloc(1023)
        event = device.launch(program, [place("a", small), place("b", small)], [place("y", small)])
        with pytest.raises(RuntimeFault) as caught:
            device.synchronize(event, 60.0)
        assert caught.value.code == "copy_out_of_range"
        device.close()

    def test_without_nvml_only_its_part_is_missing(self, driver, monkeypatch):
        monkeypatch.setenv("NVML_FAKE", "none")
        runtime = CudaRuntime(PRESENT)
        device = runtime.probe()[0]
        assert device.state == DeviceState.HEALTHY
        assert "uuid" not in device.position
        assert Capability.PARTITION not in device.capabilities
        opened = runtime.open(0)
        assert (opened.energy_j(), opened.health()) == (None, {})
        opened.close()

    def test_a_driver_without_devices_is_absent(self, driver, monkeypatch):
        monkeypatch.setenv("CUDA_FAKE", "none")
        with pytest.raises(RuntimeFault) as caught:
            CudaRuntime(PRESENT).probe()
        assert caught.value.code == "runtime_absent"

    @pytest.mark.parametrize(
        ("variable", "value", "says"),
        [("NVML_FAKE", "prohibited", "Prohibited"), ("ORT_FAKE", "cpu", "onnxruntime-gpu")],
    )
    def test_a_gpu_that_cannot_be_used_says_why(self, driver, monkeypatch, variable, value, says):
        monkeypatch.setenv(variable, value)
        device = CudaRuntime(PRESENT).probe()[1]
        assert device.state == DeviceState.UNUSABLE
        assert device.reason is not None
        assert says in device.reason.message

    def test_a_provider_that_does_not_load_is_no_silent_processor(self, driver, monkeypatch):
        monkeypatch.setenv("ORT_FAKE", "nocudnn")
        opened = CudaRuntime(PRESENT).open(0)
        with pytest.raises(RuntimeFault, match="could not be loaded") as caught:
            opened.load(canary_model(), {})
        assert caught.value.code == "program_refused"
        opened.close()

    def test_what_runs_on_the_host_is_named(self, driver):
        import onnx

        model = onnx.load_from_string(canary_model())
        model.graph.node.append(onnx.helper.make_node("NonZero", ["a"], ["n"]))
        device = Device(CudaRuntime(PRESENT).open(0))
        assert device.details(device.load(model.SerializeToString()))["fallbacks"] == ["NonZero"]
        device.close()

    def test_precisions_by_compute_capability(self):
        assert precisions(7, 0) == ("fp64", "fp32", "fp16", "int8")
        assert precisions(9, 0) == ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8")


CARDS = """
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
| 0     910B3               | OK            | 88.5        44                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3161 / 65536         |
| 1     910B3               | Alarm         | NA          47                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          3161 / 65536         |
"""


class TestCann:
    def test_a_processor_describes_itself_by_the_runtime_and_npu_smi(self, rt, monkeypatch):
        monkeypatch.setattr(
            "heteroopt.runtimes.plugins.cann.runtime.read_cards", lambda: smi.read_cards(lambda _: CARDS)
        )
        first, second = CannRuntime(PRESENT).probe()
        assert (first.name, first.memory_size_bytes, first.state) == ("Ascend 910B3", 64 << 20, DeviceState.HEALTHY)
        assert first.position == {"soc": "Ascend910B3", "pci_address": "0000:c1:00.0"}
        assert first.precisions == ("fp32", "bf16", "fp16", "int8")
        assert second.state == DeviceState.UNUSABLE
        assert second.reason is not None
        assert "Alarm" in second.reason.message
        assert CannRuntime(PRESENT).open(0).health() == {"health": "OK", "power_w": 88.5, "temperature_c": 44.0}

    def test_everything_is_given_back_and_two_processors_do_not_mix(self, rt):
        runtime = CannRuntime(PRESENT)
        first, second = Device(runtime.open(0)), Device(runtime.open(1))
        first.alloc(64)
        assert (product(second) == 16).all()
        assert (product(first) == 16).all()
        assert live_bytes(rt) == [64 + 3 * 1024, 3 * 1024]
        runtime.probe()  # while devices are open
        first.close()
        second.close()
        assert live_bytes(rt) == [0, 0]
        assert rt.streams == {}
        assert rt.calls.count("malloc") == rt.calls.count("free") == 7

    def test_only_aligned_copies_inside_the_device_are_asynchronous(self, rt):
        device = Device(CannRuntime(PRESENT).open(0))
        a, b, host = device.alloc(4096), device.alloc(4096), np.arange(4096, dtype=np.uint8)
        device.copy_h2d(a, 0, memoryview(host))
        device.copy_d2d(a, 64, b, 128, 512)
        device.copy_d2d(a, 24, b, 40, 16)
        found = np.zeros(640, np.uint8)
        device.synchronize(device.copy_d2h(b, 0, memoryview(found)), 60.0)
        assert rt.calls[2:] == ["memcpy", "memcpy_async", "memcpy", "memcpy"]
        assert (found[128:640] == host[64:576]).all()
        assert (found[40:56] == host[24:40]).all()
        device.close()

    def test_types_stay_those_of_the_model_unless_asked(self, rt):
        device = Device(CannRuntime(PRESENT).open(0))
        for precision in ("model", "fp32", "fp16", "default"):
            device.load(canary_model(), {"precision": precision})
        made = importlib.import_module("onnxruntime").InferenceSession.made
        modes = ["must_keep_origin_dtype", "force_fp32", "force_fp16", None]
        assert [options.get("precision_mode") for options in made] == modes
        with pytest.raises(RuntimeFault, match="fp32 where bf16"):
            device.load(canary_model(), {"precision": "bf16"})
        device.close()

    def test_single_operators_can_be_asked_for(self, rt):
        asked = {**PRESENT, "provider_options": {"enable_cann_graph": 0}}
        assert CannRuntime(asked).probe()[0].capabilities == (Capability.ASYNC_COPY,)
        assert Capability.GRAPH_ONLY in CannRuntime(PRESENT).probe()[0].capabilities

    def test_a_runtime_without_devices_is_absent(self, rt, monkeypatch):
        monkeypatch.setenv("ACL_FAKE", "none")
        with pytest.raises(RuntimeFault) as caught:
            CannRuntime(PRESENT).probe()
        assert caught.value.code == "runtime_absent"

    def test_the_environment_says_which_chip_is_which(self, monkeypatch):
        cards = smi.read_cards(lambda _: CARDS)
        monkeypatch.setenv(smi.VISIBLE, "1")
        found = smi.card_of(0, cards)
        assert found is not None
        assert found.pci_address == "0000:c2:00.0"
        assert smi.card_of(1, cards) is None
        assert smi.read_cards(lambda _: "| 0  910B | OK | 1 |\n| 0 | nowhere | 1 |") == []

    def test_versions_of_driver_and_toolkit_belong_to_the_fingerprint(self, rt, tmp_path, monkeypatch):
        info = tmp_path / "version.info"
        info.write_text("Version=24.1.0\nascendhal_version=7.35.23\n")
        (tmp_path / "version.cfg").write_text("# version\ntoolkit_installed_version=[8.2.0.1:8.2.RC1]\n")
        monkeypatch.setattr(smi, "DRIVER_INFO", info)
        monkeypatch.setenv("ASCEND_TOOLKIT_HOME", str(tmp_path))
        versions = CannRuntime(PRESENT).versions()
        assert versions["ascend_driver"] == "24.1.0"
        assert versions["cann_toolkit"] == "[8.2.0.1:8.2.RC1]"
        assert versions["acl"] == "1.14.0"
