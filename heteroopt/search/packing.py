"""Arrays and a JSON header as one block of bytes: the same content gives the same bytes, and no code is ever loaded."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEADER = "header.json"


def pack(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> bytes:
    """Return a zip (as numpy's .npz, deflated at the fastest level) of the arrays and the header."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        _write(archive, _HEADER, json.dumps(header, sort_keys=True, separators=(",", ":")).encode())
        for name in sorted(arrays):
            member = io.BytesIO()
            np.save(member, np.ascontiguousarray(arrays[name]), allow_pickle=False)
            _write(archive, f"{name}.npy", member.getvalue())
    return buffer.getvalue()


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return header and arrays of ``pack``. Raises ``ValueError`` or ``zipfile.BadZipFile`` for anything else."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if _HEADER not in archive.namelist():
            raise ValueError("the block has no header")
        header = json.loads(archive.read(_HEADER))
        arrays = {
            name.removesuffix(".npy"): np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
            for name in archive.namelist()
            if name != _HEADER
        }
    if not isinstance(header, dict):
        raise ValueError("the header is not an object")
    return header, arrays


def _write(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Write with a fixed time stamp, so that the bytes do not depend on the clock."""
    member = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(member, content)
