"""Links between devices and the default figures of each link class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heteroopt.devices.checks import identifier, in_range
from heteroopt.errors import PoolError


@dataclass(frozen=True, slots=True)
class LinkClass:
    """Effective figures of a class of link, one direction: not the wire's peak but what a copy reaches."""

    bandwidth_gb_per_s: float
    latency_us: float
    energy_pj_per_byte: float
    source: str


LINK_CLASSES: dict[str, LinkClass] = {
    "NVLink": LinkClass(250.0, 5.0, 80.0, "A100 data sheet: 600 GB/s both ways; estimate: 83 % of 300 reached"),
    "xGMI": LinkClass(50.0, 5.0, 80.0, "MI300X data sheet: 64 GB/s a link and direction; estimate: 80 % reached"),
    "HCCS": LinkClass(24.0, 8.0, 100.0, "Ascend 910 (Hot Chips 31): 30 GB/s a link; estimate: 80 % reached"),
    "UPI": LinkClass(40.0, 1.0, 100.0, "Xeon 8480+: 16 GT/s, 32 GB/s a link and direction; estimate for three links"),
    "PCIe": LinkClass(24.0, 10.0, 160.0, "PCIe 4.0 x16: 31.5 GB/s; estimate: 76 % reached with pinned memory"),
    "PCIe3": LinkClass(12.0, 10.0, 160.0, "PCIe 3.0 x16: 15.75 GB/s; estimate: 76 % reached with pinned memory"),
    "PCIe5": LinkClass(50.0, 10.0, 160.0, "PCIe 5.0 x16: 63 GB/s; estimate: 79 % reached with pinned memory"),
    "InfiniBand": LinkClass(45.0, 6.0, 1000.0, "NDR 400 Gbit/s: 50 GB/s; estimate: 90 % reached"),
    "Ethernet": LinkClass(2.8, 40.0, 5000.0, "25 Gbit/s: 3.1 GB/s; estimate: 90 % reached over TCP"),
    "on-chip": LinkClass(100.0, 5.0, 10.0, "estimate: hand-over between engines of one chip through its memory"),
}
"""Copies between devices by link class; NVLink, PCIe and Ethernet are an order of magnitude apart."""


@dataclass(frozen=True, slots=True)
class Link:
    """A connection of two devices, or of a device and ``"host"`` in a pool without a CPU.

    A copy takes ``latency_us + bytes / bandwidth_gb_per_s`` and ``energy_pj_per_byte`` above idle. ``directed``
    = False means both directions, each with a channel of its own; links that name the same ``channel`` share one
    (a PCIe switch). A figure left at ``None`` comes from ``LINK_CLASSES[link_class]``.
    Raises ``PoolError`` for an unknown class, equal ends or a figure out of range.
    """

    source: str
    target: str
    bandwidth_gb_per_s: float = None  # type: ignore[assignment]
    latency_us: float = None  # type: ignore[assignment]
    energy_pj_per_byte: float = None  # type: ignore[assignment]
    link_class: str = "PCIe"
    channel: str | None = None
    directed: bool = False

    def __post_init__(self) -> None:
        identifier(self.source, what="Link source")
        identifier(self.target, what="Link target")
        where = f"link {self.source} - {self.target}"
        if self.source == self.target:
            raise PoolError("link_to_self", f"{where}: a link needs two different ends.", where=where, name=self.source)
        defaults = LINK_CLASSES.get(self.link_class) if isinstance(self.link_class, str) else None
        if defaults is None:
            raise PoolError(
                "unknown_link_class",
                f"{where}: there is no link class {self.link_class!r}.",
                hint=f"Use one of {', '.join(LINK_CLASSES)}, with figures of your own where they differ.",
                where=where,
                link_class=str(self.link_class),
                known=list(LINK_CLASSES),
            )
        for field in ("bandwidth_gb_per_s", "latency_us", "energy_pj_per_byte"):
            value = getattr(self, field)
            value = getattr(defaults, field) if value is None else value
            object.__setattr__(self, field, in_range(field, value, where=where))
        if self.channel is not None:
            identifier(self.channel, what="Channel")
        if not isinstance(self.directed, bool):
            raise PoolError("wrong_type", f"{where}: directed must be true or false.", where=where, field="directed")

    def to_dict(self) -> dict[str, object]:
        """JSON-able form, every field present."""
        return {field: getattr(self, field) for field in LINK_FIELDS}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Link:
        """Inverse of ``to_dict``; unknown keys and missing ends raise ``PoolError``."""
        unknown = sorted(set(data) - set(LINK_FIELDS))
        missing = [field for field in ("source", "target") if field not in data]
        if unknown or missing:
            raise PoolError(
                "link_fields",
                f"A link has {'unknown fields ' + ', '.join(unknown) if unknown else 'no ' + ' and '.join(missing)}.",
                hint=f"Its fields are {', '.join(LINK_FIELDS)}.",
                unknown=unknown,
                missing=missing,
            )
        return cls(**data)  # type: ignore[arg-type]


LINK_FIELDS: tuple[str, ...] = tuple(Link.__dataclass_fields__)
