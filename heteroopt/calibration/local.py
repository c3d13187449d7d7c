"""Calibrating a device of this host: opens it through its runtime's process, times the cases, reads the result."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from heteroopt.calibration.cases import DEFAULT_CASES, make_cases
from heteroopt.calibration.contention import measure_contention
from heteroopt.calibration.handle_device import HandleDevice
from heteroopt.calibration.portable.session import Session
from heteroopt.calibration.portable.timing import Rule
from heteroopt.calibration.transfers import measure_transfers
from heteroopt.costs.bundle import bundle_hash
from heteroopt.costs.database import MeasuredHandover, PerformanceDatabase
from heteroopt.errors import CostError
from heteroopt.graph.graph import Graph
from heteroopt.progress import Progress, ProgressCallback
from heteroopt.runtimes.description import DeviceDescription, DeviceState
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.handle import DeviceHandle
from heteroopt.runtimes.manager import RuntimeManager
from heteroopt.runtimes.registry import MADE_UP, Plugin, find_plugins

DEFAULT_BUDGET_S = 120.0
START_SECONDS = 60.0

Save = Callable[[dict[str, Any]], None]
Handover = Callable[[HandleDevice, HandleDevice], MeasuredHandover | None]


@contextmanager
def open_local(
    runtime: str, index: int = 0, *, options: Mapping[str, Any] | None = None, host_folder: Path | None = None
) -> Iterator[HandleDevice]:
    """Start a runtime's process and open one of its devices; all is ended afterwards.

    ``options`` go to every load (``threads``, ``precision``, ``optimise``). Raises ``RuntimeFault`` with the reason
    where the runtime or the device cannot be used.
    """
    with open_locals(runtime, (index,), options=options, host_folder=host_folder) as devices:
        yield devices[0]


@contextmanager
def open_locals(
    runtime: str, indices: Sequence[int], *, options: Mapping[str, Any] | None = None, host_folder: Path | None = None
) -> Iterator[list[HandleDevice]]:
    """Several devices of one runtime at once; as :func:`open_local`."""
    with started((runtime,), host_folder) as manager:
        known = {status.name: status for status in manager.statuses()}
        if runtime not in known:
            names = [plugin.name for plugin in find_plugins(host_folder)]
            raise RuntimeFault(
                "runtime_unknown",
                f"There is no runtime {runtime!r} here.",
                hint=f"Those that are known are {', '.join(names)}.",
                runtime=runtime,
                known=names,
            )
        handles: list[DeviceHandle] = []
        try:
            for index in indices:
                handles.append(manager.open(runtime, index))
            told = known[runtime].description
            probed = "" if told is None else told.fingerprint
            described = {device.index: device for device in known[runtime].devices()}
            yield [
                HandleDevice(handle, runtime, described[index], options, platform.node(), probed)
                for handle, index in zip(handles, indices, strict=True)
            ]
        finally:
            for handle in handles:
                if handle.process.alive:
                    handle.close()


@contextmanager
def started(runtimes: Iterable[str], host_folder: Path | None = None) -> Iterator[RuntimeManager]:
    """The named runtimes of this host, probed; they are ended afterwards."""
    wanted = set(runtimes)
    manager = RuntimeManager([_without_spare(plugin) for plugin in find_plugins(host_folder) if plugin.name in wanted])
    manager.start()
    try:
        manager.wait(START_SECONDS)
        yield manager
    finally:
        manager.stop()


def _without_spare(plugin: Plugin) -> Plugin:
    """Nobody waits long enough here for a process to take over, and its start would disturb what is measured."""
    if plugin.configuration is None:
        return plugin
    return replace(plugin, configuration=replace(plugin.configuration, spare=False))


def local_devices(host_folder: Path | None = None) -> list[tuple[str, DeviceDescription]]:
    """The healthy devices of this host with their runtime's name, made-up ones left out."""
    names = [plugin.name for plugin in find_plugins(host_folder) if plugin.name not in MADE_UP]
    with started(names, host_folder) as manager:
        return [
            (status.name, device)
            for status in manager.statuses()
            for device in status.devices()
            if device.state == DeviceState.HEALTHY
        ]


def calibrate_device(
    device: HandleDevice,
    graphs: Iterable[Graph] = (),
    *,
    count: int = DEFAULT_CASES,
    budget_s: float = DEFAULT_BUDGET_S,
    seed: int = 0,
    rule: Rule | None = None,
    checkpoint: dict[str, Any] | None = None,
    save: Save | None = None,
    progress: ProgressCallback | None = None,
    beside: HandleDevice | None = None,
    handover: Handover | None = None,
) -> tuple[PerformanceDatabase, dict[str, Any]]:
    """Time the operators of the graphs, then the designed spread; return the database and the bundle it was read from.

    Copies between the device and the host are timed after that. ``beside``: a device that shares its memory; how much
    the two slow each other is measured last, and kept, and with ``handover`` what handing over to it takes.
    ``checkpoint``: what ``save`` got last, of the same graphs, count, seed and device. Raises ``CostError``
    ``checkpoint_other`` where it is of something else, and ``calibration_empty`` where nothing could be timed.
    """
    cases, refused = make_cases(graphs, count=count, seed=seed)
    try:
        session = Session(device, cases, rule, budget_s, checkpoint, _told(progress), save)
    except (ValueError, KeyError, TypeError) as error:
        raise CostError(
            "checkpoint_other",
            "The checkpoint is of other cases, another device or another version of its runtime.",
            hint="Start the calibration again without it.",
        ) from error
    bundle = session.run()
    if save is not None:
        save(session.state())
    bundle["not_rebuilt"] = refused
    if not bundle["rows"]:
        first = bundle["failed"][0]["why"] if bundle["failed"] else bundle["stopped"] or "there were no cases"
        raise CostError(
            "calibration_empty",
            f"Nothing could be timed on {device.description.name}: {first}",
            hint="Give it more time, or see why its runtime refuses the operators.",
            device=device.description.name,
            says=first,
        )
    if bundle["stopped"] != "stopped":
        # A runtime that keeps data itself has no copies to time.
        with suppress(RuntimeFault):
            bundle["transfers"] = {name: fit.to_dict() for name, fit in measure_transfers(device.handle).items()}
        if beside is not None:
            bundle["contention"] = asdict(measure_contention(device, beside).of(0))
            handed = None if handover is None else handover(device, beside)
            if handed is not None:
                bundle["handover"] = asdict(handed)
        bundle["hash"] = bundle_hash({key: value for key, value in bundle.items() if key != "not_rebuilt"})
    return PerformanceDatabase.from_dict(bundle), bundle


def _told(progress: ProgressCallback | None) -> Callable[[int, int, str], bool | None] | None:
    if progress is None:
        return None
    return lambda done, total, phase: progress(Progress(done, total, phase))
