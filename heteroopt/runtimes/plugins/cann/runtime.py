"""The CANN runtime of this plugin. Its libraries are imported in its own process, when it is probed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from heteroopt.devices.topology.ascend import NpuCard
from heteroopt.runtimes.description import Capability, DeviceDescription, DeviceState, Reason
from heteroopt.runtimes.errors import RuntimeFault, absent
from heteroopt.runtimes.plugin import Runtime
from heteroopt.runtimes.plugins.cann.acl_api import AclApi, AclDevice, precisions
from heteroopt.runtimes.plugins.cann.device import PROVIDER, CannDriver
from heteroopt.runtimes.plugins.cann.smi import UNUSABLE, card_of, installed_versions, read_cards
from heteroopt.runtimes.presence import pci_numa_node, require

DEVICE_NODES = ("/dev/davinci[0-9]*",)
LIBRARIES = ("libascendcl.so",)
PACKAGES = ("acl pyACL (CANN toolkit)", "onnxruntime onnxruntime-cann")


class CannRuntime(Runtime):
    """Settings: ``device_nodes``, ``libraries`` (what must be there), ``provider_options`` of the CANN provider."""

    name = "cann"

    def versions(self) -> Mapping[str, str]:
        found = {"acl": self._api.version(), "onnxruntime": str(self._ort.__version__), **installed_versions()}
        with suppress(PackageNotFoundError):
            found["onnxruntime-cann"] = version("onnxruntime-cann")
        return found

    def probe(self) -> Sequence[DeviceDescription]:
        cards = read_cards()
        return [self._describe(index, card_of(index, cards)) for index in range(self._count())]

    def open(self, index: int) -> CannDriver:
        if not 0 <= index < self._count():
            raise RuntimeFault("device_unknown", f"CANN has no device {index} here.", device=index)
        return CannDriver(self._api, self._ort, index, lambda: card_of(index, read_cards()), self._provider_options())

    @cached_property
    def _api(self) -> AclApi:
        require(
            self.name,
            self.settings.get("device_nodes", DEVICE_NODES),
            self.settings.get("libraries", LIBRARIES),
            PACKAGES,
        )
        return AclApi()

    @cached_property
    def _ort(self) -> Any:
        import onnxruntime

        return onnxruntime

    def _count(self) -> int:
        count = int(self._api.call("rt.get_device_count"))
        if not count:
            raise absent(self.name, ["Ascend device"])
        return count

    def _provider_options(self) -> dict[str, str]:
        return {str(key): str(value) for key, value in self.settings.get("provider_options", {}).items()}

    def _capabilities(self) -> tuple[Capability, ...]:
        single = self._provider_options().get("enable_cann_graph", "1").lower() in ("0", "false")
        return (Capability.ASYNC_COPY,) if single else (Capability.ASYNC_COPY, Capability.GRAPH_ONLY)

    def _describe(self, index: int, card: NpuCard | None) -> DeviceDescription:
        memory = AclDevice(self._api, index).memory_bytes()
        soc = self._api.soc_name()
        position: dict[str, Any] = {"soc": soc}
        if card is not None:
            position["pci_address"] = card.pci_address
            numa_node = pci_numa_node(card.pci_address)
            if numa_node is not None:
                position["numa_node"] = numa_node
        reason = self._unusable(card)
        return DeviceDescription(
            index=index,
            name=card.name if card is not None else soc or f"NPU {index}",
            device_type="NPU",
            memory_size_bytes=memory,
            precisions=precisions(soc),
            capabilities=self._capabilities(),
            position=position,
            versions=self.versions(),
            state=DeviceState.UNUSABLE if reason else DeviceState.HEALTHY,
            reason=reason,
        )

    def _unusable(self, card: NpuCard | None) -> Reason | None:
        says = ""
        if card is not None and card.health in UNUSABLE:
            says = f"npu-smi calls its health {card.health}"
        elif PROVIDER not in self._ort.get_available_providers():
            says = f"the package onnxruntime here has no {PROVIDER}; install onnxruntime-cann instead"
        if not says:
            return None
        return Reason.of(RuntimeFault("device_unusable", f"It cannot be used: {says}.", device="CANN", says=says))
