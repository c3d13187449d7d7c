"""ONNX Runtime sessions whose tensors lie in device memory that a driver of ours allocated."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import onnx

from heteroopt.runtimes.errors import RuntimeFault, failed, refused
from heteroopt.runtimes.options import LoadOptions
from heteroopt.runtimes.plugin import Argument

CPU_PROVIDER = "CPUExecutionProvider"

ELEMENT_TYPES: Mapping[str, int] = {
    "bfloat16": 16, "float8_e4m3fn": 17, "float8_e4m3fnuz": 18, "float8_e5m2": 19, "float8_e5m2fnuz": 20,
    "float8_e8m0fnu": 24,
}  # fmt: skip
"""Types that numpy does not have, by their number in ``onnx.TensorProto``."""

_FLOATS: Mapping[str, int] = {"fp32": 1, "fp16": 10, "fp64": 11, "bf16": 16}
_WIDTHS: Mapping[str, int] = {"bfloat16": 2}
_OPTIMISATION = {"all": "ORT_ENABLE_ALL", "none": "ORT_DISABLE_ALL"}


class DevicePointer(NamedTuple):
    """Storage of a driver: an address on the device and its size."""

    address: int
    size_bytes: int


class DeviceProgram:
    """A loaded session; ``fallbacks``: types of operators that run on the host instead, each as often as it stands."""

    def __init__(self, session: Any, fallbacks: tuple[str, ...]) -> None:
        self.session = session
        self.outputs = [value.name for value in session.get_outputs()]
        self.fallbacks = fallbacks


def load_program(
    ort: ModuleType, model: bytes, options: LoadOptions, provider: str, provider_options: Mapping[str, str]
) -> DeviceProgram:
    """Compile a model with a provider, and with the host's for what that lacks.

    Raises ``RuntimeFault`` ``program_refused``, also where the provider itself could not be loaded: ONNX Runtime would
    then run everything on the host and call it done.
    """
    settings = ort.SessionOptions()
    settings.log_severity_level = 3
    settings.graph_optimization_level = getattr(ort.GraphOptimizationLevel, _OPTIMISATION[options.optimise])
    settings.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    if options.threads:
        settings.intra_op_num_threads = options.threads  # of what runs on the host
    providers = [(provider, dict(provider_options)), CPU_PROVIDER]
    try:
        session = ort.InferenceSession(model, settings, providers=providers)
    except Exception as error:  # ONNX Runtime's errors have no common base of their own
        raise refused(str(error), kind=type(error).__name__) from error
    if provider not in session.get_providers():
        raise refused(f"{provider} could not be loaded; a library that it needs may be missing", kind="ImportError")
    return DeviceProgram(session, _fallbacks(session, provider))


def require_types(model: bytes, precision: str) -> None:
    """Refuse a model whose floating-point inputs or weights are of another type than a precision that was named.

    For providers that compute in the model's types and convert none. Raises ``RuntimeFault`` ``program_refused``.
    """
    graph = onnx.load_from_string(model).graph
    types = {value.type.tensor_type.elem_type for value in graph.input} | {item.data_type for item in graph.initializer}
    for name, number in _FLOATS.items():
        if number in types and name != precision:
            raise refused(f"it computes in the model's types, and this one has {name} where {precision} was asked for")


def bind(
    program: DeviceProgram, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument], device: str, index: int
) -> Any:
    """Return a binding of the arguments' device memory; outputs that nobody asks for stay on the device.

    Raises ``RuntimeFault`` ``copy_out_of_range`` for a tensor that does not fit its buffer, ``program_failed`` for an
    output that there is not.
    """
    unknown = sorted(outputs.keys() - set(program.outputs))
    if unknown:
        raise failed(f"the program has no output {unknown[0]!r}; it has {', '.join(program.outputs)}")
    binding = program.session.io_binding()
    for name, argument in inputs.items():
        binding.bind_input(name, device, index, _element(argument), argument.shape, _address(argument))
    for name in program.outputs:
        wanted = outputs.get(name)
        if wanted is None:
            binding.bind_output(name, device, index)
        else:
            binding.bind_output(name, device, index, _element(wanted), wanted.shape, _address(wanted))
    return binding


def _address(argument: Argument) -> int:
    width = _WIDTHS.get(argument.dtype, 1) if argument.dtype in ELEMENT_TYPES else np.dtype(argument.dtype).itemsize
    size = width * int(np.prod(argument.shape, dtype=np.int64))
    storage: DevicePointer = argument.storage
    if size < 0 or argument.offset_bytes + size > storage.size_bytes:
        raise RuntimeFault(
            "copy_out_of_range",
            f"A tensor of {size} bytes at {argument.offset_bytes} does not fit a buffer of {storage.size_bytes}.",
            offset_bytes=argument.offset_bytes,
            size_bytes=size,
            buffer_bytes=storage.size_bytes,
        )
    return storage.address + argument.offset_bytes


def _element(argument: Argument) -> Any:
    return ELEMENT_TYPES.get(argument.dtype) or np.dtype(argument.dtype).type


def _fallbacks(session: Any, provider: str) -> tuple[str, ...]:
    """Types of the operators that another provider got; older versions do not tell, and none are named then."""
    ask = getattr(session, "get_provider_graph_assignment_info", None)
    if ask is None:
        return ()
    return tuple(node.op_type for part in ask() if part.ep_name != provider for node in part.get_nodes())
