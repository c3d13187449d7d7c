"""Uploaded files on disk, each under the SHA-256 of its content."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from config.refusals import UploadTooLarge
from heteroopt.errors import ModelError

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Digest:
    """Hash and length of a file."""

    sha256: str
    size_bytes: int


def digest(chunks: Iterable[bytes], *, empty_too: bool = False) -> Digest:
    """Hash chunks; refuse an empty file (unless ``empty_too``) and one above the upload limit (413)."""
    hasher, size = hashlib.sha256(), 0
    for chunk in chunks:
        hasher.update(chunk)
        size += len(chunk)
        if size > settings.MAX_UPLOAD_BYTES:
            raise UploadTooLarge(settings.MAX_UPLOAD_BYTES)
    if size == 0 and not empty_too:
        raise ModelError("file_empty", "The file is empty.", hint="Export the model again and upload that file.")
    return Digest(hasher.hexdigest(), size)


def path_of(sha256: str) -> Path:
    """Where the file with this hash lies; the name holds nothing that a user chose."""
    if len(sha256) != 64 or not all(c in "0123456789abcdef" for c in sha256):
        raise ValueError("not a SHA-256 in hexadecimal")
    return Path(settings.MEDIA_ROOT) / sha256[:2] / sha256


def keep(upload: UploadedFile[Any], sha256: str) -> Path:
    """Move (or, from memory, write) an upload to its place; a file that is there already is replaced by its equal."""
    target = path_of(sha256)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = target.with_name(f"{sha256}.{os.urandom(6).hex()}.part")
    upload.seek(0)
    try:
        with draft.open("wb") as file:
            for chunk in upload.chunks(_CHUNK):
                file.write(chunk)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
    return target


def keep_file(source: Path, sha256: str) -> Path:
    """Move a file of the data folder to its place."""
    target = path_of(sha256)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.replace(source, target)
    return target


def file_chunks(path: Path) -> Iterable[bytes]:
    """The content of a file, a megabyte at a time."""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


@contextlib.contextmanager
def files_arrive() -> Iterator[None]:
    """Until the rows that name new files are there for all to see, nobody deletes a file that seems unused."""
    with _locked(fcntl.LOCK_SH):
        yield


@contextlib.contextmanager
def files_leave() -> Iterator[None]:
    """What is found unused in here stays so until it is deleted. Never inside of a transaction: those wait for it."""
    with _locked(fcntl.LOCK_EX):
        yield


@contextlib.contextmanager
def _locked(kind: int) -> Iterator[None]:
    folder = Path(settings.MEDIA_ROOT)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / "lock").open("a") as file:
        fcntl.flock(file, kind)
        yield


def discard(sha256: str) -> None:
    """Delete a file that no row names any more."""
    path_of(sha256).unlink(missing_ok=True)
