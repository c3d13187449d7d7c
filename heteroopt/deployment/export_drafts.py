"""Drafts of exports: hidden folders beside the place wanted, and what becomes of one whose process was killed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

DRAFT = ".part"
FORMER = "former"
"""In a draft: the export that is being replaced, between the two moves."""

_NAME = 40
_RANDOM = re.compile(r"[a-z0-9_]{8}")
"""What ``tempfile`` puts into a name."""


@contextlib.contextmanager
def new_draft(target: Path, home: Path) -> Iterator[Path]:
    """A new folder in ``home`` for an export to ``target``, held as long as this process lives; gone at the end."""
    while True:
        draft = Path(tempfile.mkdtemp(prefix=_prefix(target), suffix=DRAFT, dir=home))
        try:
            with _held(draft) as held:
                if held is not False:  # else somebody took it for abandoned before it was held
                    yield draft
                    return
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def clear_abandoned(target: Path, home: Path) -> None:
    """Delete drafts of exports to ``target`` whose process is gone; a former export that one held is put back first.

    Drafts that a living process holds stay, and so does what cannot be deleted.
    """
    prefix = _prefix(target)
    try:
        names = [entry.name for entry in home.iterdir() if entry.name.startswith(prefix)]
    except OSError:
        return
    for name in names:
        draft = home / name
        if not name.endswith(DRAFT) or not _RANDOM.fullmatch(name[len(prefix) : -len(DRAFT)]) or draft.is_symlink():
            continue
        with contextlib.suppress(OSError), _held(draft) as held:
            if held:
                place = Path(os.path.realpath(target))
                if (draft / FORMER).is_dir() and not os.path.lexists(place):
                    os.rename(draft / FORMER, place)
                shutil.rmtree(draft, ignore_errors=True)


def entries(folder: Path) -> list[Path]:
    """What is in a folder, without drafts of ours."""
    return [entry for entry in folder.iterdir() if not (entry.name.startswith(".") and entry.name.endswith(DRAFT))]


@contextlib.contextmanager
def _held(draft: Path) -> Iterator[bool | None]:
    """Whether this process now holds a draft, which the system lets go when the process ends, however it ends.

    ``False``: another one holds or has deleted it; ``None`` where the system knows no such locks.
    """
    try:
        import fcntl
    except ImportError:
        yield None
        return
    opened = -1
    held: bool | None
    try:
        try:
            opened = os.open(draft, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held = os.path.samestat(os.fstat(opened), os.stat(draft))
        except (BlockingIOError, FileNotFoundError):
            held = False
        except OSError:
            held = None
        yield held
    finally:
        if opened >= 0:
            os.close(opened)


def _prefix(target: Path) -> str:
    """How the names of the drafts of a target begin; no other target's in the folder do."""
    name = target.name
    if len(name) > _NAME:
        name = f"{name[: _NAME - 13]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    return f".{name}."
