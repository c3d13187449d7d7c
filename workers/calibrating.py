"""What the measuring process does for calibrations: times a device's operators and learns, or profiles a model."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from apps.calibrations.reading import described, figures
from heteroopt.calibration.cases import make_cases
from heteroopt.calibration.drift import recheck
from heteroopt.calibration.handle_device import HandleDevice
from heteroopt.calibration.local import calibrate_device
from heteroopt.calibration.profiled import profile_model
from heteroopt.costs.bundle import read_bundle
from heteroopt.deployment.handover import measure_handover
from heteroopt.graph.graph import Graph
from heteroopt.precision.own_device import OwnDevice
from heteroopt.progress import Progress, ProgressCallback

SHOWN = 50
"""Of the operators that could not be run alone."""


def calibrate(
    devices: Sequence[OwnDevice], options: Mapping[str, Any], say: Callable[[str, object], None]
) -> dict[str, Any]:
    """``{"bundle", "described", "figures"}``. ``options``: graphs, count, seed, budget_s, checkpoint, progress.

    The first device is calibrated; of a second one, which shares its memory, it is measured how it slows the first.
    """
    progress: ProgressCallback = options["progress"]
    database, bundle = calibrate_device(
        _opened(devices[0]),
        [Graph.from_dict(graph) for graph in options["graphs"]],
        count=options["count"],
        seed=options["seed"],
        budget_s=options["budget_s"],
        checkpoint=options["checkpoint"],
        save=lambda state: say("checkpoint", state),
        progress=progress,
        beside=_opened(devices[1]) if len(devices) > 1 else None,
        handover=measure_handover,
    )
    not_rebuilt = bundle.pop("not_rebuilt")[:SHOWN]
    progress(Progress(len(database), bundle["cases"], "judge"))
    found = {
        **figures(database),
        "stopped": bundle["stopped"],
        "seconds": bundle["seconds"],
        "not_rebuilt": not_rebuilt,
    }
    return {"bundle": bundle, "described": described(database), "figures": found}


def check(device: OwnDevice, options: Mapping[str, Any]) -> dict[str, Any]:
    """A re-check, JSON-able. ``options``: graphs, count, seed, text (the bundle), progress."""
    database = read_bundle(options["text"].encode("utf-8"))
    graphs = [Graph.from_dict(graph) for graph in options["graphs"]]
    cases, _ = make_cases(graphs, count=options["count"], seed=options["seed"])
    options["progress"](Progress(0, 1, "recheck"))
    found = asdict(recheck(_opened(device), database, cases))
    return {**found, "rows": [list(row[1:]) for row in found["rows"]], "n": len(found["rows"])}


def profile(device: OwnDevice, data: bytes, options: Mapping[str, Any]) -> dict[str, Any]:
    """A profile of the model in ``data``, JSON-able. ``options``: graph (that was read of it), progress."""
    graph = Graph.from_dict(options["graph"])
    return profile_model(_opened(device), data, graph, progress=options["progress"]).to_dict()


def _opened(device: OwnDevice) -> HandleDevice:
    handle = device.handle()
    return HandleDevice(
        handle, device.runtime, device.description(), host=platform.node(), fingerprint=device.fingerprint().hash
    )
