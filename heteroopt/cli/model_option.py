"""The model that a command plans: read from its file and, if asked for, expanded to a training step."""

from __future__ import annotations

import argparse

from heteroopt.graph.graph import Graph


def read_model(options: argparse.Namespace) -> Graph:
    """The graph of ``options.model`` with its dimensions bound. Raises ``ModelError``."""
    graph = Graph.from_onnx(options.model, dims=dict(options.dim))
    if options.training is None:
        return graph
    from heteroopt.graph.passes import expand_backward

    return expand_backward(graph, optimizer=options.training)
