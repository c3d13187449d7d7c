"""Arrays and a JSON header as one block of bytes: the same content gives the same bytes, and no code is ever loaded."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEADER = "header.json"
_NARROWED = "narrowed.json"
_LEVEL = 1
"""Of deflating: higher ones take several times as long for some percent."""


def pack(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> bytes:
    """Return a zip (as numpy's .npz, deflated at the fastest level) of the arrays and the header.

    Integers that are all at least 0 are stored in as few bytes as the largest needs, all lowest bytes first: orders
    and devices of plans then take half the room and half the time. ``narrowed.json`` has their own types.
    """
    buffer = io.BytesIO()
    own_types: dict[str, str] = {}
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        _write(archive, _HEADER, _json(header))
        for name in sorted(arrays):
            array = np.asarray(arrays[name], order="C")
            if _can_be_narrowed(array):
                own_types[name] = array.dtype.str
                array = _byte_planes(array)
            member = io.BytesIO()
            np.save(member, array, allow_pickle=False)
            _write(archive, f"{name}.npy", member.getvalue())
        _write(archive, _NARROWED, _json(own_types))
    return buffer.getvalue()


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return header and arrays of ``pack``. Raises ``ValueError`` or ``zipfile.BadZipFile`` for anything else."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        if _HEADER not in names:
            raise ValueError("the block has no header")
        header = json.loads(archive.read(_HEADER))
        # Blocks that were written before arrays were narrowed have no such member.
        own_types = json.loads(archive.read(_NARROWED)) if _NARROWED in names else {}
        arrays = {
            name.removesuffix(".npy"): np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
            for name in names
            if name not in (_HEADER, _NARROWED)
        }
    if not isinstance(header, dict) or not isinstance(own_types, dict):
        raise ValueError("the header is not an object")
    for name, own_type in own_types.items():
        arrays[name] = _joined_planes(arrays[name], np.dtype(own_type))
    return header, arrays


def _can_be_narrowed(array: NDArray[Any]) -> bool:
    return array.dtype.kind in "iu" and array.dtype.itemsize > 1 and array.size > 0 and int(array.min()) >= 0


def _byte_planes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return uint8 [b, *shape]: the lowest byte of every element, then the next, as many as the largest has."""
    count = max(1, (int(array.max()).bit_length() + 7) // 8)
    whole = array.astype(array.dtype.newbyteorder("<"), copy=False).reshape(-1)
    bytes_last = whole.view(np.uint8).reshape(*array.shape, array.dtype.itemsize)
    return np.ascontiguousarray(np.moveaxis(bytes_last[..., :count], -1, 0))


def _joined_planes(planes: NDArray[Any], own_type: np.dtype[Any]) -> NDArray[Any]:
    """Return what ``_byte_planes`` took apart."""
    if planes.dtype != np.uint8 or own_type.kind not in "iu" or not 1 <= len(planes) <= own_type.itemsize:
        raise ValueError("an array of the block does not fit its type")
    whole = np.zeros((*planes.shape[1:], own_type.itemsize), np.uint8)
    whole[..., : len(planes)] = np.moveaxis(planes, 0, -1)
    joined = whole.reshape(-1).view(own_type.newbyteorder("<")).reshape(planes.shape[1:])
    return joined.astype(own_type, copy=False)


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _write(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Write with a fixed time stamp, so that the bytes do not depend on the clock."""
    member = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_DEFLATED
    # A member made by hand does not take over the archive's level.
    archive.writestr(member, content, compresslevel=_LEVEL)
