"""What discovery says: the devices of a runtime, what each can do, where it sits, and why one cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from heteroopt.errors import HeteroOptError
from heteroopt.runtimes.errors import RuntimeFault


class DeviceState(StrEnum):
    """States of a device. Only ``healthy`` ones get work."""

    ABSENT = "absent"
    """The runtime is here, the hardware is not."""
    UNUSABLE = "unusable"
    """It is listed, but it cannot compute; the reason says why."""
    HEALTHY = "healthy"
    CORDONED = "cordoned"
    """A person keeps work away from it."""
    FAULTY = "faulty"
    """It worked and then failed: its process died, hung or gave wrong results."""


class Capability(StrEnum):
    """What a device can do beyond running one program after another."""

    PARTITION = "partition"
    """Can be split into parts that do not disturb each other (core sets, MIG)."""
    PREEMPT = "preempt"
    """A running program can be interrupted, so time slicing is safe."""
    ASYNC_COPY = "async_copy"
    """Copies run beside programs (copy engines)."""
    ASYNC_FREE = "async_free"
    """The vendor's own free waits for what is in flight; ours waits in any case."""
    PEER_COPY = "peer_copy"
    """Copies to another device of the same runtime without the host."""
    GRAPH_ONLY = "graph_only"
    """Runs compiled graphs, no single operators, so single-operator costs do not add up."""
    HOST_MEMORY = "host_memory"
    """Its memory is the host's."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is not usable: a stable code, the English sentence, what to do, and its figures."""

    code: str
    message: str
    hint: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, error: HeteroOptError) -> Reason:
        """Return what an error says."""
        return cls(error.code, error.message, error.hint, error.params)

    def error(self) -> RuntimeFault:
        """Return the error to raise for it."""
        return RuntimeFault.from_dict(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the form of an error in an API answer."""
        return {"code": self.code, "message": self.message, "hint": self.hint, "params": dict(self.params)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Reason:
        """Read ``to_dict``'s form."""
        return cls(str(data["code"]), str(data["message"]), str(data.get("hint", "")), dict(data.get("params", {})))


@dataclass(frozen=True, slots=True)
class DeviceDescription:
    """One device of a runtime.

    ``index``: what ``open`` takes. ``memory_size_bytes``: what programs can use, 0 if the runtime does not say.
    ``precisions``: "fp32", "bf16", ..., those that it computes in without emulation. ``position``: where it sits, as
    far as known: ``numa_node``, ``cores``, ``pci_address``, ``node``. ``versions``: driver and firmware by name.
    """

    index: int
    name: str
    device_type: str
    memory_size_bytes: int
    precisions: tuple[str, ...]
    capabilities: tuple[Capability, ...] = ()
    position: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    state: DeviceState = DeviceState.HEALTHY
    reason: Reason | None = None

    def can(self, capability: Capability) -> bool:
        """Whether the capability bit is set."""
        return capability in self.capabilities

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dictionary that ``from_dict`` reads back."""
        return {
            "index": self.index,
            "name": self.name,
            "device_type": self.device_type,
            "memory_size_bytes": self.memory_size_bytes,
            "precisions": list(self.precisions),
            "capabilities": [str(bit) for bit in self.capabilities],
            "position": dict(self.position),
            "versions": dict(self.versions),
            "state": str(self.state),
            "reason": self.reason.to_dict() if self.reason else None,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DeviceDescription:
        """Read ``to_dict``'s form; a capability that this version does not know is left out."""
        known = {str(bit) for bit in Capability}
        return cls(
            index=int(data["index"]),
            name=str(data["name"]),
            device_type=str(data["device_type"]),
            memory_size_bytes=int(data["memory_size_bytes"]),
            precisions=tuple(str(name) for name in data["precisions"]),
            capabilities=tuple(Capability(bit) for bit in data["capabilities"] if bit in known),
            position=dict(data["position"]),
            versions={str(key): str(value) for key, value in data["versions"].items()},
            state=DeviceState(data["state"]),
            reason=Reason.from_dict(data["reason"]) if data.get("reason") else None,
        )


@dataclass(frozen=True, slots=True)
class RuntimeDescription:
    """What a runtime's process says of itself: versions of its packages, its devices, its fingerprint's hash.

    ``verified``: whether somebody has run the plugin on its hardware, by its configuration.
    """

    name: str
    versions: Mapping[str, str]
    devices: tuple[DeviceDescription, ...]
    fingerprint: str
    verified: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dictionary that ``from_dict`` reads back."""
        return {
            "name": self.name,
            "versions": dict(self.versions),
            "devices": [device.to_dict() for device in self.devices],
            "fingerprint": self.fingerprint,
            "verified": self.verified,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RuntimeDescription:
        """Read ``to_dict``'s form."""
        return cls(
            name=str(data["name"]),
            versions={str(key): str(value) for key, value in data["versions"].items()},
            devices=tuple(DeviceDescription.from_dict(device) for device in data["devices"]),
            fingerprint=str(data["fingerprint"]),
            verified=bool(data.get("verified", True)),
        )
