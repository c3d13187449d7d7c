"""What a trial run found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SegmentTrial:
    """One segment. ``measured_ms``: median of its runs in items that ran alone; starts: after the start of the item;
    ``predicted_finish_ms``: later than start and time say where its operators wait; ``memory_bytes``: what loading and
    running it once added to the process, weights included.
    """

    index: int
    device: str
    operators: int
    predicted_ms: float
    measured_ms: float
    memory_bytes: int
    predicted_start_ms: float
    predicted_finish_ms: float
    measured_start_ms: float


@dataclass(frozen=True, slots=True)
class OutputTrial:
    """One output of the model: scaled distance (largest difference over the largest magnitude) to the whole model's,
    and the largest that right results may have. ``constant``: all its elements are equal, none is a
    finite number, or it is 0 and 1 as a softmax of large numbers is, so that it proves nothing.
    """

    name: str
    distance: float
    tolerance: float
    constant: bool

    @property
    def within(self) -> bool:
        """Whether it may be a right result (NaN is none)."""
        return self.distance <= self.tolerance


@dataclass(frozen=True)
class TrialReport:
    """Times in milliseconds of one item alone and items per second with several in flight, measured and predicted.

    ``whole_ms``: the model in one piece on ONNX Runtime's CPU provider, for comparison. ``random_weights``: how many
    weights of the file were all alike, and random in the run.
    """

    plan: str
    items: int
    latency_ms: float
    predicted_latency_ms: float
    throughput_per_s: float
    predicted_throughput_per_s: float
    whole_ms: float
    segments: tuple[SegmentTrial, ...]
    outputs: tuple[OutputTrial, ...]
    random_weights: int = 0

    @property
    def same_results(self) -> bool:
        """Whether every output is within its tolerance."""
        return all(output.within for output in self.outputs)

    @property
    def device_memory_bytes(self) -> dict[str, int]:
        """Sum over each device's segments."""
        found: dict[str, int] = {}
        for segment in self.segments:
            found[segment.device] = found.get(segment.device, 0) + segment.memory_bytes
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-able data; the distance of an output that is wrong altogether is ``None``."""
        return {
            **{key: value for key, value in asdict(self).items() if key not in ("segments", "outputs")},
            "same_results": self.same_results,
            "segments": [asdict(segment) for segment in self.segments],
            "outputs": [_output(output) for output in self.outputs],
            "device_memory_bytes": self.device_memory_bytes,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TrialReport:
        """Inverse of ``to_dict``."""
        figures = ("plan", "items", "latency_ms", "predicted_latency_ms", "throughput_per_s",
                   "predicted_throughput_per_s", "whole_ms")  # fmt: skip
        outputs = [
            OutputTrial(
                one["name"], math.inf if one["distance"] is None else one["distance"], one["tolerance"], one["constant"]
            )
            for one in data["outputs"]
        ]
        segments = tuple(SegmentTrial(**segment) for segment in data["segments"])
        return cls(
            **{name: data[name] for name in figures},
            segments=segments,
            outputs=tuple(outputs),
            random_weights=data.get("random_weights", 0),
        )


def _output(output: OutputTrial) -> dict[str, Any]:
    distance = output.distance if math.isfinite(output.distance) else None
    return {**asdict(output), "distance": distance, "within": output.within}
