"""What a calibration keeps of copies between its device and the host: the fit of each direction and what it misses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DIRECTIONS = ("h2d", "d2h")
MOST_SAMPLES = 64
LEAST_S, MOST_S = 1e-9, 1e4
SIZES_BYTES = (1.0, 1e13)
BYTES_PER_S = (1e5, 1e14)
MISSES = (0.0, 1e6)


@dataclass(frozen=True, slots=True)
class TransferFit:
    """seconds = latency + bytes / bandwidth. ``residual``: median of |fit / measured - 1|, ``worst`` its maximum.

    ``samples``: bytes, seconds (median of the trimmed repeats) and fitted seconds.
    """

    latency_s: float
    bytes_per_s: float
    residual: float
    worst: float
    samples: tuple[tuple[int, float, float], ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form; :func:`read_transfers` reads it back."""
        return {
            "latency_s": self.latency_s,
            "bytes_per_s": self.bytes_per_s,
            "residual": self.residual,
            "worst": self.worst,
            "samples": [list(row) for row in self.samples],
        }


def read_transfers(data: object) -> dict[str, TransferFit]:
    """Fits by direction ("h2d", "d2h") from what anybody may have written; empty where nothing was measured.

    Raises ``ValueError`` with the place and the reason.
    """
    if data is None:
        return {}
    if not isinstance(data, Mapping) or set(data) != set(DIRECTIONS):
        raise ValueError(f"transfers: it must have {' and '.join(DIRECTIONS)}")
    return {name: _fit(data[name], f"transfers.{name}") for name in DIRECTIONS}


def _fit(data: object, where: str) -> TransferFit:
    if not isinstance(data, Mapping):
        raise ValueError(f"{where}: it is no object")
    samples = data.get("samples")
    if not isinstance(samples, list) or len(samples) > MOST_SAMPLES:
        raise ValueError(f"{where}.samples: it must be a list of at most {MOST_SAMPLES}")
    rows = []
    for at, row in enumerate(samples):
        if not isinstance(row, list | tuple) or len(row) != 3:
            raise ValueError(f"{where}.samples[{at}]: it must be bytes, seconds and fitted seconds")
        size = _number(row[0], f"{where}.samples[{at}]", SIZES_BYTES)
        measured, fitted = (_number(value, f"{where}.samples[{at}]", (LEAST_S, MOST_S)) for value in row[1:])
        rows.append((int(size), measured, fitted))
    return TransferFit(
        _number(data.get("latency_s"), f"{where}.latency_s", (LEAST_S, MOST_S)),
        _number(data.get("bytes_per_s"), f"{where}.bytes_per_s", BYTES_PER_S),
        _number(data.get("residual"), f"{where}.residual", MISSES),
        _number(data.get("worst"), f"{where}.worst", MISSES),
        tuple(rows),
    )


def _number(value: object, where: str, limits: tuple[float, float]) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{where}: it is no number")
    if not limits[0] <= value <= limits[1]:  # neither is NaN
        raise ValueError(f"{where}: it must be from {limits[0]:g} to {limits[1]:g}")
    return float(value)
