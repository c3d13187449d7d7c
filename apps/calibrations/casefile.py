"""The cases file that the calibrator of another machine reads."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from apps.modelhub.graphs import load_graph
from apps.modelhub.models import Model
from heteroopt.errors import ModelError


def cases_text(models: Sequence[Model], count: int) -> str:
    """JSON text of ``count`` cases. Raises ``ModelError`` ``model_not_ready`` for a model that has no graph."""
    # Loads ONNX, for which no start of the web process shall wait.
    from heteroopt.calibration.cases import make_cases, write_cases

    for model in models:
        if model.graph_id is None:
            raise ModelError(
                "model_not_ready",
                f"The operators of {model.name} are not known: it is {model.state}.",
                hint="Wait until it is read, or bind its dimensions.",
                state=model.state,
            )
    graphs = [load_graph(model.graph_id) for model in models if model.graph_id is not None]
    cases, _ = make_cases(graphs, count=count)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases.json"
        write_cases(path, cases)
        return path.read_text("utf-8")
