"""What every runtime plugin must do: a test class that its author runs with pytest.

    class TestMine(RuntimeConformance):
        configuration = read_configuration(Path("my_plugin"))

The tests of a class share a process, each with a device opened anew. Nothing here depends on how fast the device is.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from heteroopt.runtimes.canary import RELATIVE_TOLERANCE, canary, canary_model
from heteroopt.runtimes.configuration import PluginConfiguration
from heteroopt.runtimes.description import DeviceDescription, DeviceState, RuntimeDescription
from heteroopt.runtimes.device import TensorPlace
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.fingerprint import Fingerprint
from heteroopt.runtimes.handle import DeviceHandle
from heteroopt.runtimes.process import RuntimeProcess
from heteroopt.runtimes.protocol import Command
from heteroopt.runtimes.streams import Event

SIZE = 128
BYTES = SIZE * SIZE * 4
IN_FLIGHT = 20
Matrix = NDArray[np.float32]


class RuntimeConformance:
    """Subclass it, name it ``Test…`` and set ``configuration``."""

    configuration: PluginConfiguration
    process: RuntimeProcess
    device: DeviceHandle

    @pytest.fixture(scope="class")
    @classmethod
    def _shared(cls) -> Iterator[list[RuntimeProcess]]:
        processes = [cls.start()]
        yield processes
        for process in processes:
            process.close()

    @pytest.fixture(autouse=True)
    def _open(self, _shared: list[RuntimeProcess]) -> None:
        if not _shared[-1].alive:
            _shared.append(self.start())
        self.process = _shared[-1]
        description = self.describe(self.process)
        healthy = [device for device in description.devices if device.state == DeviceState.HEALTHY]
        assert healthy, f"no healthy device: {[device.reason for device in description.devices]}"
        self.description: DeviceDescription = healthy[0]
        self.device = DeviceHandle(self.process, self.description.index)

    @classmethod
    def start(cls) -> RuntimeProcess:
        """Return a new process of the plugin."""
        asked = cls.configuration
        process = RuntimeProcess(
            asked.name,
            asked.plugin,
            interpreter=asked.interpreter or None,
            settings=asked.settings,
            environment=asked.environment,
        )
        process.start(60.0)
        return process

    def describe(self, process: RuntimeProcess) -> RuntimeDescription:
        """Return what a process says of itself."""
        return RuntimeDescription.from_dict(process.call(Command.DESCRIBE, timeout_s=60.0))

    # probe

    def test_what_is_called_healthy_computes(self) -> None:
        devices = self.describe(self.process).devices
        assert sorted(device.index for device in devices) == sorted({device.index for device in devices})
        for device in devices:
            assert device.name
            assert device.device_type in ("GPU", "CPU", "NPU", "FPGA")
            if device.state == DeviceState.HEALTHY:
                assert device.precisions
                assert device.memory_size_bytes > 0
                assert canary(DeviceHandle(self.process, device.index), 60.0) is None
            else:
                assert device.reason is not None
                assert device.reason.message

    def test_two_probes_agree(self) -> None:
        assert self.describe(self.process).devices == self.describe(self.process).devices

    def test_a_device_that_is_not_there_is_refused(self) -> None:
        with pytest.raises(RuntimeFault) as caught:
            DeviceHandle(self.process, 9999)
        assert caught.value.code == "device_unknown"

    # memory

    def test_allocations_and_frees_balance(self) -> None:
        before = self.device.memory()
        buffers = [self.device.alloc(size) for size in (1, 63, 4096, 1 << 20)]
        assert self.device.memory().allocated_bytes == before.allocated_bytes + 1 + 63 + 4096 + (1 << 20)
        for buffer in buffers:
            self.device.free(buffer)
        after = self.device.memory()
        assert (after.allocated_bytes, after.n_buffers) == (before.allocated_bytes, before.n_buffers)
        with pytest.raises(RuntimeFault) as caught:
            self.device.free(buffers[0])
        assert caught.value.code == "device_handle_unknown"

    def test_more_than_there_is_does_not_fit(self) -> None:
        with pytest.raises(RuntimeFault) as caught:
            self.device.alloc(self.device.memory().capacity_bytes + 1)
        assert caught.value.code == "device_memory_full"
        self.device.free(self.device.alloc(64))

    def test_bytes_come_back_as_they_went(self) -> None:
        host = self.device.host_buffer(1 << 16)
        data = np.random.default_rng(1).integers(0, 256, 1 << 16, np.uint8)
        host.array()[:] = data
        first, second = self.device.alloc(1 << 16), self.device.alloc(1 << 16)
        self.device.copy_h2d(first, host, 1 << 16)
        self.device.copy_d2d(first, second, 1000, source_offset=24, target_offset=40)
        self.device.synchronize(self.device.record())
        host.array()[:] = 0
        self.device.synchronize(self.device.copy_d2h(second, host, 1000, offset=40, target_offset=8))
        assert np.array_equal(host.array()[8:1008], data[24:1024])
        assert not host.array()[1008:].any()
        with pytest.raises(RuntimeFault) as caught:
            self.device.copy_d2h(second, host, 1000, offset=(1 << 16) - 999)
        assert caught.value.code == "copy_out_of_range"

    def test_memory_of_the_host_is_used_in_place_or_refused(self) -> None:
        host = self.device.host_buffer(2 * BYTES)
        a, program, expected = self._chain()
        host.array("float32", (SIZE, SIZE))[...] = a
        before = self.device.memory()
        try:
            source, target = self.device.adopt(host, BYTES), self.device.adopt(host, BYTES, offset=BYTES)
        except RuntimeFault as error:
            assert error.code == "adopt_unsupported"
            return
        assert self.device.memory() == replace(before, n_buffers=before.n_buffers + 2)
        self.device.synchronize(self.device.launch(program, [_place("x", source)], [_place("y", target)]), 120.0)
        _close(host.array("float32", (SIZE, SIZE), BYTES), expected)
        host.array("float32", (SIZE, SIZE))[...] = 0
        self.device.synchronize(self.device.launch(program, [_place("x", source)], [_place("y", target)]), 120.0)
        assert not host.array("float32", (SIZE, SIZE), BYTES).any()
        self.device.free(source)
        self.device.free(target)
        assert self.device.memory() == before
        assert np.array_equal(host.array("float32", (SIZE, SIZE)), np.zeros((SIZE, SIZE)))
        host.close()

    # order

    def test_a_stream_keeps_its_order(self) -> None:
        a, program, expected = self._chain()
        host, result = self.device.host_buffer(BYTES), self.device.host_buffer(BYTES)
        host.array("float32", (SIZE, SIZE))[...] = a
        source, target = self.device.alloc(BYTES), self.device.alloc(BYTES)
        events = [self.device.copy_h2d(source, host, BYTES)]
        for _ in range(IN_FLIGHT):
            events.append(self.device.launch(program, [_place("x", source)], [_place("y", target)]))
        events.append(self.device.copy_d2h(target, result, BYTES))
        # Asked from the last to the first, as they go on meanwhile: nothing is done before what was queued before it.
        done = [self.device.done(event) for event in reversed(events)]
        assert done == sorted(done)
        self.device.synchronize(events[-1], 120.0)
        assert all(self.device.done(event) for event in events)
        _close(result.array("float32", (SIZE, SIZE)), expected)
        assert (self.device.elapsed_s(events[1]) or 0.0) > 0.0

    def test_runs_are_timed_one_by_one(self) -> None:
        a, program, expected = self._chain()
        host, result = self.device.host_buffer(BYTES), self.device.host_buffer(BYTES)
        host.array("float32", (SIZE, SIZE))[...] = a
        source, target = self.device.alloc(BYTES), self.device.alloc(BYTES)
        self.device.copy_h2d(source, host, BYTES)
        seconds = self.device.time_runs(program, [_place("x", source)], [_place("y", target)], 3)
        assert len(seconds) == 3
        assert all(value > 0.0 for value in seconds)
        self.device.synchronize(self.device.copy_d2h(target, result, BYTES), 120.0)
        _close(result.array("float32", (SIZE, SIZE)), expected)
        with pytest.raises(RuntimeFault) as caught:
            self.device.time_runs(9999, [], [], 1)
        assert caught.value.code == "device_handle_unknown"

    def test_a_profile_names_what_ran_or_is_refused(self) -> None:
        source, target = self.device.alloc(BYTES), self.device.alloc(BYTES)
        places = [_place("x", source)], [_place("y", target)]
        try:
            rows = self.device.profile(self.device.load(chain_model(), {"profile": True}), *places, 3)
        except RuntimeFault as error:
            assert error.code == "profile_unsupported"
            return
        assert rows
        assert all(row.seconds >= 0.0 and row.name and row.op_type for row in rows)

    def test_memory_in_flight_is_neither_freed_nor_reused(self) -> None:
        a, program, expected = self._chain()
        host, other, result = (self.device.host_buffer(BYTES) for _ in range(3))
        host.array("float32", (SIZE, SIZE))[...] = a
        other.array()[:] = 0xFF
        source, target = self.device.alloc(BYTES), self.device.alloc(BYTES)
        self.device.copy_h2d(source, host, BYTES)
        event = Event(0, 0)
        for _ in range(IN_FLIGHT):
            event = self.device.launch(program, [_place("x", source)], [_place("y", target)])
        self.device.free(source)
        second = self.device.create_stream()
        overwriting = [self.device.alloc(BYTES) for _ in range(4)]
        for buffer in overwriting:
            self.device.copy_h2d(buffer, other, BYTES, stream=second)
        self.device.synchronize(self.device.record(second), 120.0)
        self.device.synchronize(event, 120.0)
        assert self.device.memory().waiting_bytes == 0
        self.device.synchronize(self.device.copy_d2h(target, result, BYTES), 120.0)
        _close(result.array("float32", (SIZE, SIZE)), expected)

    def test_a_stream_waits_for_another_ones_event(self) -> None:
        a, program, expected = self._chain()
        host, result = self.device.host_buffer(BYTES), self.device.host_buffer(BYTES)
        host.array("float32", (SIZE, SIZE))[...] = a
        source, target = self.device.alloc(BYTES), self.device.alloc(BYTES)
        self.device.copy_h2d(source, host, BYTES)
        for _ in range(IN_FLIGHT):
            event = self.device.launch(program, [_place("x", source)], [_place("y", target)])
        second = self.device.create_stream()
        self.device.wait_event(second, event)
        self.device.synchronize(self.device.copy_d2h(target, result, BYTES, stream=second), 120.0)
        assert self.device.done(event)
        _close(result.array("float32", (SIZE, SIZE)), expected)

    # errors

    def test_an_event_that_no_command_has_is_refused(self) -> None:
        second = self.device.create_stream()
        for stream in (0, second):
            for wrong in (Event(stream, -1), Event(stream, 1 << 40), Event(4242, 1)):
                waits = partial(self.device.wait_event, second)
                for ask in (self.device.done, self.device.synchronize, waits):
                    with pytest.raises(RuntimeFault) as caught:
                        ask(wrong)
                    assert caught.value.code == "device_handle_unknown"
        self.device.synchronize(self.device.record(second), 120.0)

    def test_what_failed_stays_failed_after_its_stream_was_reset(self) -> None:
        a, program, _ = self._chain()
        source, target = self.device.alloc(BYTES), self.device.alloc(BYTES)
        host = self.device.host_buffer(BYTES)
        host.array("float32", (SIZE, SIZE))[...] = a
        before = self.device.copy_h2d(source, host, BYTES)
        reads, writes = [_place("x", source)], [_place("y", target)]
        wrong = [
            self.device.launch(program, reads, [_place("no such output", target)]),
            self.device.launch(program, reads, writes),
        ]
        reset = self.device.reset_stream()
        after = self.device.launch(program, reads, writes)
        self.device.synchronize(after, 120.0)
        for event in (before, reset):
            self.device.synchronize(event)
        for event in wrong:
            with pytest.raises(RuntimeFault):
                self.device.synchronize(event)

    def test_a_run_without_one_of_its_inputs_fails(self) -> None:
        _, program, _ = self._chain()
        target = self.device.alloc(BYTES)
        with pytest.raises(RuntimeFault) as caught:
            self.device.synchronize(self.device.launch(program, [], [_place("y", target)]), 120.0)
        assert caught.value.code == "program_failed"
        self.device.synchronize(self.device.reset_stream())

    def test_sizes_that_no_memory_has_are_refused(self) -> None:
        for size in (0, -1, 1 << 60, 1 << 70):
            for ask in (self.device.alloc, self.device.host_buffer):
                with pytest.raises(RuntimeFault):
                    ask(size)

    def test_a_program_that_cannot_be_compiled_is_refused_and_nothing_else_suffers(self) -> None:
        with pytest.raises(RuntimeFault) as caught:
            self.device.load(unknown_operator_model())
        assert caught.value.code == "program_refused"
        assert caught.value.message
        assert canary(self.device, 60.0) is None

    def test_a_batch_ends_at_its_first_error(self) -> None:
        with pytest.raises(RuntimeFault) as caught:
            self.process.batch([(Command.PING, [1]), (Command.FREE, [1, 4242]), (Command.PING, [2])])
        assert caught.value.code == "device_handle_unknown"
        assert self.process.batch([(Command.PING, [1]), (Command.PING, [2])]) == [1, 2]

    # life

    def test_a_killed_process_is_told_and_another_one_takes_over(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        with pytest.raises(RuntimeFault) as caught:
            self.device.alloc(64)
        assert caught.value.code == "runtime_died"
        assert caught.value.params["exit"] == "SIGKILL"
        successor = self.start()
        try:
            assert canary(DeviceHandle(successor, self.description.index), 60.0) is None
        finally:
            successor.close()

    def test_the_fingerprint_names_what_computes(self) -> None:
        canary(self.device, 60.0)
        first = self.process.call(Command.FINGERPRINT, timeout_s=60.0)
        assert first["versions"]["python"]
        assert set(self.describe(self.process).versions) <= set(first["versions"])
        assert first["objects"]
        assert first == self.process.call(Command.FINGERPRINT, timeout_s=60.0)
        fingerprint = Fingerprint.from_dict(first)
        assert fingerprint.hash == first["hash"]
        assert fingerprint.changes_to(fingerprint) == []

    def _chain(self) -> tuple[Matrix, int, Matrix]:
        """Return an input, a loaded program of several matrix products, and what it gives."""
        a = np.random.default_rng(3).standard_normal((SIZE, SIZE), np.float32)
        expected = a
        for _ in range(3):
            expected = expected @ chain_weights()
        return a, self.device.load(chain_model(), {"precision": "fp32"}), expected


def _place(name: str, buffer: int) -> TensorPlace:
    return name, buffer, 0, "float32", (SIZE, SIZE)


def _close(found: Matrix, expected: Matrix) -> None:
    assert np.isfinite(found).all()
    assert np.abs(found - expected).max() <= RELATIVE_TOLERANCE * np.abs(expected).max()


@cache
def chain_weights() -> Matrix:
    """Return the matrix that ``chain_model`` multiplies with; near orthogonal, so that nothing grows."""
    weights: Matrix = np.random.default_rng(5).standard_normal((SIZE, SIZE), np.float32) / np.float32(np.sqrt(SIZE))
    return weights


@cache
def chain_model() -> bytes:
    """Return y = x @ w @ w @ w, float32."""
    names = ["x", "h1", "h2", "y"]
    nodes = [helper.make_node("MatMul", [a, "w"], [b], f"m{b}") for a, b in pairwise(names)]
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [SIZE, SIZE])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [SIZE, SIZE])],
        [numpy_helper.from_array(chain_weights(), "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return bytes(model.SerializeToString())


@cache
def unknown_operator_model() -> bytes:
    """Return the canary with an operator that no runtime has."""
    model = onnx.load_from_string(canary_model())
    model.graph.node[0].op_type = "NoSuchOperator"
    return bytes(model.SerializeToString())
