"""The model that a command plans: read from its file and, if asked for, expanded to a training step."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from heteroopt.graph.given import Given
from heteroopt.graph.graph import Graph
from heteroopt.graph.pytorch.files import is_torch_path
from heteroopt.graph.pytorch.inputs import InputSpec


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


@contextmanager
def onnx_file(model: str, inputs: Sequence[InputSpec] = ()) -> Iterator[str]:
    """The path of ``model`` as ONNX: itself, or for a file of PyTorch's a conversion that is gone afterwards."""
    if not is_torch_path(model):
        yield model
        return
    from heteroopt.graph.pytorch.convert import convert_file

    with tempfile.TemporaryDirectory(prefix="heteroopt-") as folder:
        path = Path(folder) / f"{Path(model).stem}.onnx"
        convert_file(model, path, inputs or None)
        yield str(path)


def read_model(options: argparse.Namespace) -> Graph:
    """The graph of ``options.model`` with its dimensions bound. Raises ``ModelError``."""
    with onnx_file(options.model, options.input) as path:
        graph = Graph.from_onnx(path, dims=dict(options.dim), given=given_of(options))
    if options.training is None:
        return graph
    from heteroopt.graph.passes import expand_backward

    return expand_backward(graph, optimizer=options.training)
