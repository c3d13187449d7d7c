"""The CUDA runtime of this plugin. Its libraries are imported in its own process, when it is probed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from heteroopt.runtimes.description import Capability, DeviceDescription, DeviceState, Reason
from heteroopt.runtimes.errors import RuntimeFault, absent
from heteroopt.runtimes.plugin import Runtime
from heteroopt.runtimes.plugins.cuda.device import PROVIDER, CudaDriver
from heteroopt.runtimes.plugins.cuda.driver_api import DriverApi, precisions
from heteroopt.runtimes.plugins.cuda.nvml import Nvml, NvmlDevice
from heteroopt.runtimes.presence import pci_numa_node, require

DEVICE_NODES = ("/dev/nvidia[0-9]*", "/dev/dxg", "/dev/nvhost-gpu", "/dev/nvgpu/igpu0/*")
LIBRARIES = ("libcuda.so.1",)
PACKAGES = ("cuda.bindings cuda-bindings", "onnxruntime onnxruntime-gpu")
INSTALLED = ("onnxruntime-gpu", "cuda-bindings", "nvidia-ml-py")
_NOT_THERE = ("CUDA_ERROR_NO_DEVICE",)


class CudaRuntime(Runtime):
    """Settings: ``device_nodes``, ``libraries`` (what must be there), ``provider_options`` of the CUDA provider."""

    name = "cuda"

    def versions(self) -> Mapping[str, str]:
        found = {"cuda_driver": self._api.version(), "onnxruntime": str(self._ort.__version__)}
        if self._nvml.driver_version():
            found["nvidia_driver"] = self._nvml.driver_version()
        for package in INSTALLED:
            try:
                found[package] = version(package)
            except PackageNotFoundError:
                continue
        return found

    def probe(self) -> Sequence[DeviceDescription]:
        return [self._describe(index) for index in range(self._count())]

    def open(self, index: int) -> CudaDriver:
        if not 0 <= index < self._count():
            raise RuntimeFault("device_unknown", f"CUDA has no device {index} here.", device=index)
        return CudaDriver(self._api, self._ort, index, self._nvml_device(index), self._provider_options())

    @cached_property
    def _api(self) -> DriverApi:
        require(
            self.name,
            self.settings.get("device_nodes", DEVICE_NODES),
            self.settings.get("libraries", LIBRARIES),
            PACKAGES,
        )
        try:
            return DriverApi()
        except RuntimeFault as error:
            if error.params.get("kind") in _NOT_THERE:
                raise absent(self.name, ["CUDA device"]) from error
            raise

    @cached_property
    def _ort(self) -> Any:
        import onnxruntime

        return onnxruntime

    @cached_property
    def _nvml(self) -> Nvml:
        return Nvml()

    def _count(self) -> int:
        count = int(self._api.call("cuDeviceGetCount"))
        if not count:
            raise absent(self.name, ["CUDA device"])
        return count

    def _provider_options(self) -> dict[str, str]:
        return {str(key): str(value) for key, value in self.settings.get("provider_options", {}).items()}

    def _address(self, index: int) -> str:
        return self._api.text("cuDeviceGetPCIBusId", 32, self._api.call("cuDeviceGet", index)).lower()

    def _nvml_device(self, index: int) -> NvmlDevice | None:
        return self._nvml.device(self._address(index))

    def _describe(self, index: int) -> DeviceDescription:
        device = self._api.call("cuDeviceGet", index)
        address, nvml = self._address(index), self._nvml_device(index)
        capability = tuple(
            self._api.attribute(f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{part}", device) for part in ("MAJOR", "MINOR")
        )
        position: dict[str, Any] = {"pci_address": address, "compute_capability": f"{capability[0]}.{capability[1]}"}
        numa_node = pci_numa_node(address)
        if numa_node is not None:
            position["numa_node"] = numa_node
        if nvml is not None and nvml.uuid():
            position["uuid"] = nvml.uuid()
        if nvml is not None and nvml.mig() is not None:
            position["mig"] = nvml.mig()
        reason = self._unusable(nvml)
        return DeviceDescription(
            index=index,
            name=self._api.text("cuDeviceGetName", 256, device),
            device_type="GPU",
            memory_size_bytes=int(self._api.call("cuDeviceTotalMem", device)),
            precisions=precisions(*capability),
            capabilities=self._capabilities(index, device, nvml),
            position=position,
            versions=self.versions(),
            state=DeviceState.UNUSABLE if reason else DeviceState.HEALTHY,
            reason=reason,
        )

    def _capabilities(self, index: int, device: Any, nvml: NvmlDevice | None) -> tuple[Capability, ...]:
        others = (self._api.call("cuDeviceGet", other) for other in range(self._count()) if other != index)
        bits = {
            Capability.PARTITION: nvml is not None and nvml.mig() is not None,
            Capability.PREEMPT: self._api.attribute("CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED", device) > 0,
            Capability.ASYNC_COPY: self._api.attribute("CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT", device) > 0,
            Capability.ASYNC_FREE: True,  # cuMemFree waits for the device
            Capability.PEER_COPY: any(self._api.call("cuDeviceCanAccessPeer", device, other) for other in others),
        }
        return tuple(bit for bit, has in bits.items() if has)

    def _unusable(self, nvml: NvmlDevice | None) -> Reason | None:
        says = ""
        if nvml is not None and nvml.prohibited():
            says = "its compute mode is Prohibited; nvidia-smi -c 0 changes it"
        elif PROVIDER not in self._ort.get_available_providers():
            says = f"the package onnxruntime here has no {PROVIDER}; install onnxruntime-gpu instead"
        if not says:
            return None
        return Reason.of(RuntimeFault("device_unusable", f"It cannot be used: {says}.", device="CUDA", says=says))
