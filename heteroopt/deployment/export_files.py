"""Files of an export on disk and in archives: safe names, and the same bytes for the same content."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import shutil
import tarfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from heteroopt.deployment.export_target import check_folder
from heteroopt.deployment.exporting import ExportFile
from heteroopt.errors import HeteroOptError

MAX_PATH = 180
MAX_NAME = 80
_CHUNK = 1 << 20
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_DEVICE_FILES = frozenset(
    ("con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10)))
)
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file can hold: archives do not say when they were made."""


def safe_name(text: str, fallback: str = "model") -> str:
    """A file name without path, spaces or anything that a shell, an archive or another system reads otherwise."""
    name = _UNSAFE.sub("_", text).strip("_-")[:MAX_NAME].rstrip("_-")
    return f"{name}_" if name.lower() in _DEVICE_FILES else name or fallback


def check_paths(files: Iterable[ExportFile]) -> None:
    """Raise ``HeteroOptError`` ``export_path`` unless all paths are relative, plain and differ even without case."""
    seen: set[str] = set()
    for file in files:
        parts = file.path.split("/")
        plain = all(
            _PART.fullmatch(part) and not part.endswith(".") and part.split(".")[0].lower() not in _DEVICE_FILES
            for part in parts
        )
        if not plain or len(file.path) > MAX_PATH or file.path.lower() in seen:
            raise HeteroOptError(
                "export_path",
                f"The format writes a file with an unsafe or repeated name: {file.path[:MAX_PATH]!r}.",
                hint="This is a fault of the format's plugin; report it to its author.",
                path=file.path[:MAX_PATH],
            )
        seen.add(file.path.lower())


def sha256_of(file: ExportFile) -> tuple[str, int]:
    """SHA-256 (hex) and size in bytes."""
    digest, size = hashlib.sha256(), 0
    with _opened(file) as source:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return digest.hexdigest(), size


def write_folder(files: Sequence[ExportFile], folder: Path) -> None:
    """Write the files below ``folder``, which is made.

    Raises ``HeteroOptError`` ``export_folder_used`` where it holds anything already, ``export_path``.
    """
    check_paths(files)
    check_folder(folder, replace=False)
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        with _opened(file) as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink, _CHUNK)


def write_zip(files: Sequence[ExportFile], sink: IO[bytes]) -> None:
    """Write a zip archive: files by path, no times, no owners."""
    check_paths(files)
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        for file in sorted(files, key=lambda item: item.path):
            entry = zipfile.ZipInfo(file.path, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            with _opened(file) as source, archive.open(entry, "w", force_zip64=size_of(file) >= 1 << 31) as target:
                shutil.copyfileobj(source, target, _CHUNK)


def write_tar_gz(files: Sequence[ExportFile], sink: IO[bytes]) -> None:
    """Write a compressed tar archive: files by path, no times, no owners."""
    check_paths(files)
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=sink, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for file in sorted(files, key=lambda item: item.path):
            entry = tarfile.TarInfo(file.path)
            entry.size, entry.mode = size_of(file), 0o644
            with _opened(file) as source:
                archive.addfile(entry, source)


def size_of(file: ExportFile) -> int:
    """Bytes of a file."""
    return len(file.data) if isinstance(file.data, bytes) else file.data.stat().st_size


def _opened(file: ExportFile) -> IO[bytes]:
    return io.BytesIO(file.data) if isinstance(file.data, bytes) else file.data.open("rb")
