"""What was measured on devices: one row a distinct operator, device and runtime, and where the figures come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from heteroopt.costs.facts import MAX_TEXT, OperatorFacts
from heteroopt.costs.measured_transfers import TransferFit, read_transfers
from heteroopt.errors import CostError

FORMAT = "heteroopt-calibration-1"
MAX_ROWS = 100_000
LONGEST_S = 10_000.0
SLOWEST_BYTE = 1e-6
SLOWEST_HANDOVER_S = 1.0
FLAGS = frozenset(("noisy", "drift", "spikes", "warming", "throttled", "differs"))
"""Why a row is not to be trusted fully. ``differs``: another device of the same kind gave something else."""
DISTRUSTED = frozenset(("throttled", "differs"))
"""Of these, those with which a row is not learned from, nor looked up where anything was learned."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Seconds of one run of an operator: median of the trimmed samples, least, and quartile spread of all of them."""

    facts: OperatorFacts
    median_s: float
    minimum_s: float
    spread_s: float
    repeats: int
    flags: tuple[str, ...] = ()
    from_model: bool = False
    """It is an operator of one of the user's own models."""


@dataclass(frozen=True, slots=True)
class MeasuredDevice:
    """What was measured, and with what: ``fingerprint`` is of the runtime's libraries, driver and host."""

    runtime: str
    index: int
    name: str
    host: str
    processor: str
    threads: int
    fingerprint: str
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MeasuredEnergy:
    """Watts above idle while operators of a class run. ``source``: "measured", or "" where nothing counts joules."""

    source: str = ""
    idle_power_w: float = 0.0
    power_w: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MeasuredContention:
    """What the device takes beside another one over what it takes alone: ``memory``, ``compute``: of an operator that
    the one or the other limits, while the other device, ``beside``, runs the same.
    """

    beside: str
    memory: float
    compute: float


@dataclass(frozen=True, slots=True)
class MeasuredHandover:
    """What each segment of a plan takes beside its operators where plans hand over between the device and ``beside``:
    the wait for the other device's thread and the entry of its runtime, with programs that change no layout.
    """

    beside: str
    seconds: float


