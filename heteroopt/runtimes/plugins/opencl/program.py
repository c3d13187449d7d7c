"""A loaded program: compiled once for each set of shapes that it meets, the newest of which are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import onnx
from numpy.typing import NDArray

from heteroopt.runtimes.errors import failed, refused
from heteroopt.runtimes.options import LoadOptions
from heteroopt.runtimes.plugin import Argument
from heteroopt.runtimes.plugins.opencl.lowering import Lowered, declared_shape, element_type, lower
from heteroopt.runtimes.plugins.opencl.registry import ContentNeeded
from heteroopt.runtimes.plugins.opencl.variant import Variant

KEPT_VARIANTS = 8
Key = tuple[tuple[tuple[str, tuple[int, ...]], ...], tuple[tuple[str, bytes], ...]]
Read = Callable[[Argument], NDArray[Any]]


class Program:
    """What ``load`` returns. Runs of one program take turns, since its workspace is one."""

    def __init__(
        self, context: Any, queue: Any, model: onnx.ModelProto, options: LoadOptions, build: list[str]
    ) -> None:
        self._context = context
        self._model = model
        self._options = options
        self._build = build
        self._lock = threading.Lock()
        self._needed: list[str] = []
        self._variants: OrderedDict[Key, Variant] = OrderedDict()
        weights = {tensor.name for tensor in model.graph.initializer}
        self.inputs = {info.name: info for info in model.graph.input if info.name not in weights}
        for info in self.inputs.values():
            element_type(info)
        shapes = {name: declared_shape(info) for name, info in self.inputs.items()}
        known = {name: shape for name, shape in shapes.items() if shape is not None}
        if len(known) == len(shapes):
            try:
                self._variant(queue, known, {})
            except ContentNeeded:  # it is compiled when the first run brings that content
                return

    def run(
        self, queue: Any, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument], read: Read
    ) -> float | None:  # fmt: skip
        """Run once. ``read`` fetches an input whose content decides shapes."""
        self._check(inputs, outputs)
        with self._lock:
            variant = self._chosen(queue, inputs, read)
            for name, argument in outputs.items():
                value = variant.lowered.outputs[name]
                if value.shape != argument.shape or value.dtype.name != argument.dtype:
                    raise failed(
                        f"output {name!r} is {value.dtype.name} {list(value.shape)}, "
                        f"the buffer is for {argument.dtype} {list(argument.shape)}"
                    )
            return variant.run(queue, inputs, outputs)

    def details(self) -> dict[str, Any]:
        """What is known of the newest variant."""
        if not self._variants:
            return {"compiled": False, "waits_for": list(self._needed), "fallbacks": []}
        variant = next(reversed(self._variants.values()))
        return {
            "compiled": True,
            "fallbacks": variant.lowered.fallbacks,
            "kernels": len(variant.launches),
            "distinct_kernels": variant.text.count("__kernel"),
            "workspace_bytes": sum(variant.workspace_bytes),
            "source": variant.text,
        }

    def _check(self, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument]) -> None:
        for kind, asked, there in (
            ("input", inputs, set(self.inputs)),
            ("output", outputs, {info.name for info in self._model.graph.output}),
        ):
            for name in asked:
                if name not in there:
                    raise failed(f"the program has no {kind} {name!r}; it has {', '.join(sorted(there)) or 'none'}")
        for name, info in self.inputs.items():
            kind = element_type(info).name
            if name not in inputs:
                raise failed(f"input {name!r} is missing")
            if inputs[name].dtype != kind:
                raise failed(f"input {name!r} is {kind}, the buffer holds {inputs[name].dtype}")

    def _chosen(self, queue: Any, inputs: Mapping[str, Argument], read: Read) -> Variant:
        shapes = {name: inputs[name].shape for name in self.inputs}
        while True:
            contents = {name: read(inputs[name]) for name in self._needed}
            try:
                return self._variant(queue, shapes, contents)
            except ContentNeeded as needed:
                self._needed.append(needed.name)

    def _variant(
        self, queue: Any, shapes: Mapping[str, tuple[int, ...]], contents: Mapping[str, NDArray[Any]]
    ) -> Variant:  # fmt: skip
        key = (
            tuple(sorted(shapes.items())),
            tuple((name, array.tobytes()) for name, array in sorted(contents.items())),
        )
        found = self._variants.get(key)
        if found is None:
            lowered = lower(self._model, shapes, contents)
            self._refuse_types(lowered)
            found = self._variants[key] = Variant(self._context, queue, lowered, self._build)
            while len(self._variants) > KEPT_VARIANTS:
                self._variants.popitem(last=False)
        self._variants.move_to_end(key)
        return found

    def _refuse_types(self, lowered: Lowered) -> None:
        extensions = self._context.devices[0].extensions.split()
        for step in lowered.steps:
            for value in (*step.reads, *step.writes):
                name = value.dtype.name
                needed = {"float16": "cl_khr_fp16", "float64": "cl_khr_fp64"}.get(name)
                if needed and needed not in extensions:
                    raise refused(f"the device has no {needed}, which {name} needs", kind="TypeError")
                asked = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}.get(self._options.precision, name)
                if value.dtype.kind == "f" and name != asked:
                    raise refused(f"kernels compute in the model's own types, here {name}, not in {asked}")
