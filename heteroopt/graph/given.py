"""What a person says about a model where its file does not: shapes, trips of loops, shares of branches, costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, TypeVar

from heteroopt.errors import ModelError
from heteroopt.graph.names import display_name

MAX_ENTRIES: Final = 1000
MAX_RANK: Final = 64
MAX_SIZE: Final = 2**31 - 1
MAX_TRIPS: Final = 2**20
MAX_AMOUNT: Final = 2**50
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class OperatorCost:
    """The cost of an operator that the reader does not know, once per run; ``None``: as the reader has it.

    ``flops_per_element`` counts per element of the outputs and gives way to ``flops``; FLOP = 2 x MAC.
    """

    flops: int | None = None
    flops_per_element: float | None = None
    bytes_read: int | None = None
    bytes_written: int | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """Answers to what the reader of a model asks.

    ``shapes``: tensor name to sizes. ``trips``: a Loop or Scan to how often its body runs. ``then_shares``: an If to
    the share of runs (0 to 1) that take its then branch; both by the keys of
    :class:`~heteroopt.graph.answer_keys.AnswerKeys`. ``costs``: ``domain::Type``, a type of
    ONNX's own, or the name of one operator, to its cost; a name wins over a type.
    """

    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    trips: Mapping[str, int] = field(default_factory=dict)
    then_shares: Mapping[str, float] = field(default_factory=dict)
    costs: Mapping[str, OperatorCost] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Given:
        """From JSON-able data; raises :class:`ModelError` ``given_invalid`` naming the place that is wrong."""
        if not isinstance(data, Mapping):
            raise invalid("given", "must be an object")
        parsers: dict[str, Callable[[str, Any], Any]] = {
            "shapes": _shape, "trips": _trips, "then_shares": _share, "costs": _cost,
        }  # fmt: skip
        unknown = sorted(str(key) for key in data if key not in parsers)
        if unknown:
            raise invalid(display_name(unknown[0]), f"is none of {', '.join(parsers)}")
        return cls(**{key: _mapping(key, data.get(key) or {}, parse) for key, parse in parsers.items()})

    def to_dict(self) -> dict[str, Any]:
        """JSON-able data that :meth:`from_dict` reads; parts that say nothing are left out."""
        found: dict[str, Any] = {
            "shapes": {name: list(shape) for name, shape in self.shapes.items()},
            "trips": dict(self.trips),
            "then_shares": dict(self.then_shares),
            "costs": {
                name: {key: value for key, value in asdict(cost).items() if value is not None}
                for name, cost in self.costs.items()
            },
        }
        return {key: value for key, value in found.items() if value}

    def cost(self, label: str, domain: str, op_type: str) -> tuple[str, OperatorCost] | None:
        """The cost given for an operator and the key that it was found under."""
        for key in (label, f"{domain}::{op_type}" if domain else op_type):
            if key in self.costs:
                return key, self.costs[key]
        return None


NOTHING_GIVEN: Final = Given()


def invalid(where: str, reason: str) -> ModelError:
    """The refusal of something given by hand that cannot be."""
    return ModelError(
        "given_invalid",
        f"What was given for {where} cannot be used: it {reason}.",
        hint="Correct it, or leave it out to have it estimated.",
        where=where,
        reason=reason,
    )


def _mapping(kind: str, value: Any, parse: Callable[[str, Any], _Item]) -> dict[str, _Item]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) and name for name in value):
        raise invalid(kind, "must be an object of names")
    if len(value) > MAX_ENTRIES:
        raise invalid(kind, f"has more than {MAX_ENTRIES} entries")
    return {name: parse(display_name(name), item) for name, item in value.items()}


def _whole(where: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise invalid(where, f"must be a whole number from {low} to {high}")
    return value


def _number(where: str, value: Any, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise invalid(where, "must be a finite number")
    if not 0 <= value <= high:
        raise invalid(where, f"must be from 0 to {high:g}")
    return float(value)


def _shape(name: str, value: Any) -> tuple[int, ...]:
    if not isinstance(value, list | tuple) or len(value) > MAX_RANK:
        raise invalid(name, f"must be a list of at most {MAX_RANK} sizes")
    return tuple(_whole(name, size, 0, MAX_SIZE) for size in value)


def _trips(name: str, value: Any) -> int:
    return _whole(name, value, 0, MAX_TRIPS)


def _share(name: str, value: Any) -> float:
    return _number(name, value, 1.0)


def _cost(name: str, value: Any) -> OperatorCost:
    if isinstance(value, OperatorCost):
        value = {key: item for key, item in asdict(value).items() if item is not None}
    fields = ("flops", "flops_per_element", "bytes_read", "bytes_written")
    if not isinstance(value, Mapping) or not value or not set(value) <= set(fields):
        raise invalid(name, f"must have some of {', '.join(fields)}, and nothing else")
    amounts = {
        key: _whole(name, item, 0, MAX_AMOUNT)
        for key, item in value.items()
        if key != "flops_per_element" and item is not None
    }
    each = value.get("flops_per_element")
    return OperatorCost(**amounts, flops_per_element=None if each is None else _number(name, each, 1e9))
