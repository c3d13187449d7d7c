"""Names for a model's nodes by which they are known again after a runtime has joined and renamed them."""

from __future__ import annotations

import re
from pathlib import Path

import onnx

from heteroopt.errors import ModelError

_TOKEN = re.compile(r"h(\d{7})h")


def name_nodes(model: bytes | Path) -> tuple[bytes, list[tuple[str, ...]]]:
    """The model with numbered node names, and the outputs of each node by its number.

    Runtimes name a joined node after its parts, so that ``numbers_in`` finds them in its name. Weights stay as they
    are; those in files beside the model are read in. Raises ``ModelError`` ``model_unreadable``.
    """
    try:
        loaded = onnx.load_from_string(model) if isinstance(model, bytes) else onnx.load(str(model))
    except Exception as error:  # protobuf and the reader of external data raise several unrelated kinds
        raise ModelError(
            "model_unreadable",
            f"The file is not a readable ONNX model: {str(error)[:200]}.",
            hint="Export the model again and check that the upload is complete.",
            reason=str(error)[:200],
        ) from error
    outputs = []
    for number, node in enumerate(loaded.graph.node):
        node.name = node_name(number)
        outputs.append(tuple(name for name in node.output if name))
    return bytes(loaded.SerializeToString()), outputs


def node_name(number: int) -> str:
    """The name of a node by its number."""
    return f"h{number:07d}h"


def numbers_in(name: str) -> list[int]:
    """Numbers of the nodes that a runtime's node was made of, as far as its name tells."""
    return [int(number) for number in dict.fromkeys(_TOKEN.findall(name))]
