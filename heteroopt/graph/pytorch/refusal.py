"""Telling PyTorch files by their bytes, to refuse them where models of others are read: loading one can run code."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from heteroopt.errors import ModelError

COMMAND: Final = "heteroopt convert model.pt --input 1x3x224x224 --out model.onnx"
LOOKED_AT: Final = 1 << 16
_MEMBERS: Final = (b"/data.pkl", b"/constants.pkl", b"/archive_format", b"/.data/serialization_id", b"archive_version")


def looks_like_pytorch(head: bytes, tail: bytes = b"") -> bool:
    """Whether a file that starts with ``head`` and ends with ``tail`` (64 KiB each are enough) is one of PyTorch's.

    A zip archive whose directory names PyTorch's members, or a pickle (protocol 2 or newer).
    """
    if head[:4] == b"PK\x03\x04":
        return any(member in head[:LOOKED_AT] or member in tail[-LOOKED_AT:] for member in _MEMBERS)
    return len(head) > 2 and head[0] == 0x80 and 2 <= head[1] <= 5 and head[2:3] in b"\x8a\x95c}]("


def refuse_pytorch() -> ModelError:
    """The answer to such a file where models are only read, never loaded."""
    return ModelError(
        "model_pytorch",
        "This is a PyTorch file. It can hold code that runs when it is loaded, so it is not opened here.",
        hint=f"Convert it on your own machine and upload the result: {COMMAND}",
        command=COMMAND,
    )


def refuse_pytorch_file(path: Path) -> None:
    """Raise ``ModelError`` (``model_pytorch``) if the file is one of PyTorch's."""
    with path.open("rb") as file:
        head = file.read(LOOKED_AT)
        file.seek(max(0, path.stat().st_size - LOOKED_AT))
        if looks_like_pytorch(head, file.read(LOOKED_AT)):
            raise refuse_pytorch()
