"""Passes that make one graph from another."""

from heteroopt.graph.passes.backward import expand_backward
from heteroopt.graph.passes.optimizers import OPTIMIZERS

__all__ = ["OPTIMIZERS", "expand_backward"]
