"""DevicePool: the devices and links that a plan may use, with the options of the simulation that belong to them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

from heteroopt.devices.checks import in_range
from heteroopt.devices.domains import MemoryDomain, read_domains
from heteroopt.devices.links import Link
from heteroopt.devices.links_default import HOST, directions, missing_host_links
from heteroopt.devices.spec import DeviceSpec
from heteroopt.errors import PoolError

MAX_DEVICES = 256
MAX_LINKS = 4096
IDLE_ENERGY: tuple[str, ...] = ("used", "pool")
POOL_FIELDS: tuple[str, ...] = (
    "name",
    "devices",
    "links",
    "default_device",
    "blocking_transfers",
    "memory_fraction",
    "model_io_on_host",
    "idle_energy",
    "memory_domains",
)
TYPE_LETTERS: dict[str, str] = {"GPU": "G", "CPU": "C", "NPU": "N", "FPGA": "F"}


class DevicePool:
    """Devices by position, links between them, and how transfers, memory and idle energy are counted.

    default_device: the reference of all multiples; the first GPU, else the first device. blocking_transfers: a copy
    also occupies both devices (no copy engine). memory_fraction: usable share of each memory. model_io_on_host:
    model inputs start and outputs end on the host. idle_energy: idle power is counted for the devices a plan uses
    (``"used"``) or for all (``"pool"``). memory_domains: how much devices of a memory domain slow each other, by its
    name: ``MemoryDomain`` or ``{"slowdown": 2.3, "source": "given"}``.
    The host is the first CPU; without one it is an implicit store called ``"host"`` after all devices.
    Raises ``PoolError`` for no or more than 256 devices, equal names, links to unknown ends, two links for one
    direction, and everything that ``DeviceSpec`` and ``Link`` refuse.
    """

    def __init__(
        self,
        devices: Iterable[DeviceSpec],
        links: Iterable[Link] = (),
        *,
        name: str = "",
        default_device: str | None = None,
        blocking_transfers: bool = False,
        memory_fraction: float = 0.85,
        model_io_on_host: bool = True,
        idle_energy: str = "used",
        memory_domains: Mapping[str, MemoryDomain | Mapping[str, object]] | None = None,
    ) -> None:
        self.devices: tuple[DeviceSpec, ...] = tuple(devices)
        self.links: tuple[Link, ...] = tuple(links)
        self.name = name
        self.blocking_transfers = _flag("blocking_transfers", blocking_transfers)
        self.model_io_on_host = _flag("model_io_on_host", model_io_on_host)
        self.memory_fraction = in_range("memory_fraction", memory_fraction, where="pool")
        if idle_energy not in IDLE_ENERGY:
            raise PoolError(
                "idle_energy",
                f"pool: idle_energy is {idle_energy!r}.",
                hint='Use "used" (devices that the plan uses) or "pool" (all devices).',
                field="idle_energy",
                value=str(idle_energy),
            )
        self.idle_energy = idle_energy
        if not isinstance(name, str) or len(name) > 200 or (name and not name.isprintable()):
            raise PoolError("bad_name", "pool: name must be a text of at most 200 characters.", field="name")
        self._index = self._check_devices()
        self._default = self._find_default(default_device)
        self.default_device: str | None = default_device
        self._check_links()
        self.implied_links = missing_host_links(self.devices, self.links, self.store_names[self.host])
        self._check_domains()
        named = [device.memory_domain for device in self.devices if device.memory_domain is not None]
        self.memory_domains = read_domains({} if memory_domains is None else memory_domains, named)

    @property
    def host(self) -> int:
        """Store index of the host: the first CPU, else ``len(devices)`` (implicit)."""
        return next((i for i, device in enumerate(self.devices) if device.device_type == "CPU"), len(self.devices))

    @property
    def store_names(self) -> tuple[str, ...]:
        """Names of all places that hold tensors: the devices, then ``"host"`` if it is implicit."""
        names = tuple(device.name for device in self.devices)
        return names if self.host < len(names) else (*names, HOST)

    @property
    def all_links(self) -> tuple[Link, ...]:
        """Links as given, then the default ones that make every device reachable."""
        return (*self.links, *self.implied_links)

    @property
    def default_index(self) -> int:
        """Index of the default device."""
        return self._default

    @property
    def slowed_devices(self) -> tuple[bool, ...]:
        """Per device whether others in its memory domain slow it."""
        names = [device.memory_domain for device in self.devices]
        slowed = {name for name, domain in self.memory_domains.items() if domain.slowdown > 1 and names.count(name) > 1}
        return tuple(name in slowed for name in names)

    @property
    def notes(self) -> tuple[dict[str, object], ...]:
        """What was assumed: ``{"code": "default_link", "params": {source, target, link_class, ...}}`` per link."""
        return tuple({"code": "default_link", "params": link.to_dict()} for link in self.implied_links)

    def index(self, name: str) -> int:
        """Position of a device. Raises ``PoolError`` (``unknown_device``)."""
        if name not in self._index:
            raise PoolError(
                "unknown_device",
                f"The pool has no device {name!r}.",
                hint=f"Its devices are {', '.join(self._index)}.",
                device=name,
                known=list(self._index),
            )
        return self._index[name]

    def tags(self) -> tuple[str, ...]:
        """Short label per device: type letter and index within the type (``G0 G1 C0 N0``)."""
        seen: dict[str, int] = {}
        tags = []
        for device in self.devices:
            letter = TYPE_LETTERS[device.device_type]
            tags.append(f"{letter}{seen.get(letter, 0)}")
            seen[letter] = seen.get(letter, 0) + 1
        return tuple(tags)

    def slots(self) -> tuple[int, ...]:
        """Position of each device counted from 1: its colour, kept for the life of the pool."""
        return tuple(range(1, len(self.devices) + 1))

    @property
    def content_hash(self) -> str:
        """SHA-256 (hex) over everything that a plan depends on, links assumed by default included; not the name."""
        content = self.to_dict()
        content["links"] = [link.to_dict() for link in self.all_links]
        content["default_device"] = self._default
        content.pop("name")
        # Pools that say nothing of segments have the hash that they had before there were any.
        content["devices"] = [
            {key: value for key, value in device.to_dict().items() if key != "segment_launch_us" or value}
            for device in self.devices
        ]
        return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def to_dict(self) -> dict[str, object]:
        """JSON-able form with every figure of every device; exact inverse of ``from_dict``."""
        domains = {name: domain.to_dict() for name, domain in self.memory_domains.items()}
        return {
            "name": self.name,
            "devices": [device.to_dict() for device in self.devices],
            "links": [link.to_dict() for link in self.links],
            "default_device": self.default_device,
            "blocking_transfers": self.blocking_transfers,
            "memory_fraction": self.memory_fraction,
            "model_io_on_host": self.model_io_on_host,
            "idle_energy": self.idle_energy,
            **({"memory_domains": domains} if domains else {}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Self:
        """Inverse of ``to_dict``; devices may name a template and give only what differs. Raises ``PoolError``."""
        if not isinstance(data, Mapping):
            raise PoolError("wrong_type", "A pool must be a table of fields.")
        unknown = sorted(set(data) - set(POOL_FIELDS))
        if unknown:
            raise PoolError(
                "unknown_fields",
                f"The pool has the unknown fields {', '.join(unknown)}.",
                hint=f"Known fields: {', '.join(POOL_FIELDS)}.",
                where="pool",
                unknown=unknown,
            )
        lists: dict[str, list[Mapping[str, object]]] = {}
        for field in ("devices", "links"):
            entries = data.get(field, [])
            if not isinstance(entries, (list, tuple)) or not all(isinstance(entry, Mapping) for entry in entries):
                raise PoolError("wrong_type", f"pool: {field} must be a list of tables.", where="pool", field=field)
            lists[field] = list(entries)
        if len(lists["devices"]) > MAX_DEVICES or len(lists["links"]) > MAX_LINKS:
            raise _too_many(len(lists["devices"]), len(lists["links"]))
        options = {field: data[field] for field in POOL_FIELDS[3:] if data.get(field) is not None}
        return cls(
            [DeviceSpec.from_dict(entry) for entry in lists["devices"]],
            [Link.from_dict(entry) for entry in lists["links"]],
            name=data.get("name", ""),  # type: ignore[arg-type]
            **options,  # type: ignore[arg-type]
        )

    @classmethod
    def from_toml(cls, source: str | Path) -> Self:
        """Pool from TOML text, or from the file at a path. Raises ``PoolError``, also for a file that is not TOML."""
        from heteroopt.devices.pool_toml import parse_pool_toml

        return cls.from_dict(parse_pool_toml(source))

    def to_toml(self) -> str:
        """TOML text that ``from_toml`` reads back to an equal pool; devices give what differs from their template."""
        from heteroopt.devices.pool_toml import format_pool_toml

        return format_pool_toml(self)

    def without_operators(self, device: str, reasons: Mapping[str, str]) -> Self:
        """Return the pool with a device that does not run these operator types; ``reasons`` says why, by type.

        Raises ``PoolError`` for a device that is not in the pool.
        """
        from heteroopt.devices.unsupported import without_operators

        devices = list(self.devices)
        place = self.index(device)
        devices[place] = without_operators(devices[place], reasons)
        return type(self).from_dict({**self.to_dict(), "devices": [entry.to_dict() for entry in devices]})

    def with_memory_domains(self, found: Mapping[str, MemoryDomain]) -> Self:
        """Return the pool with these figures of memory domains in place of its own. Raises ``PoolError``."""
        domains = {**self.memory_domains, **found}
        entries = {name: domain.to_dict() for name, domain in domains.items()}
        return type(self).from_dict({**self.to_dict(), "memory_domains": entries})

    def __len__(self) -> int:
        return len(self.devices)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DevicePool) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"DevicePool({', '.join(device.name for device in self.devices)})"

    def _check_devices(self) -> dict[str, int]:
        if not all(isinstance(device, DeviceSpec) for device in self.devices):
            raise PoolError("wrong_type", "pool: devices must be DeviceSpec objects.", where="pool", field="devices")
        if not all(isinstance(link, Link) for link in self.links):
            raise PoolError("wrong_type", "pool: links must be Link objects.", where="pool", field="links")
        if not self.devices:
            raise PoolError("no_devices", "The pool has no device.", hint="Add at least one.", field="devices")
        if len(self.devices) > MAX_DEVICES or len(self.links) > MAX_LINKS:
            raise _too_many(len(self.devices), len(self.links))
        index: dict[str, int] = {}
        for position, device in enumerate(self.devices):
            if device.name in index:
                raise PoolError(
                    "duplicate_device",
                    f"Two devices of the pool are called {device.name}.",
                    hint="Give every device its own name.",
                    device=device.name,
                )
            index[device.name] = position
        if HOST in index and self.devices[index[HOST]].device_type != "CPU" and self.host == len(self.devices):
            raise PoolError(
                "reserved_name",
                f'"{HOST}" names the implicit host of a pool without a CPU; call the device otherwise.',
                device=HOST,
            )
        return index

    def _find_default(self, name: str | None) -> int:
        if name is not None:
            return self.index(name)
        return next((i for i, device in enumerate(self.devices) if device.device_type == "GPU"), 0)

    def _check_links(self) -> None:
        stores = set(self.store_names)
        seen: set[tuple[str, str]] = set()
        for link in self.links:
            for end in (link.source, link.target):
                if end not in stores:
                    raise PoolError(
                        "unknown_link_end",
                        f"A link ends at {end!r}, which is no device of the pool.",
                        hint=f"Link ends are {', '.join(self.store_names)}.",
                        device=end,
                        source=link.source,
                        target=link.target,
                    )
            for pair in directions(link):
                if pair in seen:
                    raise PoolError(
                        "duplicate_link",
                        f"Two links lead from {pair[0]} to {pair[1]}.",
                        hint="Keep one, with the bandwidth of both.",
                        source=pair[0],
                        target=pair[1],
                    )
                seen.add(pair)

    def _check_domains(self) -> None:
        sizes: dict[str, tuple[str, int]] = {}
        for device in self.devices:
            if device.memory_domain is None:
                continue
            first, size = sizes.setdefault(device.memory_domain, (device.name, device.memory_size_bytes))
            if size != device.memory_size_bytes:
                raise PoolError(
                    "domain_size",
                    f"{first} and {device.name} share the memory {device.memory_domain}, but state "
                    f"{size} and {device.memory_size_bytes} bytes.",
                    hint="Devices of one memory domain state the size of the whole memory.",
                    domain=device.memory_domain,
                    devices=[first, device.name],
                )


def _flag(field: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise PoolError("wrong_type", f"pool: {field} must be true or false.", where="pool", field=field)


def _too_many(devices: int, links: int) -> PoolError:
    return PoolError(
        "too_many_devices",
        f"The pool has {devices} devices and {links} links; {MAX_DEVICES} and {MAX_LINKS} are the most.",
        devices=devices,
        links=links,
        max_devices=MAX_DEVICES,
        max_links=MAX_LINKS,
    )
