"""When a runner writes how far it is, and when it keeps its state: often, but never for much of its time."""

from __future__ import annotations

import time

WRITE_SECONDS = 0.2
"""At most five fronts a second."""
CHECKPOINT_SECONDS = 1.0
SHARE = 0.1
"""Writing takes at most about this share of the time, and checkpoints half of it."""


class Pace:
    """Says when something that takes time is due again: not before ``seconds``, and not above a share of all time.

    With ``sooner`` it is due as soon as the share allows, ``seconds`` being the latest.
    """

    def __init__(self, seconds: float, share: float, *, sooner: bool = False) -> None:
        self.seconds, self.share, self.sooner = seconds, share, sooner
        self.done_at, self.took = -seconds, 0.0

    @property
    def due(self) -> bool:
        """Whether it is time."""
        waited, earned = time.monotonic() - self.done_at, self.took / self.share
        return waited >= min(self.seconds, earned) if self.sooner else waited >= max(self.seconds, earned)

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self.done_at = time.monotonic()
        self.took = self.done_at - self._began