@dataclass(frozen=True)
class PerformanceDatabase:
    """Measurements of one device. ``rows`` by the structure of the operator; ``launch_overhead_s`` is part of each row.

    ``flags`` of the device: "throttling" (it became slower while it was measured), "unstable" (and stayed so).
    ``measured_at``: seconds since 1970. ``content_hash``: of the bundle that it was read from.
    """

    device: MeasuredDevice
    rows: Mapping[str, Measurement]
    launch_overhead_s: float = 0.0
    flags: tuple[str, ...] = ()
    energy: MeasuredEnergy = MeasuredEnergy()
    contention: MeasuredContention | None = None
    measured_at: int = 0
    refused: tuple[tuple[str, str], ...] = ()
    """Kinds of operators that the runtime could not run, and what it said."""
    content_hash: str = ""
    transfers: Mapping[str, TransferFit] = field(default_factory=dict)
    """Copies from the host ("h2d") and back ("d2h"), if they were measured."""
    layout_s_per_byte: float = 0.0
    """What taking images into the runtime's own layout and back costs a program that is alone; part of its row."""
    weight_s_per_byte: float = 0.0
    """What reading weights from memory costs. Rows are without it: a program that runs alone finds them in a cache."""
    own_untimed: int = 0
    """Operators of the user's models that the calibration ended before."""
    handover: MeasuredHandover | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def find(self, facts: OperatorFacts) -> Measurement | None:
        """The row of an equal operator."""
        return self.rows.get(facts.structure)

    def own_flagged(self) -> int:
        """How many operators of the user's models were timed, with a doubt that keeps their figures from use."""
        return sum(1 for row in self.rows.values() if row.from_model and set(row.flags) & DISTRUSTED)

    def trusted(self) -> list[Measurement]:
        """Rows that nothing speaks against, in their order."""
        return [row for row in self.rows.values() if not set(row.flags) & DISTRUSTED]

    @classmethod
    def from_dict(cls, data: object) -> PerformanceDatabase:
        """Check a bundle that may come from anybody. Raises ``CostError`` ``bundle_invalid`` naming the place."""
        if not isinstance(data, Mapping):
            raise _invalid("format", f"it must be {FORMAT}")
        if data.get("format") != FORMAT:
            raise _invalid("format", f"it is {str(data.get('format'))[:40]!r}, and this version reads {FORMAT}")
        rows = data.get("rows")
        if not isinstance(rows, list) or len(rows) > MAX_ROWS:
            raise _invalid("rows", f"there must be a list of at most {MAX_ROWS}")
        found: dict[str, Measurement] = {}
        for position, row in enumerate(rows):
            measurement = _row(row, f"rows[{position}]")
            found[measurement.facts.structure] = measurement
        return cls(
            device=_device(data.get("device")),
            rows=found,
            launch_overhead_s=_number(data.get("launch_overhead_s"), "launch_overhead_s", LONGEST_S),
            layout_s_per_byte=_number(data.get("layout_s_per_byte", 0.0), "layout_s_per_byte", SLOWEST_BYTE),
            weight_s_per_byte=_number(data.get("weight_s_per_byte", 0.0), "weight_s_per_byte", SLOWEST_BYTE),
            flags=_texts(data.get("flags"), "flags"),
            energy=_energy(data.get("energy")),
            contention=_contention(data.get("contention")),
            measured_at=int(_number(data.get("measured_at"), "measured_at", 1e11)),
            refused=_refused(data.get("failed", [])),
            content_hash=_text(data.get("hash", ""), "hash"),
            transfers=_transfers(data.get("transfers")),
            own_untimed=int(_number(data.get("own_untimed", 0), "own_untimed", MAX_ROWS)),
            handover=_handover(data.get("handover")),
        )

    def to_dict(self) -> dict[str, Any]:
        """The bundle again; ``from_dict`` reads it back to an equal database."""
        device = self.device
        return {
            "format": FORMAT,
            "device": {
                **{name: getattr(device, name) for name in _DEVICE_TEXTS},
                **{name: getattr(device, name) for name in ("index", "threads")},
                "versions": dict(device.versions),
            },
            "launch_overhead_s": self.launch_overhead_s,
            **{name: getattr(self, name) for name in _PER_BYTE if getattr(self, name)},
            "flags": list(self.flags),
            "energy": {
                "source": self.energy.source,
                "idle_power_w": self.energy.idle_power_w,
                "power_w": dict(self.energy.power_w),
            },
            **({} if self.contention is None else {"contention": asdict(self.contention)}),
            **({"transfers": {name: fit.to_dict() for name, fit in self.transfers.items()}} if self.transfers else {}),
            **({"own_untimed": self.own_untimed} if self.own_untimed else {}),
            **({} if self.handover is None else {"handover": asdict(self.handover)}),
            "measured_at": self.measured_at,
            "failed": [{"kind": kind, "why": why} for kind, why in self.refused],
            "hash": self.content_hash,
            "rows": [
                {
                    "facts": row.facts.to_dict(),
                    **{name: getattr(row, name) for name in (*_SECONDS, "repeats", "from_model")},
                    "flags": list(row.flags),
                }
                for row in self.rows.values()
            ],
        }

    def merged(self, others: Iterable[PerformanceDatabase]) -> PerformanceDatabase:
        """This one with the rows of later calibrations of the same device, each replacing an equal operator's.

        Raises ``CostError`` ``bundle_other_device`` where runtime, host, name or fingerprint differ.
        """
        rows, newest = dict(self.rows), self.measured_at
        for other in others:
            if (other.device.fingerprint, other.device.name) != (self.device.fingerprint, self.device.name):
                raise CostError(
                    "bundle_other_device",
                    f"A calibration of {other.device.name} ({other.device.fingerprint}) does not continue one of "
                    f"{self.device.name} ({self.device.fingerprint}).",
                    hint="Keep it as a calibration of its own; figures of two devices are never mixed.",
                    device=self.device.name,
                    other=other.device.name,
                )
            rows.update(other.rows)
            newest = max(newest, other.measured_at)
        return PerformanceDatabase(
            self.device,
            rows,
            self.launch_overhead_s,
            self.flags,
            self.energy,
            self.contention,
            newest,
            self.refused,
            transfers=self.transfers,
            layout_s_per_byte=self.layout_s_per_byte,
            weight_s_per_byte=self.weight_s_per_byte,
            own_untimed=self.own_untimed,
            handover=self.handover,
        )


_PER_BYTE = ("layout_s_per_byte", "weight_s_per_byte")
_SECONDS = ("median_s", "minimum_s", "spread_s")
_DEVICE_TEXTS = ("runtime", "name", "host", "processor", "fingerprint")


