"""DeviceSpec: what the planner must know about one device, with the source of each figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from heteroopt.devices.checks import identifier, in_range, numbers, whole
from heteroopt.devices.efficiency import OP_CLASSES, default_bandwidth_efficiency, default_efficiency
from heteroopt.devices.precisions import PRECISIONS
from heteroopt.devices.spec_checks import check_power, known, mapping, operators, text
from heteroopt.errors import PoolError
from heteroopt.units import FLOP_PER_GFLOP, PJ_PER_J

DEVICE_TYPES: tuple[str, ...] = ("GPU", "CPU", "NPU", "FPGA")


@dataclass(frozen=True, init=False)
class DeviceSpec:
    """One device. ``DeviceSpec(template="NVIDIA_A100_40G", name="gpu0")`` takes all figures from a template; any
    keyword overrides one of them, and ``DeviceSpec(name=..., device_type=..., ...)`` describes a device from nothing.

    peak_gflop_per_s: dense peak per precision (``"fp32": 19500.0``). Empty, together with a bandwidth of 0, for a
        device whose costs are all given or measured.
    energy_pj_per_flop: power at peak over peak, per precision, idle power included.
    energy_pj_per_byte: of device memory, above idle. idle_power_w, active_power_w: the board at rest and at its limit.
    launch_overhead_us: part of every operator's time. segment_launch_us: what the runtime takes to start one program, a
        run of operators (``heteroopt.partition``); 0 takes what a calibration measured, or nothing.
    efficiency, bandwidth_efficiency: fraction of peak reached per operator class; defaults by type.
    supported_ops: ONNX operator types it can run, ``None`` (in files ``"all"``) for all; ``unsupported_ops`` are
        taken off that.
    memory_cap_bytes: a limit of the user's. workspace_bytes: kept free for the runtime.
    memory_domain: devices that name the same one share one memory. sources: where each figure is from.
    Raises ``PoolError`` for anything missing, of a wrong type, or out of range.
    """

    name: str
    template: str
    display_name: str
    vendor: str
    device_type: str
    peak_gflop_per_s: Mapping[str, float]
    memory_size_bytes: int
    memory_bandwidth_gb_per_s: float
    energy_pj_per_flop: Mapping[str, float]
    energy_pj_per_byte: float
    idle_power_w: float
    active_power_w: float
    launch_overhead_us: float
    segment_launch_us: float
    efficiency: Mapping[str, float]
    bandwidth_efficiency: Mapping[str, float]
    supported_ops: frozenset[str] | None
    unsupported_ops: frozenset[str]
    memory_cap_bytes: int | None
    workspace_bytes: int
    cost_per_hour: float | None
    memory_domain: str | None
    sources: Mapping[str, str]

    def __init__(
        self,
        *,
        name: str | None = None,
        template: str | None = None,
        display_name: str | None = None,
        vendor: str | None = None,
        device_type: str | None = None,
        peak_gflop_per_s: Mapping[str, float] | None = None,
        memory_size_bytes: int | None = None,
        memory_bandwidth_gb_per_s: float | None = None,
        energy_pj_per_flop: Mapping[str, float] | None = None,
        energy_pj_per_byte: float | None = None,
        idle_power_w: float | None = None,
        active_power_w: float | None = None,
        launch_overhead_us: float | None = None,
        segment_launch_us: float | None = None,
        efficiency: Mapping[str, float] | None = None,
        bandwidth_efficiency: Mapping[str, float] | None = None,
        supported_ops: Iterable[str] | str | None = None,
        unsupported_ops: Iterable[str] | None = None,
        memory_cap_bytes: int | None = None,
        workspace_bytes: int | None = None,
        cost_per_hour: float | None = None,
        memory_domain: str | None = None,
        sources: Mapping[str, str] | None = None,
    ) -> None:
        given = locals()
        overrides = {field: given[field] for field in DEVICE_FIELDS if given[field] is not None}
        self._assign({**_base(template), **overrides})

    def _assign(self, values: Mapping[str, Any]) -> None:
        """Check every value and set it."""
        name = identifier(values.get("name"), what="Device name")
        where = f"device {name}"
        device_type = values.get("device_type")
        if device_type not in DEVICE_TYPES:
            raise PoolError(
                "device_type",
                f"{where}: device_type is {device_type!r}.",
                hint=f"Use one of {', '.join(DEVICE_TYPES)}, or start from a template.",
                where=where,
                field="device_type",
                value=str(device_type),
                known=list(DEVICE_TYPES),
            )
        peaks = numbers("peak_gflop_per_s", values.get("peak_gflop_per_s", {}), where=where)
        bandwidth = values.get("memory_bandwidth_gb_per_s", 0.0)
        known("peak_gflop_per_s", peaks, PRECISIONS, where)
        if peaks or bandwidth:
            bandwidth = in_range("memory_bandwidth_gb_per_s", bandwidth, where=where)
            if not peaks:
                raise PoolError(
                    "no_peak",
                    f"{where}: no precision has a peak.",
                    hint="Give peak_gflop_per_s, for example { fp32 = 19500 }.",
                    where=where,
                    field="peak_gflop_per_s",
                )
        idle = in_range("idle_power_w", values.get("idle_power_w", 0.0), where=where)
        active = in_range("active_power_w", values.get("active_power_w", idle), where=where)
        if active < idle:
            raise PoolError(
                "power_order",
                f"{where}: active_power_w = {active:g} is below idle_power_w = {idle:g}.",
                where=where,
                field="active_power_w",
                value=active,
                low=idle,
            )
        derived = {precision: active * PJ_PER_J / (peak * FLOP_PER_GFLOP) for precision, peak in peaks.items()}
        energy = numbers(
            "energy_pj_per_flop",
            values.get("energy_pj_per_flop", derived if active else {}),
            where=where,
        )
        known("energy_pj_per_flop", energy, PRECISIONS, where)
        for precision, peak in peaks.items():
            check_power(precision, peak, energy.get(precision), active, where)
        efficiency = numbers("efficiency", values.get("efficiency", {}), where=where)
        bandwidth_efficiency = numbers("bandwidth_efficiency", values.get("bandwidth_efficiency", {}), where=where)
        known("efficiency", efficiency, OP_CLASSES, where)
        known("bandwidth_efficiency", bandwidth_efficiency, OP_CLASSES, where)
        cap = values.get("memory_cap_bytes")
        cost = values.get("cost_per_hour")
        domain = values.get("memory_domain")
        settled: dict[str, Any] = {
            "name": name,
            "template": text("template", values.get("template", ""), where),
            "display_name": text("display_name", values.get("display_name", name), where),
            "vendor": text("vendor", values.get("vendor", ""), where),
            "device_type": device_type,
            "peak_gflop_per_s": peaks,
            "memory_size_bytes": whole("memory_size_bytes", values.get("memory_size_bytes"), where=where),
            "memory_bandwidth_gb_per_s": float(bandwidth),
            "energy_pj_per_flop": energy,
            "energy_pj_per_byte": in_range("energy_pj_per_byte", values.get("energy_pj_per_byte", 0.0), where=where),
            "idle_power_w": idle,
            "active_power_w": active,
            "launch_overhead_us": in_range("launch_overhead_us", values.get("launch_overhead_us", 0.0), where=where),
            "segment_launch_us": in_range("segment_launch_us", values.get("segment_launch_us", 0.0), where=where),
            "efficiency": {**default_efficiency(device_type), **efficiency},
            "bandwidth_efficiency": {**default_bandwidth_efficiency(device_type), **bandwidth_efficiency},
            "supported_ops": operators("supported_ops", values.get("supported_ops"), where),
            "unsupported_ops": operators("unsupported_ops", values.get("unsupported_ops", ()), where) or frozenset(),
            "memory_cap_bytes": None if cap is None else whole("memory_cap_bytes", cap, where=where),
            "workspace_bytes": whole("workspace_bytes", values.get("workspace_bytes", 0), where=where),
            "cost_per_hour": None if cost is None else in_range("cost_per_hour", cost, where=where),
            "memory_domain": None if domain is None else identifier(domain, what="Memory domain"),
            "sources": {str(key): str(entry) for key, entry in mapping("sources", values.get("sources", {}), where)},
        }
        for field, value in settled.items():
            object.__setattr__(self, field, value)

    def supports(self, op_type: str) -> bool:
        """Whether the device can run an operator of this ONNX type."""
        return op_type not in self.unsupported_ops and (self.supported_ops is None or op_type in self.supported_ops)

    def to_dict(self) -> dict[str, object]:
        """JSON-able form with every field; sets become sorted lists, "all operators" becomes ``"all"``."""
        values = {field: getattr(self, field) for field in DEVICE_FIELDS}
        values["supported_ops"] = "all" if self.supported_ops is None else sorted(self.supported_ops)
        values["unsupported_ops"] = sorted(self.unsupported_ops)
        return {field: dict(value) if isinstance(value, Mapping) else value for field, value in values.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> DeviceSpec:
        """Inverse of ``to_dict``; fields that are absent come from the template that ``data`` names, if it does."""
        if not isinstance(data, Mapping):
            raise PoolError("wrong_type", "A device must be a table of fields.", field="devices")
        unknown = sorted(set(data) - set(DEVICE_FIELDS))
        if unknown:
            raise PoolError(
                "unknown_fields",
                f"device {data.get('name', '?')}: unknown fields {', '.join(unknown)}.",
                hint=f"Known fields: {', '.join(DEVICE_FIELDS)}.",
                where=f"device {data.get('name', '?')}",
                unknown=unknown,
            )
        base = _base(data.get("template")) if set(DEVICE_FIELDS) - {"segment_launch_us"} - set(data) else {}
        spec = object.__new__(cls)
        spec._assign({**base, **{key: value for key, value in data.items() if value is not None}})
        return spec


DEVICE_FIELDS: tuple[str, ...] = tuple(field.name for field in fields(DeviceSpec))


def _base(template: object) -> dict[str, Any]:
    """Values of a template, nothing when none is named."""
    from heteroopt.devices.templates import template_values

    return template_values(template) if template else {}
