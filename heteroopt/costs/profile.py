"""What the operators of one model took on one device while the model itself ran there, as a file keeps it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from heteroopt.costs.bundle import bundle_hash
from heteroopt.costs.database import LONGEST_S, MeasuredDevice
from heteroopt.costs.facts import MAX_TEXT
from heteroopt.errors import CostError
from heteroopt.graph.graph import Graph

FORMAT = "heteroopt-profile-1"
MAX_PROFILE_BYTES = 64 << 20
MAX_OPERATORS = 1_000_000
KINDS = ("profile", "trial")
LEAST_SPREAD = 0.1
"""Half the width of an operator's interval at least: profiles of a model sum to within 5 % of its time."""

FloatArray = npt.NDArray[np.float64]
_TOTALS = ("median_s", "minimum_s", "spread_s")
_SHARES = ("scale", "matched")
_TEXTS = ("runtime", "name", "host", "processor", "fingerprint")


@dataclass(frozen=True, eq=False)
class Profile:
    """Seconds of each operator of the model's own graph (before fusion), [n]; they add up to ``median_s``.

    ``outputs``: the name of each operator's first tensor; with its position that tells operators apart. ``graph_hash``:
    of the graph with its dimensions bound. ``median_s``, ``minimum_s``, ``spread_s``: of the whole model without the
    profiler. ``scale``: what the profiler's figures were multiplied with to add up to the median. ``matched``: share of
    the profiled time whose operators were found in the graph. ``measured_at``: seconds since 1970.
    """

    device: MeasuredDevice
    graph_hash: str
    model_name: str
    outputs: tuple[str, ...]
    seconds: FloatArray
    median_s: float
    minimum_s: float
    spread_s: float
    scale: float
    matched: float
    operators_profiled: int
    measured_at: int = 0
    content_hash: str = ""
    kind: str = "profile"
    origin: Mapping[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """What a cost table calls costs of this: one of ``COST_SOURCES``."""
        return "trial" if self.kind == "trial" else "profiled"

    @property
    def spread(self) -> float:
        """Half the width of the interval of each operator, as a share of its time.

        What was not found in the graph, what the profiler added (of a trial: what the prediction missed), and how
        unsteady the model's own time was: the largest of these, at least ``LEAST_SPREAD`` and below 1.
        """
        unsteady = self.spread_s / self.median_s if self.median_s else 0.0
        return min(0.99, max(LEAST_SPREAD, 1.0 - self.matched, abs(self.scale - 1.0), unsteady))

    def seconds_of(self, graph: Graph) -> FloatArray:
        """Seconds of the operators of ``graph``, [n], which is the profiled one or fused from it.

        Raises ``CostError`` ``profile_other_model`` for any other.
        """
        source = graph if graph.original is None else graph.original
        if source.content_hash != self.graph_hash or len(source.operators) != len(self.seconds):
            raise CostError(
                "profile_other_model",
                f"The profile is of {self.model_name or 'another model'}, not of this graph.",
                hint="Profile this model, with the dimensions that it is planned with.",
                profiled=self.graph_hash[:12],
                model=self.model_name,
            )
        if graph.original is None:
            return self.seconds
        return np.array([float(self.seconds[list(operator.members)].sum()) for operator in graph.operators])

    @classmethod
    def load(cls, source: str | Path | bytes) -> Profile:
        """Read a file of ``save`` or of ``heteroopt profile``, which may come from anybody.

        Raises ``CostError`` ``profile_unreadable``, ``profile_changed`` (its hash is that of other content) or
        ``profile_invalid`` naming the place.
        """
        if isinstance(source, bytes):
            data = source
        else:
            with Path(source).open("rb") as file:
                data = file.read(MAX_PROFILE_BYTES + 1)
        content = _read(data)
        found = cls.from_dict(content)
        if found.content_hash != bundle_hash(content):
            raise CostError(
                "profile_changed",
                "The profile was changed after it was written: its hash does not fit its content.",
                hint="Give the file as `heteroopt profile` wrote it.",
            )
        return found

    def save(self, path: str | Path) -> str:
        """Write it and return its hash; figures are kept exactly."""
        content = self.to_dict()
        Path(path).write_text(json.dumps(content), "utf-8")
        return str(content["hash"])

    def summary(self, graph: Graph | None = None, most: int = 10) -> str:
        """A few lines for people; with the graph, the operators that take longest."""
        device, told = self.device, int(np.isfinite(self.seconds).sum())
        lines = [
            f"{self.model_name or 'model'} on {device.name} through {device.runtime}: {self.median_s * 1e3:.3f} ms, "
            f"{len(self.seconds)} operators",
            f"  a trial run of a plan: {told} operators take {self.scale:.3f} x what was predicted"
            if self.kind == "trial"
            else f"  {self.operators_profiled} profiled nodes, {self.matched:.1%} of their time found in the model; "
            f"scaled by {self.scale:.3f} to the time without the profiler",
            f"  interval of each operator: {self.spread:.0%} either way",
        ]
        if graph is not None:
            seconds = self.seconds_of(graph)
            for index in np.argsort(-np.nan_to_num(seconds), kind="stable")[:most]:
                share = float(seconds[index]) / self.median_s
                lines.append(f"  {seconds[index] * 1e3:10.4f} ms {share:6.1%}  {graph.operators[int(index)].name}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form with its hash; exact inverse of ``from_dict``."""
        device = self.device
        content: dict[str, Any] = {
            "format": FORMAT,
            "device": {
                **{name: getattr(device, name) for name in _TEXTS},
                "index": device.index,
                "threads": device.threads,
                "versions": dict(device.versions),
            },
            "model": {"name": self.model_name, "graph_hash": self.graph_hash},
            **{name: getattr(self, name) for name in (*_TOTALS, *_SHARES, "operators_profiled", "measured_at")},
            "operators": [
                [name, float(value) if np.isfinite(value) else None]
                for name, value in zip(self.outputs, self.seconds, strict=True)
            ],
        }
        if self.kind != "profile":
            content |= {"kind": self.kind, "origin": dict(self.origin)}
        return {**content, "hash": bundle_hash(content)}

    @classmethod
    def from_dict(cls, data: object) -> Profile:
        """Check what may come from anybody. Raises ``CostError`` ``profile_invalid`` naming the place."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise _invalid("format", f"it must be {FORMAT}")
        model, device, rows = data.get("model"), data.get("device"), data.get("operators")
        if not isinstance(model, Mapping) or not isinstance(device, Mapping):
            raise _invalid("model", "model and device must be objects")
        if not isinstance(rows, list) or not 0 < len(rows) <= MAX_OPERATORS:
            raise _invalid("operators", "it must be a list of names and seconds")
        versions = device.get("versions", {})
        if not isinstance(versions, Mapping) or len(versions) > MAX_TEXT:
            raise _invalid("device.versions", "it is no object")
        kind, origin = data.get("kind", "profile"), data.get("origin", {})
        if kind not in KINDS or not isinstance(origin, Mapping):
            raise _invalid("kind", f"it must be one of {', '.join(KINDS)}")
        partial = kind == "trial"
        pairs = [_operator(row, f"operators[{position}]", partial) for position, row in enumerate(rows)]
        found = cls(
            device=MeasuredDevice(
                **{name: _text(device.get(name, ""), f"device.{name}") for name in _TEXTS},
                index=int(_number(device.get("index", 0), "device.index", 1e6)),
                threads=int(_number(device.get("threads", 0), "device.threads", 1e6)),
                versions={_text(k, "device.versions"): _text(v, "device.versions") for k, v in versions.items()},
            ),
            graph_hash=_text(model.get("graph_hash"), "model.graph_hash"),
            model_name=_text(model.get("name", ""), "model.name"),
            outputs=tuple(name for name, _ in pairs),
            seconds=np.array([value for _, value in pairs], np.float64),
            **{name: _number(data.get(name), name, LONGEST_S) for name in _TOTALS},
            scale=_number(data.get("scale"), "scale", 1e6),
            matched=_number(data.get("matched"), "matched", 1.0 + 1e-9),
            operators_profiled=int(_number(data.get("operators_profiled"), "operators_profiled", MAX_OPERATORS)),
            measured_at=int(_number(data.get("measured_at"), "measured_at", 1e11)),
            content_hash=_text(data.get("hash", ""), "hash"),
            kind=kind,
            origin=origin,
        )
        if not found.device.runtime or not found.device.fingerprint:
            raise _invalid("device", "runtime and fingerprint must be there")
        if not found.median_s > 0:
            raise _invalid("median_s", "it must be above 0")
        return found


def _read(data: bytes) -> dict[str, Any]:
    try:
        if len(data) > MAX_PROFILE_BYTES:
            raise ValueError(f"it has more than {MAX_PROFILE_BYTES} bytes")
        content = json.loads(data.decode("utf-8"), parse_constant=_refuse)
        if not isinstance(content, dict):
            raise ValueError("it is no object")
    except (ValueError, RecursionError) as error:
        raise CostError(
            "profile_unreadable",
            f"The profile is no readable JSON: {str(error)[:200] or type(error).__name__}.",
            hint="Give the file as `heteroopt profile` wrote it.",
            says=str(error)[:200],
        ) from error
    return content


def _operator(row: object, where: str, partial: bool) -> tuple[str, float]:
    if not isinstance(row, list) or len(row) != 2 or not isinstance(row[0], str):
        raise _invalid(where, "it must be a name and seconds")
    if partial and row[1] is None:
        return row[0], float("nan")
    return row[0], _number(row[1], where, LONGEST_S)


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


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")


def _invalid(where: str, why: str) -> CostError:
    return CostError(
        "profile_invalid",
        f"The profile cannot be used: {where}: {why}.",
        hint="Profile the model again, and give the file as `heteroopt profile` wrote it.",
        where=where,
        says=why,
    )
