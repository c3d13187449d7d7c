"""Scripts that travel with an export and load it: each needs its engine and Python, nothing of ours."""

from __future__ import annotations

from importlib.resources import files

from heteroopt.deployment.exporting import ExportFile


def loader_file(name: str) -> ExportFile:
    """The script as a file of an export."""
    return ExportFile(f"{name}.py", (files(__name__) / f"{name}.py").read_bytes())
