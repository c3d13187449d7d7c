"""PyTorch to ONNX with PyTorch's own exporters: TorchScript by the tracing one, torch.export by the newer one.

torch is imported here only, when it is needed. Converting runs the module on example inputs, so it belongs on the
machine of whoever owns the module.
"""

from __future__ import annotations

import ast
import logging
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from heteroopt.errors import ModelError
from heteroopt.graph.names import display_name
from heteroopt.graph.pytorch.files import TorchFile, torch_file
from heteroopt.graph.pytorch.inputs import example_tensors, traced_inputs

INSTALL = "Install it: pip install 'heteroopt[torch]' (for a CPU alone, install torch from its CPU index first)."
_SMALL_BYTES = 4096
_INSIDE_BYTES = 1_900_000_000
"""What fits into one protobuf message of at most 2 GiB."""
_ERROR_LINE = re.compile(r"\w*(?:Error|Exception): \S")
_SCOPES = "pkg.torch.onnx.name_scopes"


def import_torch() -> Any:
    """The torch module. Raises ``ModelError`` (``torch_missing``)."""
    try:
        import torch
    except ImportError as error:
        raise ModelError(
            "torch_missing", "Reading a PyTorch model needs the package torch.", hint=INSTALL, package="torch"
        ) from error
    return torch


def write_torchscript(
    module: Any,
    path: Path,
    example_inputs: Sequence[Any] | None = None,
    example_kwargs: Mapping[str, Any] | None = None,
) -> None:
    """Write a traced or scripted module, or the file that ``torch.jit.save`` wrote, as ONNX with its weights.

    example_inputs: tensors or sizes; a trace that was not saved and loaded remembers its own.
    Raises ``ModelError`` (``torch_...``).
    """
    torch = import_torch()
    if isinstance(module, (str, Path)):
        _expect(module, TorchFile.TORCHSCRIPT)
        with _told("The file cannot be loaded as TorchScript"):
            module = torch.jit.load(str(module), map_location="cpu")
    if not isinstance(module, torch.jit.ScriptModule):
        raise ModelError(
            "torch_not_script",
            f"A TorchScript module is needed, not {type(module).__name__}.",
            hint="Trace it first: torch.jit.trace(module, example_inputs); or use Graph.from_torch_export.",
        )
    if example_inputs is None and example_kwargs is None:
        inputs = traced_inputs(module, torch)
    else:
        inputs = example_tensors(example_inputs or (), torch)
    with _told("The module cannot be converted"):
        torch.onnx.export(module, inputs, str(path), kwargs=dict(example_kwargs or {}), dynamo=False)


def exported_model(
    program: Any,
    example_inputs: Sequence[Any] | None = None,
    example_kwargs: Mapping[str, Any] | None = None,
) -> Any:
    """The ``onnx_ir.Model`` of an exported program, of a module to export, or of a file of ``torch.export.save``.

    Weights stay where they are (on the meta device too) until somebody writes the model.
    Raises ``ModelError`` (``torch_...``).
    """
    torch = import_torch()
    if isinstance(program, (str, Path)):
        _expect(program, TorchFile.EXPORTED)
        with _told("The file cannot be loaded as an exported program"):
            program = torch.export.load(str(program))
    if isinstance(program, torch.nn.Module):
        if example_inputs is None and example_kwargs is None:
            raise ModelError(
                "torch_inputs",
                "A module is exported by running it, for which it needs inputs.",
                hint="Give example_inputs=[(1, 3, 224, 224)] or tensors.",
            )
        arguments = example_tensors(example_inputs or (), torch)
        with _told("The module cannot be exported"):
            program = torch.export.export(program, arguments, dict(example_kwargs or {}), strict=False)
    if not isinstance(program, torch.export.ExportedProgram):
        raise ModelError(
            "torch_not_exported",
            f"An exported program or a module is needed, not {type(program).__name__}.",
            hint="Export it first: torch.export.export(module, example_inputs).",
        )
    real = all(_has_values(tensor) for tensor in program.state_dict.values())
    with _told("The exported program cannot be converted"):
        model = torch.onnx.export(program, dynamo=True, verbose=False, optimize=real).model
    for graph in (model.graph, *(function.graph for function in model.functions.values())):
        for node in graph:
            node.name = _scoped(node.name or "", node.metadata_props.get(_SCOPES, ""))
    return model


