"""Runs a plan's segments in a child process and reports measured beside predicted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from heteroopt.deployment.export_plan import export_plan
from heteroopt.deployment.exporting import ExportRequest
from heteroopt.deployment.trial.outcome import compare_outputs, report_of
from heteroopt.deployment.trial.report import TrialReport
from heteroopt.deployment.trial.settings import TrialSettings
from heteroopt.deployment.trial.weights import with_random_weights
from heteroopt.errors import HeteroOptError

CHILD, ONCE = Path(__file__).with_name("child.py"), Path(__file__).with_name("once.py")


def run_trial(request: ExportRequest, settings: TrialSettings | None = None) -> TrialReport:
    """Export as ``ort-segments``, run it in a process of its own, and compare results and times. Weights of the file
    that are all alike, which prove nothing, are random in the run.

    The model is the caller's own: an untrusted one belongs into a sandbox around this. Raises ``Refusal`` where the
    plan cannot be exported, and ``HeteroOptError`` ``trial_failed`` with what the child said, or ``trial_time``.
    """
    chosen = settings or TrialSettings()
    model = request.model_path.resolve() if request.model_path is not None else None
    with tempfile.TemporaryDirectory(prefix="heteroopt-trial-") as scratch:
        folder, results = Path(scratch) / "export", Path(scratch) / "results.npz"
        weights, changed = 0, Path(scratch) / "random-weights.onnx"
        if model is not None and model.is_file():

            def once(path: Path, arrays: Sequence[Any]) -> list[Any]:
                given, made = Path(scratch) / "given.npz", Path(scratch) / "made.npz"
                np.savez(given, *arrays)
                _child([str(ONCE), str(path), str(given), str(made)], scratch, chosen.seconds)
                with np.load(made) as stored:
                    return [stored[f"arr_{number}"] for number in range(len(stored.files))]

            weights = with_random_weights(model, changed, request.plan.original, once, chosen.seed)
        if weights:
            model = changed
        export_plan("ort-segments", replace(request, model_path=model), folder)
        arguments = [
            str(CHILD), str(folder), str(model), str(results), str(max(1, chosen.items)),
            str(max(1, chosen.in_flight)), str(chosen.seed),
        ]  # fmt: skip
        said = _child(arguments, scratch, chosen.seconds)
        measured = {**json.loads(said.strip().splitlines()[-1]), "random_weights": weights}
        with np.load(results, allow_pickle=False) as stored:
            values = {name: stored[f"v{number}"] for number, name in enumerate(measured["values"])}
    return report_of(request, chosen, measured, compare_outputs(request.plan.original, values, chosen.precision))


def _child(arguments: list[str], folder: str, seconds: float) -> str:
    """What a script of ours says in a process of its own."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": folder, "TMPDIR": folder}
    theirs, ours = os.pipe()
    try:
        with subprocess.Popen(
            [sys.executable, "-I", *arguments],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
            text=True,
        ) as done:
            try:
                said, complaint = done.communicate(timeout=seconds)
            except BaseException:
                done.kill()
                done.wait()  # which leaving the block does not, at Ctrl-C
                raise
    except subprocess.TimeoutExpired as error:
        raise HeteroOptError(
            "trial_time",
            f"The trial run took more than {seconds:g} s and was stopped.",
            hint="Give it more time, or fewer items.",
            seconds=seconds,
        ) from error
    finally:
        os.close(theirs)
        os.close(ours)
    if done.returncode != 0:
        says = (complaint.strip().splitlines() or [""])[-1][:400]
        if done.returncode < 0:
            ended = f"the process was ended by {signal.Signals(-done.returncode).name}"
            says = f"{ended}: {says}" if says else f"{ended}, perhaps for want of memory"
        says = says or f"it ended with {done.returncode}"
        raise HeteroOptError(
            "trial_failed",
            f"The segments could not be run here: {says}",
            hint="Give each device a runtime of this machine: --option device.NAME=onnxruntime:CPUExecutionProvider.",
            says=says,
        )
    return said
