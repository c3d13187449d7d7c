"""Wrong numbers on request: what a broken kernel, driver or compiler does to the result of one operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.runtimes.errors import RuntimeFault

Array = NDArray[Any]


def _one_element(array: Array) -> Array:
    """The largest element is off by a hundredth of itself."""
    changed = array.copy()
    changed.flat[int(np.argmax(np.abs(array)))] *= 1.01
    return changed


def _set(value: float) -> Callable[[Array], Array]:
    def change(array: Array) -> Array:
        changed = array.copy()
        changed.flat[array.size // 2] = value
        return changed

    return change


def _tail(array: Array) -> Array:
    """The last tile was never computed: the end of the result is 0."""
    changed = array.copy()
    changed.flat[array.size - max(1, array.size // 8) :] = 0
    return changed


def _shifted(array: Array) -> Array:
    return np.roll(array.ravel(), 1).reshape(array.shape)


def _rounded(bits: int) -> Callable[[Array], Array]:
    """Keep so many bits of the mantissa."""

    def change(array: Array) -> Array:
        mantissa, exponent = np.frexp(array)
        return np.ldexp(np.round(mantissa * 2.0**bits) / 2.0**bits, exponent).astype(array.dtype)

    return change


def _overflow(array: Array) -> Array:
    with np.errstate(over="ignore"):
        return (array * np.float32(1e5)).astype(np.float16).astype(array.dtype) / np.float32(1e5)


KINDS: Mapping[str, Callable[[Array], Array]] = {
    "factor": lambda array: (array * 1.5).astype(array.dtype),
    "slightly_off": lambda array: (array * (1 + 1e-3)).astype(array.dtype),
    "one_element": _one_element,
    "nan": _set(float("nan")),
    "infinite": _set(float("inf")),
    "tail_zero": _tail,
    "shifted": _shifted,
    "float16": lambda array: array.astype(np.float16).astype(array.dtype),
    "bfloat16": _rounded(8),
    "overflow": _overflow,
}
"""What can be done to a result, by name. ``overflow``: through float16 at a scale beyond its range."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of :data:`KINDS` at every operator of a type, or at the one that makes the tensor ``at``."""

    kind: str
    op_type: str = ""
    at: str = ""

    def hits(self, op_type: str, outputs: tuple[str, ...]) -> bool:
        """Whether it befalls an operator."""
        return self.at in outputs if self.at else self.op_type == op_type


def read_faults(data: Iterable[Mapping[str, str]]) -> tuple[Fault, ...]:
    """Read faults. Raises ``RuntimeFault`` ``runtime_load_failed`` for a kind that does not exist."""
    faults = tuple(Fault(**one) for one in data)
    for fault in faults:
        if fault.kind not in KINDS:
            raise RuntimeFault(
                "runtime_load_failed",
                f"A simulated device has no fault {fault.kind!r}.",
                hint=f"Known are {', '.join(KINDS)}.",
                path="simulated",
                kind="ValueError",
                says=fault.kind,
            )
    return faults


class FaultyNode:
    """One operator of ``onnx.reference`` whose floating-point results go through a fault."""

    def __init__(self, node: Any, fault: Fault) -> None:
        self._node = node
        self._change = KINDS[fault.kind]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)

    def run(self, *arguments: Any, **more: Any) -> tuple[Any, ...]:
        """Run the operator, then do it."""
        results = self._node.run(*arguments, **more)
        return tuple(self._changed(result) for result in results)

    def _changed(self, result: Any) -> Any:
        array = np.asarray(result)
        return self._change(array) if array.dtype.kind == "f" and array.size else result
