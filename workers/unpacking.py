"""Has an uploaded archive unpacked in the sandbox, and keeps what was in it."""

from __future__ import annotations

import dataclasses
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings

from apps.modelhub import contents, storage
from apps.modelhub.limits import MAX_DATA_FILES
from apps.modelhub.models import Model
from heteroopt.errors import ModelError
from heteroopt.graph.data_files import plain_location
from workers.sandbox import ALLOWED, Limits, default_limits, run_in_sandbox

UNPACK = "apps.modelhub.unpacking:unpack"
ALLOWED.add(UNPACK)
FLOOR_BYTES = 1 << 30
"""An archive may always unpack to this much; weights of zeros shrink a thousandfold without any harm."""
RATIO = 20
BYTES_PER_SECOND = 20_000_000
"""Slower than any processor unpacks; the time allowed grows with the archive by it."""


def unpack(model: Model, archive: Path, tick: Callable[[], object]) -> None:
    """Replace the model's archive by the files in it. Raises ``ModelError`` with a code ``archive_...``."""
    size = archive.stat().st_size
    limit = min(settings.MAX_UPLOAD_BYTES, max(FLOOR_BYTES, RATIO * size))

    def keep(folder: Path, result: Any) -> None:
        main, data = parts(folder, result)
        contents.accept_unpacked(model.pk, main, data)

    payload = {"limit_bytes": limit, "max_files": MAX_DATA_FILES}
    run_in_sandbox(UNPACK, payload, {"archive": archive}, limits_for(size, limit), tick=tick, collect=keep)


def limits_for(archive_bytes: int, unpacked_bytes: int) -> Limits:
    """The sandbox's usual limits, with room on disk and time for a large archive."""
    usual, extra = default_limits(), archive_bytes / BYTES_PER_SECOND
    return dataclasses.replace(
        usual,
        file_bytes=unpacked_bytes,
        cpu_seconds=usual.cpu_seconds + extra,
        wall_seconds=usual.wall_seconds + 2 * extra,
    )


def parts(folder: Path, result: Any) -> tuple[contents.Part, list[contents.Part]]:
    """The unpacked files, hashed here: a child that was taken over could claim anything about them."""
    found: dict[int, contents.Part] = {}
    for number, location in result["files"]:
        path = folder / str(int(number))
        if plain_location(location) != location or not stat.S_ISREG(path.lstat().st_mode) or int(number) in found:
            raise ModelError(
                "archive_damaged", "The archive cannot be unpacked.", hint="Pack the model again.", reason=""
            )
        found[int(number)] = contents.Part(location, path, storage.digest(storage.file_chunks(path), empty_too=True))
    main = found.pop(int(result["main"]))
    return main, list(found.values())
