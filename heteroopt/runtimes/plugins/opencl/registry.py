"""Which operators there are kernels for, and what a rule that makes them is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.runtimes.errors import refused
from heteroopt.runtimes.plugins.opencl.kernels import Step
from heteroopt.runtimes.plugins.opencl.values import Value

IRRELEVANT = frozenset({
    "consumed_inputs", "is_test", "kernel_shape", "momentum", "num_outputs", "ratio", "round_mode", "saturate", "seed",
    "stash_type", "storage_order",
})  # fmt: skip
"""Attributes that change nothing in what there are kernels for."""


class Attributes(dict[str, Any]):
    """An operator's attributes; remembers which were looked at, so that none is silently ignored."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self._seen: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self._seen.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._seen.add(str(name))
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """As of a dictionary."""
        self._seen.add(name)
        return super().get(name, default)

    def ignored(self) -> list[str]:
        """Return the names of those that nobody looked at and that could matter."""
        return sorted(set(self) - self._seen - IRRELEVANT)


class ContentNeeded(Exception):
    """A rule needs to know what an input of the program holds (the shape of a Reshape, the axes of a sum)."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(frozen=True, slots=True)
class Node:
    """One operator: inputs in their order (``None`` where one is left out), attributes as Python values."""

    op_type: str
    name: str
    inputs: Sequence[Value | None]
    attributes: Attributes
    n_outputs: int
    opset: int
    sources: Mapping[int, str] = field(default_factory=dict)
    """Names of the program's inputs that this operator reads, by ``id`` of the value's storage."""

    def refused(self, says: str) -> Exception:
        """Return the error for what this operator cannot do here."""
        return refused(f"{self.op_type} {self.name!r}: {says}")

    def value(self, at: int) -> Value:
        """Return a required input. Raises ``RuntimeFault`` ``program_refused``."""
        found = self.optional(at)
        if found is None:
            raise self.refused(f"input {at} is missing")
        return found

    def optional(self, at: int) -> Value | None:
        """Return an input, ``None`` where it is left out."""
        return self.inputs[at] if at < len(self.inputs) else None

    def of_kind(self, at: int, kinds: str) -> Value:
        """Return a required input whose type is of one of numpy's ``kinds`` (f, i, u, b)."""
        value = self.value(at)
        if value.dtype.kind not in kinds:
            raise self.refused(f"no kernel for elements of type {value.dtype.name}")
        return value

    def content(self, at: int) -> NDArray[Any] | None:
        """Return what an input holds; ``None`` where it is left out. Raises ``ContentNeeded`` or refuses."""
        value = self.optional(at)
        if value is None:
            return None
        if value.host is None:
            source = self.sources.get(id(value.storage))
            if source is None:
                raise self.refused(f"input {at} is computed by the program, and the kernel's shape depends on it")
            raise ContentNeeded(source)
        return value.host

    def whole(self, name: str, default: int | None = None) -> int:
        """Return a whole-number attribute. Refuses where it is missing and has no default."""
        found = self.attributes.get(name, default)
        if found is None:
            raise self.refused(f"attribute {name} is missing")
        return int(found)

    def real(self, name: str, default: float) -> float:
        """Return a real attribute."""
        return float(self.attributes.get(name, default))

    def axis(self, name: str, default: int, rank: int) -> int:
        """Return an axis attribute, counted from the front."""
        return self.front(self.whole(name, default), rank)

    def front(self, axis: int, rank: int) -> int:
        """Return an axis counted from the front. Refuses one outside the tensor."""
        if not -rank <= axis < max(rank, 1):
            raise self.refused(f"axis {axis} is outside a tensor of {rank} dimensions")
        return axis % max(rank, 1)

    def axes(self, at: int, rank: int, default: Sequence[int] | None) -> list[int]:
        """Return axes from the attribute of old versions or input ``at`` of new ones, sorted."""
        found: Any = self.attributes.get("axes")
        if found is None:
            content = self.content(at)
            found = default if content is None or content.size == 0 else content.reshape(-1).tolist()
        if found is None:
            raise self.refused("its axes are missing")
        return sorted({self.front(int(axis), rank) for axis in found})


@dataclass(slots=True)
class Result:
    """What a rule makes: the operator's outputs and the launches that fill them."""

    outputs: list[Value]
    steps: list[Step] = field(default_factory=list)


Rule = Callable[[Node], Result]
RULES: dict[str, Rule] = {}


def operator(*op_types: str) -> Callable[[Rule], Rule]:
    """Register a rule for these operators of ``ai.onnx``."""

    def register(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(op_types, rule))
        return rule

    return register


def literal(number: float, value: Value) -> str:
    """Return a number as text in the type in which ``value``'s elements are computed."""
    if value.dtype.kind != "f":
        return f"(({value.c_type}){int(number)})"
    if np.isnan(number):
        return "NAN"
    if np.isinf(number):
        return "INFINITY" if number > 0 else "(-INFINITY)"
    return f"{float(number)!r}" if value.dtype.itemsize == 8 else f"{float(np.float32(number))!r}f"
