"""Runs a plan's segments for a job, in the process that may do nothing but compute."""

from __future__ import annotations

import base64
import pickle
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from heteroopt.deployment.exporting import ExportRequest
from heteroopt.deployment.trial.inside import measure_inside
from heteroopt.deployment.trial.report import OutputTrial, TrialReport
from heteroopt.deployment.trial.settings import TrialSettings
from heteroopt.errors import HeteroOptError
from heteroopt.progress import Progress

SETTINGS = TrialSettings()
MODEL_FOLDER = "model"


def packed(request: ExportRequest) -> str:
    """Our own objects, made from our own rows, as a pickle in base64."""
    return base64.b64encode(pickle.dumps(request)).decode("ascii")


def copy_data(options: Mapping[str, Any], scratch: Path) -> int:
    """Copy the model's data files to where it will lie, and return their bytes; a stored file is not to be written."""
    size = 0
    for location, path in options.get("data_files", {}).items():
        target = scratch / MODEL_FOLDER / location
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        size += target.stat().st_size
    return size


def run_segments(data: bytes, scratch: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """What was measured and how far the outputs are apart, JSON-able. ``options``: request (:func:`packed`), progress.
    Data files of the model were copied before.

    Raises ``HeteroOptError`` ``trial_stopped``, and what the export and the run raise.
    """
    model = scratch / MODEL_FOLDER / "planned-model.onnx"
    model.parent.mkdir(exist_ok=True)
    model.write_bytes(data)
    request = pickle.loads(base64.b64decode(options["request"]))

    def told(done: int, total: int, phase: str) -> None:
        if not options["progress"](Progress(done, total, phase)):
            raise HeteroOptError("trial_stopped", "The trial run was stopped.", hint="Start it again.")

    measured, outputs = measure_inside(request, model, scratch / "export", SETTINGS, told)
    rows = [asdict(output) for output in outputs]
    for row in rows:
        row["distance"] = row["distance"] if row["distance"] < float("inf") else None
    return {"measured": dict(measured), "outputs": rows}


def report(request: ExportRequest, found: Mapping[str, Any]) -> TrialReport:
    """The report from what :func:`run_segments` returned."""
    from heteroopt.deployment.trial.outcome import report_of

    outputs = [
        OutputTrial(**{**row, "distance": float("inf") if row["distance"] is None else row["distance"]})
        for row in found["outputs"]
    ]
    return report_of(request, SETTINGS, found["measured"], outputs)
