"""A program for inputs of known shapes: compiled kernels, constants in device memory, blocks for what is between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyopencl as cl

from heteroopt.runtimes.plugin import Argument
from heteroopt.runtimes.plugins.opencl.kernels import NAME
from heteroopt.runtimes.plugins.opencl.lowering import Lowered
from heteroopt.runtimes.plugins.opencl.values import Storage, Value
from heteroopt.runtimes.plugins.opencl.workspace import plan_workspace

GROUP = 64
"""Work-items of a group: a whole number of hardware threads on every GPU."""


class Variant:
    """The program for inputs of known shapes: kernels with all arguments set but those of the caller's tensors."""

    def __init__(self, context: Any, queue: Any, lowered: Lowered, build: Sequence[str]) -> None:
        self.lowered = lowered
        self.text, names = _source(lowered)
        self._context = context
        self._spare: dict[int, Any] = {}
        self.constants: dict[int, Any] = {}
        self.copies = self._claim_outputs()
        outside = [value.storage for value in (*lowered.inputs.values(), *lowered.outputs.values())]
        constants = self._constants(queue)
        blocks, self.workspace_bytes = plan_workspace(lowered.steps, [*outside, *constants.values()])
        self._memory = [self._buffer(size) for size in self.workspace_bytes]  # a kernel's arguments keep nothing alive
        fixed = {key: self._memory[block] for key, block in blocks.items()} | self.constants
        program: Any = cl.Program(context, self.text).build(list(build)) if lowered.steps else None
        self.launches: list[tuple[Any, tuple[int], list[tuple[int, int]]]] = []
        for step, name in zip(lowered.steps, names, strict=True):
            kernel = cl.Kernel(program, name)
            open_arguments = []
            for at, value in enumerate((*step.reads, *step.writes)):
                buffer = fixed.get(id(value.storage))
                kernel.set_arg(2 * at + 1, np.uint64(0))
                if buffer is None:
                    open_arguments.append((at, id(value.storage)))
                else:
                    kernel.set_arg(2 * at, buffer)
            self.launches.append((kernel, (-(-step.work_items // GROUP) * GROUP,), open_arguments))

    def _claim_outputs(self) -> list[tuple[str, Value]]:
        """Outputs that no launch writes straight into the caller's tensor: inputs, constants, second names."""
        made = {id(value.storage) for step in self.lowered.steps for value in step.writes}
        taken = {id(value.storage) for value in self.lowered.inputs.values()}
        copies = []
        for name, value in self.lowered.outputs.items():
            if id(value.storage) in taken or id(value.storage) not in made:
                copies.append((name, value))
            taken.add(id(value.storage))
        return copies

    def _constants(self, queue: Any) -> dict[int, Storage]:
        """Put what is known now, and read by a launch or handed out, into device memory; return its storages."""
        written = {id(value.storage) for step in self.lowered.steps for value in step.writes}
        given = {id(value.storage) for value in self.lowered.inputs.values()}
        read = [value for step in self.lowered.steps for value in step.reads] + [value for _, value in self.copies]
        storages: dict[int, Storage] = {}
        for value in read:
            key = id(value.storage)
            if value.host is None or key in given or key in written or key in self.constants:
                continue
            self.constants[key] = self._buffer(value.storage.size_bytes)
            storages[key] = value.storage
            if value.size:
                cl.enqueue_copy(queue, self.constants[key], np.ascontiguousarray(value.host), is_blocking=True)
        return storages

    def _buffer(self, size_bytes: int) -> Any:
        return cl.Buffer(self._context, cl.mem_flags.READ_WRITE, max(1, size_bytes))

    def run(self, queue: Any, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument]) -> float | None:
        """Queue everything, wait for it, and return the seconds from the first start to the last end on the device."""
        places: dict[int, tuple[Any, int]] = {}
        for name, value in self.lowered.inputs.items():
            places[id(value.storage)] = (inputs[name].storage, inputs[name].offset_bytes)
        copied = {name for name, _ in self.copies}
        for name, value in self.lowered.outputs.items():
            if name in copied:
                continue
            if name in outputs:
                places[id(value.storage)] = (outputs[name].storage, outputs[name].offset_bytes)
            else:
                if id(value.storage) not in self._spare:
                    self._spare[id(value.storage)] = self._buffer(value.storage.size_bytes)
                places[id(value.storage)] = (self._spare[id(value.storage)], 0)
        first = last = None
        for kernel, work_items, open_arguments in self.launches:
            for at, key in open_arguments:
                buffer, offset = places[key]
                kernel.set_arg(2 * at, buffer)
                kernel.set_arg(2 * at + 1, np.uint64(offset))
            last = cl.enqueue_nd_range_kernel(queue, kernel, work_items, (GROUP,))
            first = first or last
        for name, value in self.copies:
            if name not in outputs or not value.size:
                continue
            buffer, offset = places.get(id(value.storage)) or (self.constants[id(value.storage)], 0)
            size = value.size * value.dtype.itemsize
            target = outputs[name]
            last = cl.enqueue_copy(
                queue, target.storage, buffer, byte_count=size, src_offset=offset, dst_offset=target.offset_bytes
            )
            first = first or last
        if first is None or last is None:
            return None
        last.wait()
        return max(0, last.profile.end - first.profile.start) * 1e-9


def _source(lowered: Lowered) -> tuple[str, list[str]]:
    """Return the text of all distinct kernels, and the name of each step's."""
    names: dict[str, str] = {}
    for step in lowered.steps:
        names.setdefault(step.text, f"k{len(names)}")
    halves = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" if any("half" in text for text in names) else ""
    doubles = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" if any("double" in text for text in names) else ""
    text = halves + doubles + "".join(text.replace(NAME, name) for text, name in names.items())
    return text, [names[step.text] for step in lowered.steps]
