"""Deletes what jobs left on disk whose process was killed: working folders, and drafts of archives."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from apps.deployments.archives import drafts

FOLDERS = ("measuring-*", "sandbox-*", "export-*")
"""In ``TEMPORARY_DIR``: see :mod:`workers.measuring`, :mod:`workers.sandbox`, :mod:`workers.runners.export_plan`."""

AGE_SECONDS = 86_400.0
"""Longer than a job is at one folder without writing anything there."""


def delete_strays() -> int:
    """Delete what is that old; return how much there was. What cannot be deleted now is tried again later."""
    before, gone = time.time() - AGE_SECONDS, 0
    for path in (*_folders(), *drafts()):
        with contextlib.suppress(OSError):
            if _newest(path) < before:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                gone += 1
    return gone


def _folders() -> Iterator[Path]:
    for pattern in FOLDERS:
        for path in Path(settings.TEMPORARY_DIR).glob(pattern):
            if path.is_dir() and not path.is_symlink():
                yield path


def _newest(path: Path) -> float:
    """When something was last written there."""
    inside = list(path.rglob("*")) if path.is_dir() else []
    return max(one.lstat().st_mtime for one in [path, *inside])
