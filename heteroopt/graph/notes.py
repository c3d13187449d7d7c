"""Remarks on what the reader assumed, as codes with parameters, bounded in number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MAX_PER_CODE = 100

SHAPE_UNKNOWN = "shape_unknown"
INPUT_UNKNOWN = "input_unknown"
INPUT_WITHOUT_SHAPE = "input_without_shape"
OPERATOR_NOT_IN_OPSET = "operator_not_in_opset"
ATTRIBUTE_OUT_OF_RANGE = "attribute_out_of_range"
RANK_TOO_HIGH = "rank_too_high"
ESTIMATE_REASONS = (
    SHAPE_UNKNOWN,
    INPUT_UNKNOWN,
    INPUT_WITHOUT_SHAPE,
    OPERATOR_NOT_IN_OPSET,
    ATTRIBUTE_OUT_OF_RANGE,
    RANK_TOO_HIGH,
)
"""Why a size is estimated, in notes ``size_estimated``; where ONNX's rules failed, their own words stand instead."""


class Notes:
    """Collects ``{"code", "params"}``; beyond 100 of one code only their number is kept."""

    def __init__(self) -> None:
        self._muted = False
        self._notes: list[dict[str, Any]] = []
        self._counts: Counter[str] = Counter()

    def add(self, code: str, **params: object) -> None:
        """Add a remark; ``params`` must be JSON-able and safe to show."""
        if self._muted:
            return
        self._counts[code] += 1
        if self._counts[code] <= MAX_PER_CODE:
            self._notes.append({"code": code, "params": params})

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Remarks made meanwhile are dropped: the same part of the model is walked again."""
        before, self._muted = self._muted, True
        try:
            yield
        finally:
            self._muted = before

    def result(self) -> tuple[dict[str, Any], ...]:
        """All remarks, and one ``more_notes`` per code that had too many."""
        more = [
            {"code": "more_notes", "params": {"code": code, "count": count - MAX_PER_CODE}}
            for code, count in self._counts.items()
            if count > MAX_PER_CODE
        ]
        return (*self._notes, *more)