def _has_values(tensor: Any) -> bool:
    """Whether a tensor of PyTorch's is more than a shape."""
    return getattr(getattr(tensor, "device", None), "type", "") != "meta" and type(tensor).__name__ != "FakeTensor"


def weightless_bytes(model: Any) -> bytes:
    """The model as ONNX with the shapes of its weights, and the values of none but tiny ones."""
    import onnx_ir

    for value in model.graph.initializers.values():
        tensor = value.const_value
        if tensor is not None and (tensor.nbytes > _SMALL_BYTES or not _has_values(getattr(tensor, "raw", None))):
            value.const_value = onnx_ir.ExternalTensor(
                "weights", 0, tensor.nbytes, tensor.dtype, shape=tensor.shape, name=value.name
            )
    data: bytes = onnx_ir.to_proto(model).SerializeToString()
    return data


def convert_file(source: str | Path, target: Path, example_inputs: Sequence[Any] | None = None) -> None:
    """Write a saved TorchScript module or exported program as ONNX, with its weights.

    Those of more than 1.9 GB stand in a second file beside ``target``. Raises ``ModelError``.
    """
    if torch_file(source) != TorchFile.EXPORTED:
        write_torchscript(source, target, example_inputs)
        return
    import onnx_ir

    model = exported_model(source)
    tensors = [value.const_value for value in model.graph.initializers.values()]
    large = sum(tensor.nbytes for tensor in tensors if tensor is not None) > _INSIDE_BYTES
    onnx_ir.save(model, target, external_data=f"{target.name}.data" if large else None)


def _scoped(name: str, scopes: str) -> str:
    """``encoder/layer.0/node_linear`` from the cumulative scopes ``['', 'encoder', 'encoder.layer.0', 'linear']``."""
    try:
        cumulative = [str(scope) for scope in ast.literal_eval(scopes)][:-1] if scopes else []
    except (ValueError, SyntaxError):
        return name
    parts, before = [], ""
    for scope in cumulative:
        if scope and scope != before:
            parts.append(scope.removeprefix(f"{before}.") if before else scope)
            before = scope
    return "/".join([*parts, name])


def _expect(path: str | Path, wanted: TorchFile) -> None:
    found = torch_file(path)
    if found == wanted:
        return
    if found == TorchFile.PICKLE:
        raise ModelError(
            "torch_pickle",
            "The file holds pickled weights or a pickled module, not a model that can be read without its code.",
            hint="Build the module, load the weights into it, and write it with torch.export.save or torch.jit.save.",
            path=str(path),
        )
    other = "from_torch_export" if found == TorchFile.EXPORTED else "from_torchscript"
    raise ModelError(
        "torch_file_kind", f"The file holds {found}, not {wanted}.", hint=f"Use Graph.{other}.", path=str(path)
    )


def _reason(cause: BaseException) -> str:
    """The line of PyTorch's many that says what is wrong: the last one that names an error, else the first."""
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    named = [line for line in lines if _ERROR_LINE.match(line)]
    return next(reversed(named), next(iter(lines), type(cause).__name__))


@contextmanager
def _told(what: str) -> Iterator[None]:
    """PyTorch's failures as one of ours, and its warnings about itself left out."""
    log = logging.getLogger("torch.onnx")
    level = log.level
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            log.setLevel(logging.ERROR)
            yield
    except ModelError:
        raise
    except ModuleNotFoundError as error:
        raise ModelError(
            "torch_missing", f"{what}: the package {error.name} is missing.", hint=INSTALL, package=str(error.name)
        ) from error
    except Exception as error:  # whatever the module's own code raises
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        reason = display_name(_reason(cause))
        raise ModelError(
            "torch_conversion_failed",
            f"{what}: {reason}",
            hint="Try torch.onnx.export on it yourself; what that writes can be given as .onnx.",
            reason=reason,
        ) from error
    finally:
        log.setLevel(level)
