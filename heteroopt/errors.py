"""Errors that a person must act on: a stable code, what happened, and what to do next."""

from __future__ import annotations


class HeteroOptError(Exception):
    """Base of all errors raised on purpose.

    ``code`` is stable and is what user interfaces translate; ``message`` says in English what is wrong and
    why; ``hint`` says what to do next; ``params`` are the figures and names inside the message (JSON-able).
    """

    def __init__(self, code: str, message: str, *, hint: str = "", **params: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.params = params

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def to_dict(self) -> dict[str, object]:
        """Return ``{"code", "message", "hint", "params"}`` for an API answer or a job row."""
        return {"code": self.code, "message": self.message, "hint": self.hint, "params": self.params}


class ModelError(HeteroOptError):
    """A model file or graph that cannot be read or planned."""


class PoolError(HeteroOptError):
    """A device, link or pool description that is impossible or out of range."""


class CostError(HeteroOptError):
    """A cost that is missing, negative, NaN or infinite."""


class PlanError(HeteroOptError):
    """A placement that is illegal for its problem, or a problem that has none."""


class SettingsError(HeteroOptError):
    """A search setting out of its range."""
