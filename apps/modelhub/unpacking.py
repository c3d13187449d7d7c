"""Takes a model and its data files out of an archive. Runs inside the sandbox, so it knows neither Django nor rows.

Entries are written under running numbers into the working folder: no name out of an archive is ever used as a path.
"""

from __future__ import annotations

import posixpath
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any, Final

from heteroopt.errors import ModelError
from heteroopt.graph.data_files import plain_location
from heteroopt.graph.names import display_name
from heteroopt.graph.pytorch.refusal import refuse_pytorch_file

PIECE: Final = 1 << 20
MAX_ENTRIES: Final = 2_100
ARCHIVES: Final = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".tbz2", ".xz", ".txz", ".7z", ".rar", ".zst")
_MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
_TAR_MAGIC: Final = (257, b"ustar")
_DAMAGED: Final = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, LZMAError, EOFError, OSError, ValueError,
    NotImplementedError, RuntimeError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """A regular file of an archive: its name as it stands there, and how to read its content."""

    name: str
    open: Callable[[], IO[bytes]]


def is_archive(path: Path) -> bool:
    """Whether a file begins like a zip or a (compressed) tar."""
    with path.open("rb") as file:
        head = file.read(512)
    at, magic = _TAR_MAGIC
    return head.startswith(_MAGIC) or head[at : at + len(magic)] == magic


def unpack(payload: Mapping[str, Any], files: Mapping[str, Path]) -> dict[str, Any]:
    """Write every file into the working folder: ``{"main": number, "files": [[number, location], ...]}``.

    ``payload``: ``limit_bytes`` for all content together, ``max_files``. Locations are relative to the model's folder;
    what lies outside of that is left out. Raises ``ModelError`` with a code ``archive_...``, or ``model_pytorch`` for a
    zip archive that is a PyTorch file.
    """
    refuse_pytorch_file(files["archive"])
    try:
        names = _write_all(files["archive"], int(payload["limit_bytes"]))
    except _DAMAGED as error:
        raise ModelError(
            "archive_damaged",
            "The archive cannot be unpacked: it is damaged, cut off or packed in an unusual way.",
            hint="Pack the model again as a plain .zip or .tar.",
            reason=display_name(f"{type(error).__name__}: {error}"),
        ) from error
    main = _main(names)
    folder = posixpath.dirname(names[main])
    located = {number: posixpath.relpath(name, folder or ".") for number, name in enumerate(names)}
    kept = {number: name for number, name in located.items() if not name.startswith("..")}
    if len(kept) - 1 > payload["max_files"]:
        raise _too_many(payload["max_files"])
    return {"main": main, "files": [[number, name] for number, name in kept.items()]}


def _main(names: list[str]) -> int:
    models = [number for number, name in enumerate(names) if name.lower().endswith(".onnx")]
    if len(models) == 1:
        return models[0]
    if not models:
        raise ModelError(
            "archive_no_model",
            "The archive holds no .onnx file.",
            hint="Pack the .onnx file together with its data files.",
        )
    raise ModelError(
        "archive_models",
        f"The archive holds {len(models)} .onnx files.",
        hint="Pack one model at a time.",
        files=[display_name(names[number]) for number in models[:20]],
        count=len(models),
    )


def _write_all(path: Path, limit_bytes: int) -> list[str]:
    """Write every file under its number; return their names, each checked before its content is looked at."""
    left, names, seen = limit_bytes, list[str](), set[str]()
    with path.open("rb") as file:
        for entry in _zip_entries(file) if file.read(2) == b"PK" else _tar_entries(file):
            if len(names) >= MAX_ENTRIES:
                raise _too_many(MAX_ENTRIES)
            name = _checked(entry.name)
            if name.lower() in seen:
                raise ModelError(
                    "archive_duplicate",
                    f"The archive holds {display_name(name)!r} twice.",
                    hint="Pack the model again.",
                    file=display_name(name),
                )
            seen.add(name.lower())
            with entry.open() as content, Path(str(len(names))).open("wb") as written:
                while piece := content.read(PIECE):
                    left -= len(piece)
                    if left < 0:
                        raise _bomb(limit_bytes)
                    written.write(piece)
            names.append(name)
    return names


def _zip_entries(file: IO[bytes]) -> Iterator[Entry]:
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            kind = info.external_attr >> 28  # of the Unix mode: 10 is a symbolic link, 8 a regular file, 0 not said
            if info.is_dir() or _is_litter(info.filename):
                continue
            if kind not in (0, 8):
                raise _link(info.filename)
            if info.flag_bits & 1:
                raise ModelError(
                    "archive_encrypted", "The archive is encrypted.", hint="Pack the model without a password."
                )
            yield Entry(info.filename, partial(archive.open, info))


def _tar_entries(file: IO[bytes]) -> Iterator[Entry]:
    file.seek(0)
    with tarfile.open(fileobj=file, mode="r|*") as archive:
        for info in archive:
            if info.isdir() or _is_litter(info.name):
                continue
            if not info.isfile():
                raise _link(info.name)
            yield Entry(info.name, partial(_content, archive, info))


def _content(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    content = archive.extractfile(info)
    if content is None:
        raise tarfile.ReadError("a file without content")
    return content


def _is_litter(name: str) -> bool:
    """What Finder and Explorer add to archives."""
    return name.startswith("__MACOSX/") or posixpath.basename(name) in (".DS_Store", "Thumbs.db", "desktop.ini")


def _checked(name: str) -> str:
    plain = plain_location(name)
    if not plain:
        raise ModelError(
            "archive_path",
            f"The archive holds {display_name(name)!r}, which would lie outside of it.",
            hint="Pack the files again with plain relative names.",
            file=display_name(name),
        )
    if plain.lower().endswith(ARCHIVES):
        raise ModelError(
            "archive_nested",
            f"The archive holds another archive: {display_name(name)!r}.",
            hint="Pack the model and its data files themselves.",
            file=display_name(name),
        )
    return plain


def _link(name: str) -> ModelError:
    return ModelError(
        "archive_link",
        f"The archive holds {display_name(name)!r}, which is a link or a device instead of a file.",
        hint="Pack the files themselves.",
        file=display_name(name),
    )


def _bomb(limit: int) -> ModelError:
    return ModelError(
        "archive_too_large",
        f"The archive unpacks to more than {limit:,} bytes.",
        hint="Upload the files one by one instead of an archive, or raise HETEROOPT_MAX_UPLOAD_BYTES on the server.",
        limit_bytes=limit,
    )


def _too_many(limit: int) -> ModelError:
    return ModelError(
        "archive_entries",
        f"The archive holds more than {limit:,} files.",
        hint="Pack only the .onnx file and its data files; keep the weights in one file.",
        limit=limit,
    )
