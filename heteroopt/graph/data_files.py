"""Files that hold a model's external data: which ones it needs, and nothing but these is opened."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from heteroopt.errors import ModelError
from heteroopt.graph.names import display_name

MAX_LOCATION: Final = 255
SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class DataRange:
    """How far into a file a model reads: the byte after the last, and the tensor that needs it."""

    end: int
    tensor: str


def plain_location(location: str) -> str:
    """The path below the model's folder in its simplest form, or "" for one that could lead anywhere else."""
    if not 0 < len(location) <= MAX_LOCATION or not location.isprintable() or set(location) & set("\\:"):
        return ""
    simple = posixpath.normpath(location)
    leads_out = simple == "." or simple.startswith("/") or ".." in location.split("/")
    return "" if leads_out or location.endswith("/") else simple


class DataFiles:
    """The files of one upload by their plain location relative to the model; a location is never used as a path."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = dict(paths)

    def check(self, needed: Mapping[str, DataRange]) -> None:
        """Raise ``ModelError`` ``external_data_missing`` or ``external_data_short`` unless every byte is there."""
        missing = sorted(name for name in needed if name not in self._paths)
        if missing:
            shown = [display_name(name) for name in missing[:SHOWN]]
            more = f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else ""
            raise ModelError(
                "external_data_missing",
                f"The model keeps weights in other files that did not come with it: {', '.join(shown)}{more}.",
                hint="Upload the .onnx file and these files together, or all of them as one .zip or .tar archive.",
                files=shown,
                count=len(missing),
            )
        for name, needs in needed.items():
            size = self._paths[name].stat().st_size
            if needs.end > size:
                raise ModelError(
                    "external_data_short",
                    f"The file {display_name(name)!r} has {size:,} bytes, but the model reads up to {needs.end:,}.",
                    hint="Upload the file that was written together with this model.",
                    file=display_name(name),
                    size_bytes=size,
                    needed_bytes=needs.end,
                    tensor=display_name(needs.tensor),
                )

    def read(self, location: str, offset: int, size: int) -> bytes | None:
        """The bytes at a place, or ``None`` where there are not that many."""
        path = self._paths.get(location)
        if path is None:
            return None
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            data = os.pread(descriptor, size, offset)
        finally:
            os.close(descriptor)
        return data if len(data) == size else None
