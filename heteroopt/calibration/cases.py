"""Which operators are timed: those of the user's own models first, then a designed spread of each type."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from heteroopt.calibration.overhead_cases import launch_cases, layout_cases, weight_cases
from heteroopt.calibration.portable.standalone import CASES_FORMAT
from heteroopt.calibration.spread import spread_graphs
from heteroopt.costs.facts import OperatorFacts, graph_facts
from heteroopt.errors import ModelError
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph
from heteroopt.graph.rebuild import rebuild
from heteroopt.version import __version__

DEFAULT_CASES = 1_300
LARGEST_TENSORS_BYTES = 1 << 29
"""A case's tensors together; larger operators are left to the model."""

CONVOLUTIONS = frozenset(("Conv", "ConvTranspose"))
PRODUCTS = CONVOLUTIONS | {"MatMul", "Gemm"}
TOO_LARGE = "its tensors are larger than 512 MiB"


def make_cases(
    graphs: Iterable[Graph] = (), *, count: int = DEFAULT_CASES, seed: int = 0
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """``count`` cases (more where the graphs have more distinct operators), and what cannot be run alone, with why.

    Each operator of the graphs, fused as plans place them, is one case; equal ones are one. The rest is the designed
    spread, of the types that the graphs use where there are graphs; the same seed gives the same cases.
    """
    refused: dict[str, dict[str, str]] = {}
    cases: dict[str, dict[str, Any]] = {}
    used: set[str] = set()
    for graph in graphs:
        placed = graph if graph.original is not None else fuse(graph)
        cases.update(_of_graph(placed, cases, refused, from_model=True))
        used |= {op.op_type for op in (placed.original or placed).operators}
    own = len(cases)
    for graph in spread_graphs(max(0, count - own), seed, used):
        cases.update(_of_graph(graph, cases, refused, from_model=False))
    layouts = layout_cases() if not used or used & CONVOLUTIONS else []
    weights = weight_cases() if not used or used & PRODUCTS else []
    return [*launch_cases(), *layouts, *weights, *cases.values()], list(refused.values())


def case_of(graph: Graph) -> dict[str, Any]:
    """The case of a graph's first operator that is no view. Raises ``ModelError`` where it cannot be run alone."""
    index = next(op.index for op in graph.operators if not op.is_view)
    return _case(graph, index, graph_facts(graph)[index], from_model=False)


def write_cases(path: str | Path, cases: Sequence[dict[str, Any]]) -> None:
    """Write the file that the calibrator of another machine reads."""
    document = {"format": CASES_FORMAT, "version": __version__, "cases": list(cases)}
    Path(path).write_text(json.dumps(document), "utf-8")


def _of_graph(
    graph: Graph, known: dict[str, dict[str, Any]], refused: dict[str, dict[str, str]], *, from_model: bool
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for index, facts in enumerate(graph_facts(graph)):
        key = facts.structure
        if graph.operators[index].is_view or key in known or key in found or key in refused:
            continue
        try:
            if facts.bytes_read + facts.bytes_written > LARGEST_TENSORS_BYTES:
                refused[key] = {"operator": graph.operators[index].name, "kind": facts.kind, "why": TOO_LARGE}
                continue
            found[key] = _case(graph, index, facts, from_model=from_model)
        except ModelError as error:
            refused[key] = {"operator": graph.operators[index].name, "kind": facts.kind, "why": error.message}
    return found


def _case(graph: Graph, index: int, facts: OperatorFacts, *, from_model: bool) -> dict[str, Any]:
    small = rebuild(graph, index)
    return {
        "key": facts.structure,
        "facts": facts.to_dict(),
        "model": base64.b64encode(small.model).decode(),
        "weights": small.weights,
        "inputs": small.inputs,
        "outputs": small.outputs,
        "from_model": from_model,
    }
