"""Memory domains: how much devices that share a memory slow each other, and where that figure is from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from heteroopt.devices.checks import in_range
from heteroopt.errors import PoolError

SLOWDOWN_SOURCES: tuple[str, ...] = ("given", "measured")
_FIELDS = ("slowdown", "source")


@dataclass(frozen=True, slots=True)
class MemoryDomain:
    """``slowdown``: of two memory-bound operators beside each other, 1 (none) to 16; ``source``: "given" by a person or
    "measured" by a calibration.
    """

    slowdown: float = 1.0
    source: str = "given"

    def to_dict(self) -> dict[str, object]:
        """JSON-able form."""
        return {"slowdown": self.slowdown, "source": self.source}


def read_domains(value: object, known: Iterable[str]) -> dict[str, MemoryDomain]:
    """Memory domains by name from what a pool is given; ``known``: those that its devices name.

    Raises ``PoolError`` ``wrong_type``, ``unknown_fields``, ``unknown_domain``, ``slowdown_source`` and those of
    :func:`~heteroopt.devices.checks.in_range`.
    """
    if not isinstance(value, Mapping):
        raise PoolError("wrong_type", "pool: memory_domains must be a table.", where="pool", field="memory_domains")
    names = list(dict.fromkeys(known))
    found: dict[str, MemoryDomain] = {}
    for name, entry in value.items():
        where = f"memory domain {name!s:.64}"
        if name not in names:
            raise PoolError(
                "unknown_domain",
                f"pool: no device is in the memory domain {name!s:.64}.",
                hint=f"Its devices name {', '.join(names)}." if names else "Give its devices this memory_domain.",
                domain=str(name)[:64],
                known=names,
            )
        found[name] = entry if isinstance(entry, MemoryDomain) else _read(entry, where)
    return found


def _read(entry: object, where: str) -> MemoryDomain:
    if not isinstance(entry, Mapping):
        raise PoolError("wrong_type", f"{where}: it must be a table.", where=where, field="memory_domains")
    unknown = sorted(str(key) for key in set(entry) - set(_FIELDS))
    if unknown:
        raise PoolError(
            "unknown_fields",
            f"{where}: unknown fields {', '.join(unknown)}.",
            hint=f"Known fields: {', '.join(_FIELDS)}.",
            where=where,
            unknown=unknown,
        )
    source = entry.get("source", "given")
    if source not in SLOWDOWN_SOURCES:
        raise PoolError(
            "slowdown_source",
            f"{where}: source is {source!r:.40}.",
            hint='Use "given", or "measured" for what a calibration found.',
            where=where,
            field="source",
            value=str(source)[:40],
        )
    return MemoryDomain(in_range("slowdown", entry.get("slowdown", 1.0), where=where), source)
