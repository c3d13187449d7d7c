"""The command of the single file: opens a runtime's device without the package and writes a bundle."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import sys
import time
from typing import Any

import numpy as np

from heteroopt.calibration.portable.case_model import case_model, fill
from heteroopt.calibration.portable.counters import Nvml, Rapl
from heteroopt.calibration.portable.session import Session

CASES_FORMAT = "heteroopt-cases-1"
PROVIDERS = {"cuda": "CUDAExecutionProvider", "cann": "CANNExecutionProvider", "rocm": "ROCMExecutionProvider"}


class OrtDevice:
    """An execution provider of ONNX Runtime: ``onnxruntime`` is its CPU, ``cuda``, ``cann`` and ``rocm`` its own."""

    def __init__(self, runtime: str, index: int = 0, threads: int = 0) -> None:
        import onnxruntime

        self._ort = onnxruntime
        self.runtime, self.index, self.threads = runtime, index, threads
        self.provider = PROVIDERS.get(runtime, "CPUExecutionProvider")
        if self.provider not in onnxruntime.get_available_providers():
            raise SystemExit(
                "ONNX Runtime has no {} here; it has {}.".format(
                    self.provider, ", ".join(onnxruntime.get_available_providers())
                )
            )
        self._counter: Nvml | Rapl | None = None  # the processor's package says nothing of an accelerator
        if runtime in ("cuda", "onnxruntime"):
            self._counter = Nvml(index) if runtime == "cuda" else Rapl()

    def describe(self) -> dict[str, Any]:
        """Name, versions and fingerprint."""
        name = self.provider.replace("ExecutionProvider", "")
        return describe(self.runtime, self.index, name, {"onnxruntime": self._ort.__version__}, self.threads)

    def joules(self) -> float | None:
        """The counter of the package or the GPU."""
        return self._counter.joules() if self._counter is not None else None

    def open(self, case: dict[str, Any]) -> OrtProgram:
        """Load a case at the level that models are run at."""
        options = self._ort.SessionOptions()
        options.log_severity_level = 4
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if self.threads:
            options.intra_op_num_threads = self.threads
        provider = self.provider if self.runtime == "onnxruntime" else (self.provider, {"device_id": str(self.index)})
        session = self._ort.InferenceSession(case_model(case), options, providers=[provider])
        return OrtProgram(session, case, "cpu" if self.runtime == "onnxruntime" else self.runtime, self.index)


class OrtProgram:
    """A loaded case, its tensors on the device."""

    def __init__(self, session: Any, case: dict[str, Any], place: str, index: int) -> None:
        self._session = session
        self._binding = session.io_binding()
        for tensor in case["inputs"]:
            self._binding.bind_cpu_input(tensor["name"], fill(tensor))
        for output in session.get_outputs():
            self._binding.bind_output(output.name, place, index)

    def run(self, count: int) -> list[float]:
        """Seconds of each run."""
        run, binding, clock, seconds = self._session.run_with_iobinding, self._binding, time.perf_counter, []
        for _ in range(count):
            begin = clock()
            run(binding)
            seconds.append(clock() - begin)
        return seconds

    def close(self) -> None:
        """Forget it."""
        self._session = self._binding = None


class OpenVinoDevice:
    """A device of OpenVINO, by its place in the list of those available."""

    def __init__(self, runtime: str, index: int = 0, threads: int = 0) -> None:
        import openvino

        self._core = openvino.Core()
        self.runtime, self.index, self.threads = runtime, index, threads
        names = self._core.available_devices
        if not 0 <= index < len(names):
            raise SystemExit("OpenVINO has the devices {}; there is no number {}.".format(", ".join(names), index))
        self.name = names[index]
        self.version = openvino.__version__
        self._counter = Rapl()

    def describe(self) -> dict[str, Any]:
        """Name, versions and fingerprint."""
        return describe(self.runtime, self.index, self.name, {"openvino": self.version}, self.threads)

    def joules(self) -> float | None:
        """The counter of the processor's package; other devices have none here."""
        return self._counter.joules() if self.name.startswith("CPU") else None

    def open(self, case: dict[str, Any]) -> OpenVinoProgram:
        """Compile a case for latency in its own precision."""
        settings: dict[str, Any] = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
        if self.threads:
            settings["INFERENCE_NUM_THREADS"] = self.threads
        if not self.name.startswith("CPU"):
            settings = {"PERFORMANCE_HINT": "LATENCY"}
        model = self._core.read_model(case_model(case))
        return OpenVinoProgram(self._core.compile_model(model, self.name, settings), case)


