"""The simulated runtime: ONNX's reference evaluator computes, ``behaviour`` says how long it takes and what fails."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from heteroopt.graph.graph import Graph
from heteroopt.runtimes.description import Capability, DeviceDescription, DeviceState, Reason
from heteroopt.runtimes.errors import RuntimeFault, failed, refused
from heteroopt.runtimes.host_memory import Bytes, HostMemoryDriver, as_array
from heteroopt.runtimes.plugin import Argument, Runtime
from heteroopt.runtimes.plugins.simulated.behaviour import Behaviour
from heteroopt.runtimes.plugins.simulated.faults import Fault, FaultyNode, read_faults

VERSION = "1.0"
WRONG_BY = 1.5


class SimulatedRuntime(Runtime):
    """Settings: ``devices``: a list of ``Behaviour`` settings; ``probe_delay_s``: how long the probe takes;
    ``version``: what it calls itself, to see what a changed driver does.
    """

    name = "simulated"

    def versions(self) -> Mapping[str, str]:
        return {"simulated": str(self.settings.get("version", VERSION))}

    def probe(self) -> Sequence[DeviceDescription]:
        time.sleep(float(self.settings.get("probe_delay_s", 0.0)))
        return [self._describe(index, behaviour) for index, behaviour in enumerate(self._behaviours())]

    def open(self, index: int) -> SimulatedDriver:
        behaviours = self._behaviours()
        if not 0 <= index < len(behaviours):
            raise RuntimeFault("device_unknown", f"There is no simulated device {index}.", device=index)
        return SimulatedDriver(behaviours[index])

    def _behaviours(self) -> list[Behaviour]:
        return [Behaviour.read(device) for device in self.settings.get("devices", [{}])]

    def _describe(self, index: int, behaviour: Behaviour) -> DeviceDescription:
        reason = None
        if behaviour.unusable:
            fault = RuntimeFault("device_unusable", behaviour.unusable, device=behaviour.name, says=behaviour.unusable)
            reason = Reason.of(fault)
        return DeviceDescription(
            index=index,
            name=behaviour.name,
            device_type="NPU",
            memory_size_bytes=behaviour.memory_size_bytes,
            precisions=("fp16",) if behaviour.float16 else ("fp32", "fp16"),
            capabilities=(Capability.HOST_MEMORY,),
            versions=self.versions(),
            state=DeviceState.UNUSABLE if reason else DeviceState.HEALTHY,
            reason=reason,
        )


class _Program:
    def __init__(self, model: onnx.ModelProto, true_s: float, faults: Sequence[Fault]) -> None:
        self.evaluator = ReferenceEvaluator(model)
        nodes = self.evaluator.rt_nodes_
        for at, node in enumerate(nodes):
            for fault in faults:
                if fault.hits(node.op_type, tuple(node.output)):
                    nodes[at] = FaultyNode(nodes[at], fault)
        self.op_types = {node.op_type for node in model.graph.node}
        self.true_s = true_s
        self.runs = 0


class SimulatedDriver(HostMemoryDriver):
    """One simulated device."""

    def __init__(self, behaviour: Behaviour) -> None:
        super().__init__(behaviour.memory_size_bytes)
        self._is = behaviour
        self._random = np.random.default_rng(behaviour.seed)
        self._lock = threading.Lock()
        self._busy_s = 0.0
        self._used_bytes = 0
        self._freed: list[tuple[float, int]] = []

    def allocate(self, size_bytes: int) -> Bytes:
        rounded = -(-size_bytes // self._is.granularity_bytes) * self._is.granularity_bytes
        with self._lock:
            now = time.monotonic()
            self._used_bytes -= sum(size for due, size in self._freed if due <= now)
            self._freed = [(due, size) for due, size in self._freed if due > now]
            if self._used_bytes + rounded > self._is.memory_size_bytes:
                raise MemoryError
            self._used_bytes += rounded
        return super().allocate(rounded)

    def release(self, storage: Bytes) -> None:
        storage[:] = 0xFF  # whoever still reads it gets NaN
        with self._lock:
            self._freed.append((time.monotonic() + self._is.free_delay_s, storage.nbytes))

    def load(self, model: bytes, options: Mapping[str, Any]) -> _Program:
        try:
            parsed = onnx.load_from_string(model)
            graph = Graph.from_onnx(model)
            missing = sorted({node.op_type for node in parsed.graph.node} & set(self._is.refuse))
            if missing:
                raise ValueError(f"no kernel for {', '.join(missing)}")
            faults = (*self._is.faults, *read_faults(options.get("faults", ())))
            return _Program(parsed, self._true_seconds(graph), faults)
        except Exception as error:  # the evaluator raises anything for what it cannot run
            raise refused(str(error), kind=type(error).__name__) from error

    def run(self, program: _Program, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument]) -> float:
        self._misbehave(program)
        feeds = {name: as_array(argument) for name, argument in inputs.items()}
        if self._is.float16:
            feeds = {name: _through_float16(array) for name, array in feeds.items()}
        with np.errstate(all="ignore"):
            results = dict(zip(program.evaluator.output_names, program.evaluator.run(None, feeds), strict=True))
        for name, argument in outputs.items():
            array = np.asarray(results[name])
            if self._is.wrong_results:
                array = array * WRONG_BY
            as_array(argument)[...] = _through_float16(array) if self._is.float16 else array
        seconds = self._measured(program)
        time.sleep(self._is.run_delay_s + (seconds if self._is.realtime else 0.0))
        return seconds

    def details(self, program: _Program) -> Mapping[str, Any]:
        return {"true_s": program.true_s}

    def _true_seconds(self, graph: Graph) -> float:
        return sum(
            self._is.overhead_us * 1e-6
            + max(
                operator.flops / (self._is.gflop_per_s * 1e9),
                (operator.bytes_read + operator.bytes_written) / (self._is.gb_per_s * 1e9),
            )
            for operator in graph.operators
        )

    def _measured(self, program: _Program) -> float:
        with self._lock:
            seconds = program.true_s
            if program.runs < self._is.cold_runs:
                seconds *= self._is.cold_factor
            program.runs += 1
            if 0 < self._is.throttle_after_s < self._busy_s:
                seconds *= self._is.throttle_factor
            if self._random.random() < self._is.spike_probability:
                seconds *= self._is.spike_factor
            seconds *= max(0.1, 1 + self._is.noise * self._random.standard_normal())
            self._busy_s += seconds
            return float(seconds)

    def _misbehave(self, program: _Program) -> None:
        if self._is.crash_on in program.op_types:
            os._exit(139)
        if self._is.fail_on in program.op_types:
            raise failed(f"the simulated device fails on {self._is.fail_on}", kind="Simulated")
        while self._is.hang_on in program.op_types:
            time.sleep(3600)


def _through_float16(array: Any) -> Any:
    if array.dtype.kind != "f":
        return array
    with np.errstate(over="ignore"):
        return array.astype(np.float16).astype(array.dtype)
