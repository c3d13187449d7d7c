"""The rules of all operators; importing a module registers what it holds."""

from heteroopt.runtimes.plugins.opencl.operators import (
    convolution,
    joining,
    moving,
    normalising,
    pointwise,
    pooling,
    products,
    reductions,
    views,
)

__all__ = [
    "convolution", "joining", "moving", "normalising", "pointwise", "pooling", "products", "reductions", "views",
]  # fmt: skip