class OpenVinoProgram:
    """A compiled case with its inputs set."""

    def __init__(self, compiled: Any, case: dict[str, Any]) -> None:
        import openvino

        self._request = compiled.create_infer_request()
        for tensor in case["inputs"]:
            self._request.set_tensor(tensor["name"], openvino.Tensor(fill(tensor)))

    def run(self, count: int) -> list[float]:
        """Seconds of each run."""
        request, clock, seconds = self._request, time.perf_counter, []
        for _ in range(count):
            begin = clock()
            request.start_async()
            request.wait()
            seconds.append(clock() - begin)
        return seconds

    def close(self) -> None:
        """Forget it."""
        self._request = None


def describe(runtime: str, index: int, name: str, versions: dict[str, str], threads: int) -> dict[str, Any]:
    """What was measured: the versions and the processor make the fingerprint."""
    versions = {**versions, "numpy": np.__version__, "python": platform.python_version(), "kernel": platform.release()}
    text = json.dumps([versions, processor(), runtime, name, threads], sort_keys=True)
    return {
        "runtime": runtime, "index": index, "name": name, "host": platform.node()[:100], "versions": versions,
        "processor": processor(), "threads": threads,
        "fingerprint": hashlib.sha256(text.encode()).hexdigest()[:16],
    }  # fmt: skip


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", errors="replace") as file:
            for line in file:
                if line.lower().startswith(("model name", "hardware", "cpu model")):
                    return line.split(":", 1)[1].strip()[:100]
    except OSError:
        pass
    return (platform.processor() or platform.machine())[:100]


def open_device(runtime: str, index: int, threads: int) -> Any:
    """The device of a runtime that can be imported here."""
    try:
        if runtime == "openvino":
            return OpenVinoDevice(runtime, index, threads)
        return OrtDevice(runtime, index, threads)
    except ImportError as error:
        raise SystemExit(
            "{} cannot be used here: {}. Install it for {}.".format(runtime, error, sys.executable)
        ) from error


def write_json(path: str, content: Any) -> None:
    """Write a file whole or not at all."""
    with open(path + ".part", "w") as file:
        json.dump(content, file)
    os.replace(path + ".part", path)


def read_json(path: str, advice: str) -> Any:
    """A file of JSON; one that cannot be read ends the program with the reason and what to do."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise SystemExit("{} cannot be read: {}. {}".format(path, error, advice)) from error


def check_target(path: str) -> None:
    """End the program before anything is measured where a file cannot be written."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise SystemExit("{} cannot be written. Name a file in a folder that is there and writable.".format(path))


def show_progress(done: int, total: int, phase: str) -> None:
    """One line that is written over."""
    print("\r{} of {} ({})   ".format(done, total, phase), end="", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; Ctrl-C keeps what has been measured."""
    parser = argparse.ArgumentParser(description="Time operators on a device and write a bundle of their costs.")
    parser.add_argument("--runtime", required=True, choices=["onnxruntime", "openvino", *sorted(PROVIDERS)])
    parser.add_argument("--cases", required=True, metavar="cases.json")
    parser.add_argument("--out", required=True, metavar="bundle.json")
    parser.add_argument("--device", type=int, default=0, metavar="N", help="number of the device (default 0)")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="of the runtime (default: its own choice)")
    parser.add_argument("--budget-s", type=float, default=120.0, metavar="S", help="stop after so long (default 120)")
    parser.add_argument("--resume", metavar="FILE", help="keep a checkpoint there, and go on from it")
    options = parser.parse_args(arguments)
    for target in (options.out, options.resume):
        if target:
            check_target(target)
    document = read_json(options.cases, "Write one with heteroopt calibrate --cases-out.")
    if not isinstance(document, dict) or document.get("format") != CASES_FORMAT:
        raise SystemExit(
            "{} is no file of cases; write one with heteroopt calibrate --cases-out.".format(options.cases)
        )
    device = open_device(options.runtime, options.device, options.threads)
    checkpoint, save = None, None
    if options.resume:
        save = lambda state: write_json(options.resume, state)  # noqa: E731
        if os.path.exists(options.resume):
            checkpoint = read_json(options.resume, "Remove it to start again.")
    try:
        session = Session(device, document["cases"], None, options.budget_s, checkpoint, show_progress, save)
    except (ValueError, KeyError, TypeError) as error:
        raise SystemExit("{} cannot be used: {}. Remove it to start again.".format(options.resume, error)) from error
    try:
        bundle = session.run()
    except KeyboardInterrupt:
        session.stopped = "stopped"
        bundle = session.bundle()
    if save is not None:
        save(session.state())
    write_json(options.out, bundle)
    print("\n{} of {} shapes in {:.0f} s, {} refused -> {}".format(
        len(bundle["rows"]), bundle["cases"], bundle["seconds"], len(bundle["failed"]), options.out))  # fmt: skip
    return 0 if bundle["rows"] else 1
