"""One device of OpenVINO: compiles with the precision said, runs on the caller's memory, tells what it made of it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from statistics import median
from time import perf_counter
from typing import Any
from weakref import WeakSet

import openvino as ov

from heteroopt.runtimes.errors import RuntimeFault, failed, refused
from heteroopt.runtimes.host_memory import Bytes, HostMemoryDriver, as_array
from heteroopt.runtimes.options import LoadOptions
from heteroopt.runtimes.plugin import Argument, OperatorTime
from heteroopt.runtimes.plugins.openvino.graph import (
    describe_layers,
    keep_every_result,
    passed_on,
    port_names,
    tensors_by_operator,
)
from heteroopt.runtimes.plugins.openvino.tensors import over

NAMED: Mapping[str, Any] = {"fp32": ov.Type.f32, "fp16": ov.Type.f16, "bf16": ov.Type.bf16}
NOT_SWITCHED_OFF = (
    "constant folding", "decomposition by the ONNX reader", "choice of layouts and kernels",
)  # fmt: skip
"""What ``optimise: none`` leaves on: OpenVINO has no setting for it."""


class Program:
    """A compiled model and its idle requests; a request serves one run at a time."""

    def __init__(
        self,
        compiled: Any,
        options: LoadOptions,
        inputs: Sequence[frozenset[str]],
        outputs: Sequence[frozenset[str]],
        made_by: Mapping[str, Sequence[str]],
        passed_on: Mapping[int, int],
    ) -> None:
        self.compiled = compiled
        self.options = options
        self.made_by = made_by
        """The tensors that each operator of the model makes."""
        self.passed_on = passed_on
        self.inputs = {name: at for at, names in enumerate(inputs) for name in names}
        self.outputs = {name: at for at, names in reversed([*enumerate(outputs)]) for name in names}
        self._lock = threading.Lock()
        self._idle: list[Any] = []

    def take(self) -> Any:
        """Return a request that nobody uses."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self.compiled.create_infer_request()

    def give(self, request: Any) -> None:
        """Keep a request for the next run."""
        with self._lock:
            self._idle.append(request)

    def forget_memory(self) -> None:
        """Drop the idle requests: each still holds on to the memory of its last run."""
        with self._lock:
            self._idle.clear()


