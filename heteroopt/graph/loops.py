"""Values that a loop carries from one run of its body to the next and that change their shape on the way."""

from __future__ import annotations

from heteroopt.graph.output_type import OutputType
from heteroopt.graph.values import Value


def _steps(before: Value | None, after: Value) -> tuple[int, ...] | None:
    """How much each dimension grows in one run; ``None`` where that cannot be said."""
    if before is None or before.shape is None or after.shape is None or len(before.shape) != len(after.shape):
        return None
    return tuple(b - a for a, b in zip(before.shape, after.shape, strict=True))


def mean(before: Value | None, after: Value, trips: int) -> Value | None:
    """The carried value halfway through the loop, if every run changes it as the first one does."""
    steps = _steps(before, after)
    if before is None or steps is None or before.shape is None:
        return None if before is None else Value(before.name, before.element, None, estimated=True, guessed_bytes=4)
    shape = tuple(max(0, size + step * (trips - 1) // 2) for size, step in zip(before.shape, steps, strict=True))
    return Value(before.name, before.element, shape, estimated=before.estimated or any(steps))


def before_last(before: Value | None, after: Value, trips: int) -> Value | None:
    """The carried value as the last run gets it, if every run changes it as the first one does."""
    if before is None or _steps(before, after) is None:
        return mean(before, after, trips)
    return Value(before.name, before.element, grown(before, after, trips - 1).shape, estimated=True)


def grown(before: Value | None, after: Value, trips: int) -> OutputType:
    """The carried value after the loop, if every run changes it as the first one does."""
    steps = _steps(before, after)
    if before is None or before.shape is None or steps is None:
        kept = after.shape if before is None or before.shape is None else None
        return OutputType(after.element, kept, after.container)
    shape = tuple(max(0, size + step * trips) for size, step in zip(before.shape, steps, strict=True))
    return OutputType(after.element, shape, after.container)
