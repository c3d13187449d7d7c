"""Runs a plan's segments inside this process, for callers who have shut it off from the rest of the machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from heteroopt.deployment.export_plan import export_plan
from heteroopt.deployment.exporting import ExportRequest
from heteroopt.deployment.trial import child
from heteroopt.deployment.trial.once import run_once
from heteroopt.deployment.trial.outcome import compare_outputs
from heteroopt.deployment.trial.report import OutputTrial
from heteroopt.deployment.trial.settings import TrialSettings
from heteroopt.deployment.trial.weights import with_random_weights
from heteroopt.errors import HeteroOptError


def measure_inside(
    request: ExportRequest,
    model: Path,
    folder: Path,
    settings: TrialSettings,
    told: Callable[[int, int, str], None],
) -> tuple[Mapping[str, Any], tuple[OutputTrial, ...]]:
    """Export to ``folder`` (new) and run it once, with random weights where the file has degenerate ones; what
    ``outcome.report_of`` takes. ``told`` (done, total, phase) may raise ``HeteroOptError`` to end it.

    Raises what the export raises, and ``HeteroOptError`` ``trial_failed``.
    """
    changed = folder.with_name("random-weights.onnx")
    weights = with_random_weights(
        model, changed, request.plan.original, lambda path, arrays: run_once(str(path), arrays), settings.seed
    )
    model = changed if weights else model
    export_plan("ort-segments", replace(request, model_path=model), folder)
    run: Callable[..., Any] = child.measure
    try:
        items, in_flight = max(1, settings.items), max(1, settings.in_flight)
        measured, values = run(str(folder), str(model), items, in_flight, settings.seed, told)
    except HeteroOptError:
        raise
    except Exception as error:  # runtimes raise many unrelated kinds
        says = f"{type(error).__name__}: {error}"[:500]
        raise HeteroOptError(
            "trial_failed",
            f"The segments could not be run here: {says}",
            hint="Give each device a runtime of this machine.",
            says=says,
        ) from error
    measured = {**measured, "random_weights": weights}
    return measured, compare_outputs(request.plan.original, values, settings.precision)
