"""Example inputs for a conversion: given as tensors or shapes, or taken from what a trace remembers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from heteroopt.errors import ModelError

DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")


@dataclass(frozen=True, slots=True)
class InputSpec:
    """An input by its sizes and element type."""

    shape: tuple[int, ...]
    dtype: str = "float32"

    @classmethod
    def parse(cls, text: str) -> InputSpec:
        """``1x3x224x224`` or ``int64:1x128``; ``float32:`` is a scalar. Raises ``ValueError``."""
        dtype, _, sizes = text.rpartition(":")
        shape = tuple(int(size) for size in sizes.split("x")) if sizes else ()
        if dtype not in ("", *DTYPES) or any(size < 1 for size in shape):
            raise ValueError(text)
        return cls(shape, dtype or "float32")


def example_tensors(items: Sequence[Any], torch: Any) -> tuple[Any, ...]:
    """One tensor of zeros for every shape; tensors and other arguments stay as they are.

    An item is a tensor, an :class:`InputSpec`, or sizes alone for float32. Raises ``ModelError`` (``torch_inputs``).
    """
    tensors = []
    for item in items:
        if isinstance(item, InputSpec):
            if item.dtype not in DTYPES:
                raise _wrong(item.dtype)
            tensors.append(torch.zeros(item.shape, dtype=getattr(torch, item.dtype)))
        elif isinstance(item, (tuple, list)) and all(isinstance(size, int) for size in item):
            tensors.append(torch.zeros(tuple(item)))
        else:
            tensors.append(item)
    return tuple(tensors)


def _wrong(dtype: str) -> ModelError:
    return ModelError(
        "torch_inputs",
        f"There is no element type {dtype!r}.",
        hint=f"Element types are {', '.join(DTYPES)}.",
        dtype=dtype,
    )


def traced_inputs(module: Any, torch: Any) -> tuple[Any, ...]:
    """Tensors of the sizes that ``torch.jit.trace`` saw.

    A module that was saved and loaded, or scripted, has none: raises ``ModelError`` (``torch_inputs``).
    """
    tensors = []
    arguments = list(module.graph.inputs())[1:]
    for argument in arguments:
        kind = argument.type()
        sizes = kind.sizes() if kind.kind() == "TensorType" else None
        if sizes is None or kind.dtype() is None:
            names = ", ".join(str(value.debugName()) for value in arguments)
            raise ModelError(
                "torch_inputs",
                f"The module does not say how large its inputs are ({names}).",
                hint="Give example inputs or their sizes: example_inputs=[(1, 3, 224, 224)], or --input 1x3x224x224.",
                inputs=[str(value.debugName()) for value in arguments],
            )
        tensors.append(torch.zeros(sizes, dtype=kind.dtype()))
    return tuple(tensors)
