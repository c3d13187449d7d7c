"""How unknown sizes are guessed, and which guesses turn out not to matter.

A size that depends on the data (how many boxes survive, which elements are not zero) cannot be known before a run.
It is guessed, and everything after it follows from that guess. To tell the sizes that really depend on it from those
that do not, the model is walked again with other guesses: a tensor whose shape is the same every time has that shape.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from heteroopt.graph.values import Value

Key = tuple[tuple[int, ...], str]


@dataclass(slots=True)
class Guesser:
    """Turns the first guess of a walk into the one to use, and remembers what was guessed."""

    change: Callable[[int], int] = lambda guess: guess
    free: int = 0
    """How many free guesses were made: without any, nothing depends on one."""
    uncertain: dict[Key, Value] = field(default_factory=dict)
    """Values whose shape may depend on a guess, by scope and name."""

    def size(self, guess: int) -> int:
        """The size to use where ``guess`` is the natural one; at least 1."""
        self.free += 1
        return max(1, self.change(guess))

    def note(self, path: tuple[int, ...], value: Value) -> None:
        """Remember a value that is estimated."""
        if value.name:
            self.uncertain[path, value.name] = value


PROBES: tuple[Callable[[int], int], ...] = (lambda guess: 1, lambda guess: guess + 1, lambda guess: 2 * guess + 3)
"""Other guesses: the least one, the next one, one far above."""


def settle(uncertain: dict[Key, Value], probes: list[dict[Key, Value]]) -> int:
    """Mark values whose shape was the same under every guess as known; returns how many there were."""
    settled = 0
    for key, value in uncertain.items():
        if value.shape is None or value.container is not None or not value.element:
            continue
        others = [probe.get(key) for probe in probes]
        if all(other is not None and other.shape == value.shape for other in others):
            value.estimated = False
            value.source = "inferred"
            settled += 1
    return settled


def filled(shape: tuple[int, ...], elements: int, guesser: Guesser) -> tuple[int, ...]:
    """``shape`` with its unknown sizes (-1) guessed, so that it holds about ``elements``: the first takes them all."""
    known = 1
    for size in shape:
        known *= size if size > 0 else 1
    guess = max(1, elements // known)
    result = []
    for size in shape:
        result.append(guesser.size(guess) if size < 0 else size)
        if size < 0:
            guess = 1
    return tuple(result)
