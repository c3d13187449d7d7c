"""An open device: buffers, streams, events, programs. Memory in flight is neither freed nor reused before its event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from heteroopt.runtimes.errors import RuntimeFault, handle_unknown
from heteroopt.runtimes.plugin import Argument, Driver, OperatorTime
from heteroopt.runtimes.streams import Action, Event, Stream

TensorPlace = tuple[str, int, int, str, Sequence[int]]
"""A program's tensor: its name, buffer, offset in bytes, dtype, shape."""

Arguments = Mapping[str, Argument]


@dataclass(slots=True)
class _Buffer:
    storage: Any
    size_bytes: int
    uses: dict[int, int] = field(default_factory=dict)
    """The newest command of each stream that touches it."""
    adopted: bool = False
    """Its memory belongs to whoever gave it."""


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """Bytes of a device: live buffers, those freed but still in flight, the most that was ever held, the limit."""

    allocated_bytes: int
    waiting_bytes: int
    peak_bytes: int
    capacity_bytes: int
    n_buffers: int


class Device:
    """The interface of P1 over one driver. Stream 0 always exists. Not thread-safe: one caller."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._numbers = count(1)
        self._buffers: dict[int, _Buffer] = {}
        self._graveyard: list[_Buffer] = []
        self._streams: dict[int, Stream] = {0: Stream(0)}
        self._programs: dict[int, Any] = {}
        self._held_bytes = 0
        self._peak_bytes = 0

    # memory

    def alloc(self, size_bytes: int) -> int:
        """Return a new buffer's number. Where memory is short, frees that wait for their event are waited for.

        Raises ``RuntimeFault`` ``device_memory_full``.
        """
        if not 0 < size_bytes <= 1 << 50:
            raise RuntimeFault("copy_out_of_range", f"A buffer cannot have {size_bytes} bytes.", size_bytes=size_bytes)
        self._reap()
        if self._held_bytes + size_bytes > self._driver.capacity_bytes:
            self._wait_for_frees()
        if self._held_bytes + size_bytes > self._driver.capacity_bytes:
            raise self._full(size_bytes)
        try:
            storage = self._driver.allocate(size_bytes)
        except MemoryError:
            self._wait_for_frees()
            try:
                storage = self._driver.allocate(size_bytes)
            except MemoryError:
                raise self._full(size_bytes) from None
        self._held_bytes += size_bytes
        self._peak_bytes = max(self._peak_bytes, self._held_bytes)
        number = next(self._numbers)
        self._buffers[number] = _Buffer(storage, size_bytes)
        return number

    def adopt(self, memory: memoryview) -> int:
        """Return the number of a buffer that is this host memory itself: no copy, and no memory of the device's.

        Whoever gave it must not touch what a command in flight reads or writes. Raises ``RuntimeFault``
        ``adopt_unsupported``.
        """
        number = next(self._numbers)
        self._buffers[number] = _Buffer(self._driver.adopt(memory), memory.nbytes, adopted=True)
        return number

    def free(self, buffer: int) -> None:
        """Forget a buffer. Its memory is released when every command that uses it has ended (P4)."""
        found = self._buffers.pop(buffer, None)
        if found is None:
            raise handle_unknown("buffer", buffer)
        self._graveyard.append(found)
        self._reap()

    def memory(self) -> MemoryFigures:
        """Return the figures as they are now."""
        self._reap()
        waiting = sum(buffer.size_bytes for buffer in self._graveyard if not buffer.adopted)
        return MemoryFigures(
            self._held_bytes - waiting, waiting, self._peak_bytes, self._driver.capacity_bytes, len(self._buffers)
        )

    # copies

    def copy_h2d(self, buffer: int, offset_bytes: int, source: memoryview, stream: int = 0) -> Event:
        """Queue a copy of host bytes into a buffer; ``source`` must stay as it is until the event."""
        target = self._range(buffer, offset_bytes, source.nbytes)
        return self._copy(stream, lambda: self._driver.write(target.storage, offset_bytes, source), target)

    def copy_d2h(self, buffer: int, offset_bytes: int, target: memoryview, stream: int = 0) -> Event:
        """Queue a copy of a buffer's bytes to the host; they are there after the event."""
        source = self._range(buffer, offset_bytes, target.nbytes)
        return self._copy(stream, lambda: self._driver.read(source.storage, offset_bytes, target), source)

    def copy_d2d(
        self, source: int, source_offset: int, target: int, target_offset: int, size_bytes: int, stream: int = 0
    ) -> Event:
        """Queue a copy between two buffers of this device."""
        a, b = self._range(source, source_offset, size_bytes), self._range(target, target_offset, size_bytes)
        copy = self._driver.copy
        return self._copy(stream, lambda: copy(a.storage, source_offset, b.storage, target_offset, size_bytes), a, b)

    # programs

    def load(self, model: bytes, options: Mapping[str, Any] | None = None) -> int:
        """Compile an ONNX model and return the program's number. Raises ``RuntimeFault`` ``program_refused``."""
        program = self._driver.load(model, options or {})
        number = next(self._numbers)
        self._programs[number] = program
        return number

    def details(self, program: int) -> Mapping[str, Any]:
        """Return what the runtime tells of a loaded program."""
        return self._driver.details(self._program(program))

    def unload(self, program: int) -> None:
        """Forget a program; what is queued still runs."""
        if self._programs.pop(program, None) is None:
            raise handle_unknown("program", program)

    def launch(
        self, program: int, inputs: Sequence[TensorPlace], outputs: Sequence[TensorPlace], stream: int = 0
    ) -> Event:
        """Queue one run of a program over buffers."""
        loaded = self._program(program)
        touched: list[_Buffer] = []
        reads = {place[0]: self._argument(place, touched) for place in inputs}
        writes = {place[0]: self._argument(place, touched) for place in outputs}
        return self._submit(stream, lambda: self._driver.run(loaded, reads, writes), *touched)

    def time_runs(
        self, program: int, inputs: Sequence[TensorPlace], outputs: Sequence[TensorPlace], count: int, timeout_s: float
    ) -> list[float]:
        """Run a program ``count`` times in a row on stream 0, with nothing between, and return the seconds of each.

        It blocks, so that nothing else of this process runs meanwhile. Raises ``RuntimeFault``: what the program
        failed with, or ``runtime_timeout``.
        """
        loaded = self._program(program)
        found: list[float] = []
        self._measure(inputs, outputs, timeout_s, lambda r, w: self._driver.time_runs(loaded, r, w, count), found)
        return found

    def profile(
        self, program: int, inputs: Sequence[TensorPlace], outputs: Sequence[TensorPlace], count: int, timeout_s: float
    ) -> list[OperatorTime]:
        """Profile ``count`` runs of a program loaded with the option ``profile``; blocks. Raises ``RuntimeFault``."""
        loaded = self._program(program)
        found: list[OperatorTime] = []
        self._measure(inputs, outputs, timeout_s, lambda r, w: self._driver.profile(loaded, r, w, count), found)
        return found

    def energy_j(self) -> float | None:
        """Return the device's own counter of joules, ``None`` without one."""
        return self._driver.energy_j()

    # streams and events

    def create_stream(self) -> int:
        """Return a new stream's number."""
        number = next(self._numbers)
        self._streams[number] = Stream(number)
        return number

    def record(self, stream: int = 0) -> Event:
        """Return the event of everything submitted to the stream so far."""
        return self._stream(stream).last_event()

    def wait_event(self, stream: int, event: Event) -> Event:
        """Let a stream's later commands wait for another stream's event; a failure there fails them too."""
        other = self._stream_of(event)

        def wait() -> None:
            other.wait(event.sequence)
            failure = other.failure(event.sequence)
            if failure is not None:
                raise failure

        return self._submit(stream, wait)

    def done(self, event: Event) -> bool:
        """Whether the event has happened, well or not; never blocks."""
        return self._stream_of(event).completed >= event.sequence

    def synchronize(self, event: Event, timeout_s: float | None = None) -> None:
        """Wait for an event. Raises what its command failed with, or ``RuntimeFault`` ``runtime_timeout``.

        Copies in memory of the host are made here where they have not begun; these are finished before time is taken.
        """
        stream = self._stream_of(event)
        stream.help(event.sequence)
        if not stream.wait(event.sequence, timeout_s):
            raise RuntimeFault(
                "runtime_timeout",
                f"A command did not end within {timeout_s:g} s.",
                hint="The device may hang; its process is ended and started again if this goes on.",
                timeout_s=timeout_s,
            )
        failure = stream.failure(event.sequence)
        if failure is not None:
            raise failure

    def elapsed_s(self, event: Event) -> float | None:
        """Return how long the event's command took on the device; ``None`` unless it has ended well, lately."""
        return self._stream_of(event).elapsed_s(event.sequence)

    def reset_stream(self, stream: int = 0) -> Event:
        """Let a stream run commands again after one failed."""
        return self._stream(stream).reset()

    def close(self) -> None:
        """Wait for all streams, then give everything back."""
        for stream in self._streams.values():
            stream.wait(stream.submitted)
            stream.close()
        self._graveyard.extend(self._buffers.values())
        self._buffers.clear()
        self._reap()
        self._programs.clear()
        self._driver.close()

    # inside

    def health(self) -> Mapping[str, float | str]:
        """Return how the device is now, as far as it tells."""
        return self._driver.health()

    def _measure(
        self,
        inputs: Sequence[TensorPlace],
        outputs: Sequence[TensorPlace],
        timeout_s: float,
        action: Callable[[Arguments, Arguments], Sequence[Any]],
        found: list[Any],
    ) -> None:
        touched: list[_Buffer] = []
        reads = {place[0]: self._argument(place, touched) for place in inputs}
        writes = {place[0]: self._argument(place, touched) for place in outputs}
        event = self._submit(0, lambda: found.extend(action(reads, writes)), *touched)
        try:
            self.synchronize(event, timeout_s)
        except RuntimeFault as error:
            if error.code != "runtime_timeout":
                self.reset_stream()
            raise

    def _copy(self, stream: int, action: Action, *buffers: _Buffer) -> Event:
        return self._submit(stream, action, *buffers, anywhere=self._driver.copies_anywhere)

    def _submit(self, stream: int, action: Action, *buffers: _Buffer, anywhere: bool = False) -> Event:
        event = self._stream(stream).submit(action, anywhere=anywhere)
        for buffer in buffers:
            buffer.uses[event.stream] = event.sequence
        return event

    def _stream(self, number: int) -> Stream:
        stream = self._streams.get(number)
        if stream is None:
            raise handle_unknown("stream", number)
        return stream

    def _stream_of(self, event: Event) -> Stream:
        """Return the stream of an event that one of its commands has; one of the future would never come."""
        stream = self._stream(event.stream)
        if not 0 <= event.sequence <= stream.submitted:
            raise handle_unknown("event", event.sequence)
        return stream

    def _program(self, number: int) -> Any:
        if number not in self._programs:
            raise handle_unknown("program", number)
        return self._programs[number]

    def _range(self, buffer: int, offset_bytes: int, size_bytes: int) -> _Buffer:
        found = self._buffers.get(buffer)
        if found is None:
            raise handle_unknown("buffer", buffer)
        if offset_bytes < 0 or size_bytes < 0 or offset_bytes + size_bytes > found.size_bytes:
            raise RuntimeFault(
                "copy_out_of_range",
                f"Bytes {offset_bytes} to {offset_bytes + size_bytes} are outside a buffer of {found.size_bytes}.",
                offset_bytes=offset_bytes,
                size_bytes=size_bytes,
                buffer_bytes=found.size_bytes,
            )
        return found

    def _argument(self, place: TensorPlace, touched: list[_Buffer]) -> Argument:
        _, buffer, offset_bytes, dtype, shape = place
        found = self._range(buffer, offset_bytes, 0)
        touched.append(found)
        return Argument(found.storage, offset_bytes, dtype, tuple(shape))

    def _reap(self) -> None:
        if not self._graveyard:
            return
        kept: list[_Buffer] = []
        for buffer in self._graveyard:
            if all(self._streams[number].completed >= sequence for number, sequence in buffer.uses.items()):
                if buffer.adopted:
                    self._driver.disown(buffer.storage)
                    continue
                self._driver.release(buffer.storage)
                self._held_bytes -= buffer.size_bytes
            else:
                kept.append(buffer)
        self._graveyard = kept

    def _wait_for_frees(self) -> None:
        for buffer in self._graveyard:
            for number, sequence in buffer.uses.items():
                self._streams[number].wait(sequence)
        self._reap()

    def _full(self, size_bytes: int) -> RuntimeFault:
        return RuntimeFault(
            "device_memory_full",
            f"{size_bytes} bytes do not fit: {self._held_bytes} of {self._driver.capacity_bytes} are in use.",
            hint="Free buffers that are no longer needed, or use a smaller batch.",
            size_bytes=size_bytes,
            held_bytes=self._held_bytes,
            capacity_bytes=self._driver.capacity_bytes,
        )
