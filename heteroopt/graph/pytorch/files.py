"""Which kind of PyTorch file a path holds, from its zip directory or pickle header alone; nothing is loaded."""

from __future__ import annotations

import zipfile
from enum import StrEnum
from pathlib import Path
from typing import Final

from heteroopt.errors import ModelError
from heteroopt.graph.names import display_name
from heteroopt.graph.pytorch.refusal import LOOKED_AT, looks_like_pytorch

_SUFFIXES: Final = (".pt", ".pth", ".pt2", ".ts", ".jit", ".torchscript")


class TorchFile(StrEnum):
    """What a PyTorch file holds."""

    TORCHSCRIPT = "torchscript"
    EXPORTED = "torch_export"
    PICKLE = "pickle"


def is_torch_path(source: object) -> bool:
    """Whether ``source`` names a file as PyTorch's are named."""
    return isinstance(source, (str, Path)) and Path(source).suffix.lower() in _SUFFIXES


def torch_file(path: str | Path) -> TorchFile:
    """What the file holds. Raises ``ModelError`` for a file that is missing or none of PyTorch's."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(LOOKED_AT)
            names = zipfile.ZipFile(path).namelist() if head[:4] == b"PK\x03\x04" else []
    except OSError as error:
        raise ModelError(
            "model_not_found",
            f"The file {display_name(str(path))!r} cannot be opened: {error.strerror}.",
            hint="Check the path.",
            path=str(path),
        ) from error
    except zipfile.BadZipFile as error:
        raise _unknown(path) from error
    leaves = {name.rpartition("/")[2] for name in names}
    if leaves & {"archive_format", "serialized_exported_program.json"}:
        return TorchFile.EXPORTED
    if any("/code/" in f"/{name}" for name in names) and "constants.pkl" in leaves:
        return TorchFile.TORCHSCRIPT
    if "data.pkl" in leaves or looks_like_pytorch(head):
        return TorchFile.PICKLE
    raise _unknown(path)


def _unknown(path: str | Path) -> ModelError:
    return ModelError(
        "torch_file_unknown",
        f"The file {display_name(str(path))!r} is no PyTorch file.",
        hint="Write it with torch.jit.save or torch.export.save, or give an .onnx file.",
        path=str(path),
    )