class OpenVinoDriver(HostMemoryDriver):
    """Storage is the host's memory, which requests read and write in place; no other copies are made for a CPU."""

    def __init__(self, core: Any, device: str, capacity_bytes: int) -> None:
        super().__init__(capacity_bytes)
        self._core = core
        self._device = device
        self._programs: WeakSet[Program] = WeakSet()

    def release(self, storage: Bytes) -> None:
        self.disown(storage)
        super().release(storage)

    def disown(self, storage: Bytes) -> None:
        for program in list(self._programs):
            program.forget_memory()

    def load(self, model: bytes, options: Mapping[str, Any]) -> Program:
        asked = LoadOptions.read(options)
        try:
            read = self._core.read_model(model)
            made_by = tensors_by_operator(read)
            inputs, outputs = port_names(model, read)
            if asked.optimise == "none":
                outputs += keep_every_result(read)
            compiled = self._core.compile_model(read, self._device, _settings(asked))
        except Exception as error:  # OpenVINO raises plain RuntimeError, and more kinds from its readers
            raise refused(_short(error), kind=type(error).__name__) from error
        named = NAMED.get(asked.precision)
        used = property_of(compiled, "INFERENCE_PRECISION_HINT")
        if named is not None and used is not None and used != named:
            raise refused(f"{self._device} computes in {used.get_type_name()} where {asked.precision} is asked for")
        program = Program(compiled, asked, inputs, outputs, made_by, passed_on(read))
        self._programs.add(program)
        return program

    def run(self, program: Program, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument]) -> None:
        request = self._bound(program, inputs, outputs)
        request.infer(share_outputs=True)
        arguments = {program.inputs[name]: argument for name, argument in inputs.items()}
        for name, argument in outputs.items():
            at = program.outputs[name]
            if at in program.passed_on:
                as_array(argument)[...] = as_array(arguments[program.passed_on[at]])
            shape = tuple(request.get_output_tensor(at).shape)
            if shape != argument.shape:
                raise failed(f"output {name!r} has the shape {list(shape)}, the buffer is for {list(argument.shape)}")
        program.give(request)

    def time_runs(
        self, program: Program, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument], count: int
    ) -> list[float]:
        request, clock = self._bound(program, inputs, outputs), perf_counter
        seconds = []
        for _ in range(count):
            begin = clock()
            request.infer(share_outputs=True)
            seconds.append(clock() - begin)
        program.give(request)
        return seconds

    def profile(
        self, program: Program, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument], count: int
    ) -> list[OperatorTime]:
        if not program.options.profile:
            raise RuntimeFault("profile_unsupported", "The program was not loaded for profiling.")
        request = self._bound(program, inputs, outputs)
        request.infer(share_outputs=True)
        seconds: dict[str, list[float]] = {}
        for _ in range(count):
            request.infer(share_outputs=True)
            for layer in request.get_profiling_info():
                if layer.status == ov.ProfilingInfo.Status.EXECUTED:
                    seconds.setdefault(layer.node_name, []).append(layer.real_time.total_seconds())
        program.give(request)
        return [
            OperatorTime(
                layer["name"],
                layer["op_type"],
                median(seconds[layer["name"]]),
                tuple(program.made_by.get(layer["operators"][-1], ())) if layer["operators"] else (),
            )
            for layer in describe_layers(program.compiled.get_runtime_model())
            if layer["name"] in seconds
        ]

    def _bound(self, program: Program, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument]) -> Any:
        missing = set(range(len(program.compiled.inputs))) - {program.inputs.get(name) for name in inputs}
        if missing:  # a request would read what an earlier run, or nobody, left there
            lacks = sorted(name for name, at in program.inputs.items() if at in missing)
            raise failed(f"the inputs {', '.join(lacks)} are missing")
        request = program.take()
        for name, argument in inputs.items():
            request.set_input_tensor(_place(program.inputs, name, "input"), over(argument))
        for name, argument in outputs.items():
            request.set_output_tensor(_place(program.outputs, name, "output"), over(argument))
        return request

    def details(self, program: Program) -> Mapping[str, Any]:
        """``device``; ``precision``: what the library says it computes in ("dynamic": the model's own types);
        ``layers``: the graph that is executed; ``fallbacks``: operators that its plain reference code computes;
        ``not_switched_off``: what stays on although ``optimise`` is "none".
        """
        layers = describe_layers(program.compiled.get_runtime_model())
        used = property_of(program.compiled, "INFERENCE_PRECISION_HINT")
        return {
            "device": self._device,
            "precision": "" if used is None else used.get_type_name(),
            "layers": layers,
            "fallbacks": [
                {"operators": layer["operators"], "op_type": layer["op_type"], "to": layer["implementation"]}
                for layer in layers
                if layer["fallback"]
            ],
            "not_switched_off": list(NOT_SWITCHED_OFF) if program.options.optimise == "none" else [],
        }


def property_of(owner: Any, *names: str) -> Any:
    """Return a property of the core's device or of a compiled model; ``None`` where there is no such property."""
    try:
        return owner.get_property(*names)
    except (RuntimeError, TypeError):  # unknown here, or of a type that its Python interface cannot return
        return None


def _settings(asked: LoadOptions) -> dict[str, Any]:
    """Say what the library would otherwise choose by the processor: its default on recent CPUs is bf16."""
    settings: dict[str, Any] = {"INFERENCE_NUM_THREADS": asked.threads} if asked.threads else {}
    if asked.profile:
        settings["PERF_COUNT"] = True
    if asked.precision == "default":
        return settings
    settings["EXECUTION_MODE_HINT"] = "ACCURACY"  # also no dynamic quantisation
    if asked.precision in NAMED:
        settings["INFERENCE_PRECISION_HINT"] = NAMED[asked.precision]
    return settings


def _place(ports: Mapping[str, int], name: str, kind: str) -> int:
    if name not in ports:
        raise failed(f"the program has no {kind} {name!r}; it has {', '.join(sorted(ports)) or 'none'}")
    return ports[name]


def _short(error: Exception) -> str:
    """OpenVINO's messages begin with the places in its own source; keep what says something about the model."""
    lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("Exception from ")]
    return " ".join(lines) or str(error)
