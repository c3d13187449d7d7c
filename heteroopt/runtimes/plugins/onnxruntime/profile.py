"""Reads ONNX Runtime's profile (Chrome trace events) as seconds an operator of the optimised model."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

from heteroopt.runtimes.plugin import OperatorTime

OPTIMISED = "optimised.onnx"
_KERNEL = "_kernel_time"
_BLOCKED = "_nchwc"


def read_profile(trace: Path, optimised: Path, *, skip: int = 0) -> list[OperatorTime]:
    """Return the median of each operator over the profiled runs, in the order of the first run.

    The first ``skip`` runs are left out. What an operator makes is read from the optimised model, which holds the
    joined operators by the same names; where it cannot be read, outputs stay empty.
    """
    events = json.loads(trace.read_text(encoding="utf-8"))
    seconds: dict[str, list[float]] = {}
    kinds: dict[str, str] = {}
    for event in events:
        name = str(event.get("name", ""))
        if event.get("cat") != "Node" or not name.endswith(_KERNEL):
            continue
        node = name.removesuffix(_KERNEL)
        seconds.setdefault(node, []).append(float(event["dur"]) * 1e-6)
        kinds[node] = str(event.get("args", {}).get("op_name", ""))
    outputs = _outputs(optimised)
    return [
        OperatorTime(
            node, kinds[node], median(times[skip:] or times), (*outputs.get(node, ()), *_before_blocking(node))
        )
        for node, times in seconds.items()
    ]


def _before_blocking(node: str) -> tuple[str, ...]:
    """The model's tensor that an operator on blocked channels makes: it is named after it, its own output is not."""
    return (node.removesuffix(_BLOCKED),) if node.endswith(_BLOCKED) else ()


def _outputs(optimised: Path) -> dict[str, tuple[str, ...]]:
    try:
        import onnx  # as in ``runtime``: only who asks for it waits for this package

        model = onnx.load(str(optimised), load_external_data=False)
    except Exception:  # a provider that compiles parts of the model writes what is no valid model, or nothing
        return {}
    return {node.name: tuple(name for name in node.output if name) for node in model.graph.node if node.name}