def _row(row: object, where: str) -> Measurement:
    if not isinstance(row, Mapping):
        raise _invalid(where, "it is no object")
    seconds = {name: _number(row.get(name), f"{where}.{name}", LONGEST_S) for name in _SECONDS}
    if not 0.0 < seconds["minimum_s"] <= seconds["median_s"] * (1 + 1e-9):
        raise _invalid(f"{where}.minimum_s", "it must be above 0 and at most the median")
    repeats = int(_number(row.get("repeats"), f"{where}.repeats", 1e9))
    if repeats < 1:
        raise _invalid(f"{where}.repeats", "nothing was measured")
    try:
        facts = OperatorFacts.from_dict(row.get("facts"))
    except CostError as error:
        raise _invalid(f"{where}.facts", error.message) from error
    flags = tuple(flag for flag in _texts(row.get("flags", []), f"{where}.flags") if flag in FLAGS)
    return Measurement(facts, **seconds, repeats=repeats, flags=flags, from_model=row.get("from_model") is True)


def _device(data: object) -> MeasuredDevice:
    if not isinstance(data, Mapping):
        raise _invalid("device", "it is no object")
    texts = {name: _text(data.get(name, ""), f"device.{name}") for name in _DEVICE_TEXTS}
    if not texts["runtime"] or not texts["fingerprint"]:
        raise _invalid("device", "runtime and fingerprint must be there")
    versions = data.get("versions", {})
    if not isinstance(versions, Mapping) or len(versions) > MAX_TEXT:
        raise _invalid("device.versions", "it is no object")
    return MeasuredDevice(
        **texts,
        index=int(_number(data.get("index", 0), "device.index", 1e6)),
        threads=int(_number(data.get("threads", 0), "device.threads", 1e6)),
        versions={_text(key, "device.versions"): _text(value, "device.versions") for key, value in versions.items()},
    )


def _energy(data: object) -> MeasuredEnergy:
    if data is None:
        return MeasuredEnergy()
    if not isinstance(data, Mapping) or not isinstance(data.get("power_w", {}), Mapping):
        raise _invalid("energy", "it is no object")
    source = _text(data.get("source", ""), "energy.source")
    if source not in ("", "measured"):
        raise _invalid("energy.source", "it must be measured, or empty")
    power = {
        _text(key, "energy"): _number(watts, f"energy.power_w.{key}", 1e5)
        for key, watts in data.get("power_w", {}).items()
    }
    return MeasuredEnergy(source, _number(data.get("idle_power_w", 0.0), "energy.idle_power_w", 1e5), power)


def _contention(data: object) -> MeasuredContention | None:
    if data is None:
        return None
    if not isinstance(data, Mapping):
        raise _invalid("contention", "it is no object")
    figures = {name: _number(data.get(name), f"contention.{name}", 1e3) for name in ("memory", "compute")}
    return MeasuredContention(_text(data.get("beside", ""), "contention.beside"), **figures)


def _handover(data: object) -> MeasuredHandover | None:
    if data is None:
        return None
    if not isinstance(data, Mapping):
        raise _invalid("handover", "it is no object")
    seconds = _number(data.get("seconds"), "handover.seconds", SLOWEST_HANDOVER_S)
    return MeasuredHandover(_text(data.get("beside", ""), "handover.beside"), seconds)


def _transfers(data: object) -> dict[str, TransferFit]:
    try:
        return read_transfers(data)
    except ValueError as error:
        where, _, why = str(error).partition(": ")
        raise _invalid(where, why) from error


def _refused(data: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(data, list) or len(data) > MAX_ROWS:
        raise _invalid("failed", "it must be a list")
    found = []
    for row in data:
        if not isinstance(row, Mapping):
            raise _invalid("failed", "it must be a list of objects")
        facts = row.get("facts")
        types = facts.get("op_types") if isinstance(facts, Mapping) else None
        kind = "+".join(str(name)[:MAX_TEXT] for name in types[:MAX_TEXT]) if isinstance(types, list) else ""
        found.append((str(row.get("kind", kind))[:MAX_TEXT], str(row.get("why", ""))[:500]))
    return tuple(found)


def _number(value: object, where: str, highest: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _invalid(where, "it is no number")
    if not 0 <= value <= highest:  # neither is NaN
        raise _invalid(where, f"it must be from 0 to {highest:g}")
    return float(value)


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise _invalid(where, f"it must be a text of at most {MAX_TEXT} characters")
    return value


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MAX_TEXT:
        raise _invalid(where, "it must be a list of texts")
    return tuple(_text(item, where) for item in value)


def _invalid(where: str, why: str) -> CostError:
    return CostError(
        "bundle_invalid",
        f"The calibration cannot be used: {where}: {why}.",
        hint="Calibrate the device again, and upload the file as the calibrator wrote it.",
        where=where,
        says=why,
    )
