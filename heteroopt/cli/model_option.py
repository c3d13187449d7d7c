"""The model that a command plans: read from its file and, if asked for, expanded to a training step."""

from __future__ import annotations

import argparse

from heteroopt.graph.given import Given
from heteroopt.graph.graph import Graph


def given_of(options: argparse.Namespace) -> Given:
    """What the options say where the model's file does not. Raises ``ModelError`` (``given_invalid``)."""
    return Given.from_dict(
        {
            "shapes": dict(options.shape),
            "trips": dict(options.trips),
            "then_shares": dict(options.then_share),
            "costs": dict(options.cost),
        }
    )


def read_model(options: argparse.Namespace) -> Graph:
    """The graph of ``options.model`` with its dimensions bound. Raises ``ModelError``."""
    graph = Graph.from_onnx(options.model, dims=dict(options.dim), given=given_of(options))
    if options.training is None:
        return graph
    from heteroopt.graph.passes import expand_backward

    return expand_backward(graph, optimizer=options.training)
