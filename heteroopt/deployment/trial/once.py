"""Runs a model once, to see what its layers give; as a script in a process of its own.

    python once.py MODEL INPUTS.npz OUTPUTS.npz

Inputs and outputs are in the order of the model's own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np


def run_once(path: str, arrays: Sequence[Any]) -> list[Any]:
    """The outputs of a model, as arrays."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_inputs()]
    return list(session.run(None, dict(zip(names, arrays, strict=True))))


if __name__ == "__main__":
    with np.load(sys.argv[2]) as stored:
        given = [stored[f"arr_{number}"] for number in range(len(stored.files))]
    np.savez(sys.argv[3], *run_once(sys.argv[1], given))
