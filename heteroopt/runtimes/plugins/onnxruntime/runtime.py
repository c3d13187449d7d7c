"""The runtime of this plugin. Only its own process may import this module's library."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from heteroopt.devices.topology.core_sets import core_sets as find_core_sets
from heteroopt.devices.topology.sysfs import from_sysfs
from heteroopt.runtimes.description import Capability, DeviceDescription
from heteroopt.runtimes.errors import RuntimeFault, failed, refused
from heteroopt.runtimes.host_memory import HostMemoryDriver, as_array, host_memory_bytes
from heteroopt.runtimes.options import LoadOptions
from heteroopt.runtimes.plugin import Argument, OperatorTime, Runtime
from heteroopt.runtimes.plugins.onnxruntime.profile import OPTIMISED, read_profile

CPU_PROVIDER = "CPUExecutionProvider"
NO_DEVICE = frozenset({"AzureExecutionProvider"})
"""Providers that call a service elsewhere: no request leaves this host."""

DEVICE_TYPES: Mapping[str, str] = {
    "CPUExecutionProvider": "CPU", "XnnpackExecutionProvider": "CPU", "DnnlExecutionProvider": "CPU",
    "ACLExecutionProvider": "CPU", "CoreMLExecutionProvider": "NPU", "QNNExecutionProvider": "NPU",
    "VitisAIExecutionProvider": "NPU", "CANNExecutionProvider": "NPU", "RknpuExecutionProvider": "NPU",
    "CUDAExecutionProvider": "GPU", "TensorrtExecutionProvider": "GPU", "ROCMExecutionProvider": "GPU",
    "MIGraphXExecutionProvider": "GPU", "DmlExecutionProvider": "GPU", "WebGpuExecutionProvider": "GPU",
}  # fmt: skip

_OPTIMISATION = {
    "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
    "none": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
}


class OnnxRuntime(Runtime):
    """Settings: ``core_sets``: lists of cores, each a device of its own instead of the whole CPU, or "auto": the sets
    that this machine falls into, beside the whole CPU; ``providers``: those to offer (all)."""

    name = "onnxruntime"

    def versions(self) -> Mapping[str, str]:
        return {"onnxruntime": ort.__version__, "numpy": np.__version__}

    def probe(self) -> Sequence[DeviceDescription]:
        return [
            DeviceDescription(
                index=index,
                name=_device_name(provider, cores),
                device_type=DEVICE_TYPES.get(provider, "CPU"),
                memory_size_bytes=host_memory_bytes(),
                precisions=("fp32", "fp64", "int8", "int32"),
                capabilities=(Capability.PARTITION, Capability.PREEMPT, Capability.HOST_MEMORY),
                position={"provider": provider, **({"cores": list(cores)} if cores else {})},
            )
            for index, (provider, cores) in enumerate(self._places())
        ]

    def open(self, index: int) -> OrtDriver:
        places = self._places()
        if not 0 <= index < len(places):
            raise RuntimeFault("device_unknown", f"ONNX Runtime has no device {index} here.", device=index)
        return OrtDriver(*places[index])

    def _places(self) -> list[tuple[str, tuple[int, ...]]]:
        wanted = self.settings.get("providers")
        asked = self.settings.get("core_sets", [])
        core_sets = [] if asked == "auto" else [tuple(int(core) for core in cores) for cores in asked]
        places: list[tuple[str, tuple[int, ...]]] = []
        for provider in reversed(ort.get_available_providers()):
            if provider in NO_DEVICE or (wanted is not None and provider not in wanted):
                continue
            if provider == CPU_PROVIDER and core_sets:
                places.extend((provider, cores) for cores in core_sets)
            else:
                places.append((provider, ()))
        if asked == "auto" and (CPU_PROVIDER, ()) in places:
            # After all others, so that these keep their numbers.
            places.extend((CPU_PROVIDER, cores) for cores in find_core_sets(from_sysfs()))
        return places


_ELEMENT_TYPES: Mapping[str, int] = {
    "bfloat16": 16, "float8_e4m3fn": 17, "float8_e4m3fnuz": 18, "float8_e5m2": 19, "float8_e5m2fnuz": 20,
    "float8_e8m0fnu": 24,
}  # fmt: skip
"""Types that numpy has from ``ml_dtypes`` only, by their number in ``onnx.TensorProto``."""


class _Program:
    def __init__(self, session: ort.InferenceSession, folder: Path | None, settings: ort.SessionOptions) -> None:
        self.session = session
        self.folder = folder
        """Where profile and optimised model are, of a program that is asked for them; gone with ``settings``."""
        self.settings = settings
        self.inputs = {value.name: value.type for value in session.get_inputs()}
        self.outputs = [value.name for value in session.get_outputs()]


class OrtDriver(HostMemoryDriver):
    """One execution provider, on some cores (all if none are named)."""

    def __init__(self, provider: str, cores: Sequence[int] = ()) -> None:
        super().__init__(host_memory_bytes())
        self._provider = provider
        self._cores = tuple(cores)

    def load(self, model: bytes, options: Mapping[str, Any]) -> _Program:
        asked = LoadOptions.read(options)
        if asked.precision not in ("model", "default", "fp32"):
            raise refused(
                f"ONNX Runtime computes in the model's own types, not in {asked.precision}; convert the model"
            )
        settings = ort.SessionOptions()
        settings.log_severity_level = 3
        settings.graph_optimization_level = _OPTIMISATION[asked.optimise]
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        threads = asked.threads or len(self._cores)
        if threads:
            settings.intra_op_num_threads = threads
        if self._cores and threads > 1:
            # the calling thread works too and is not listed; cores count from 1 here
            settings.add_session_config_entry(
                "session.intra_op_thread_affinities", ";".join(str(core + 1) for core in self._cores[1:threads])
            )
        folder = None
        if asked.profile or asked.optimised:
            folder = Path(tempfile.mkdtemp(prefix="heteroopt-profile-"))
            weakref.finalize(settings, shutil.rmtree, folder, ignore_errors=True)
            settings.enable_profiling = asked.profile
            settings.profile_file_prefix = str(folder / "profile")
            settings.optimized_model_filepath = str(folder / OPTIMISED)
        try:
            session = ort.InferenceSession(model, settings, providers=[self._provider])
            return _Program(session, folder, settings)
        except Exception as error:  # ONNX Runtime's errors have no common base of their own
            raise refused(str(error), kind=type(error).__name__) from error

    def run(self, program: _Program, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument]) -> None:
        program.session.run_with_iobinding(self._bound(program, inputs, outputs))

    def time_runs(
        self, program: _Program, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument], count: int
    ) -> list[float]:
        binding, run, clock = self._bound(program, inputs, outputs), program.session.run_with_iobinding, perf_counter
        seconds = []
        for _ in range(count):
            begin = clock()
            run(binding)
            seconds.append(clock() - begin)
        return seconds

    def profile(
        self, program: _Program, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument], count: int
    ) -> list[OperatorTime]:
        if program.folder is None or not program.settings.enable_profiling:
            raise RuntimeFault("profile_unsupported", "The program was not loaded for profiling.")
        self.time_runs(program, inputs, outputs, count + 1)
        return read_profile(Path(program.session.end_profiling()), program.folder / OPTIMISED, skip=1)

    def _bound(
        self, program: _Program, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument]
    ) -> ort.IOBinding:
        if self._cores and set(self._cores) != os.sched_getaffinity(0):
            os.sched_setaffinity(0, self._cores)  # of this stream's thread
        unknown = sorted(outputs.keys() - set(program.outputs))
        if unknown:
            raise failed(f"the program has no output {unknown[0]!r}; it has {', '.join(program.outputs)}")
        binding = program.session.io_binding()
        for name, argument in inputs.items():
            array = as_array(argument)
            if array.dtype.name in _ELEMENT_TYPES:
                binding.bind_input(name, "cpu", 0, _element_type(array), array.shape, array.ctypes.data)
            else:
                binding.bind_cpu_input(name, array)
        for name in program.outputs:
            if name not in outputs:
                binding.bind_output(name)
                continue
            array = as_array(outputs[name])
            binding.bind_output(name, "cpu", 0, _element_type(array), array.shape, array.ctypes.data)
        return binding

    def details(self, program: _Program) -> Mapping[str, Any]:
        """``optimised``: the graph that is run, as an ONNX model without the values of its constants."""
        if program.folder is None:
            return {}
        import onnx  # only what was asked for its graph waits for this package: a process is to be back soon

        optimised = onnx.load(program.folder / OPTIMISED, load_external_data=False)
        for tensor in optimised.graph.initializer:
            for field in ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data"):
                tensor.ClearField(field)
        return {"optimised": optimised.SerializeToString()}


def _element_type(array: NDArray[Any]) -> Any:
    return _ELEMENT_TYPES.get(array.dtype.name, array.dtype)


def _device_name(provider: str, cores: Sequence[int]) -> str:
    name = provider.removesuffix("ExecutionProvider")
    return f"{name} cores {','.join(str(core) for core in cores)}" if cores else name
