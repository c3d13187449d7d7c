"""Puts an export in its place whole or not at all: written beside it under another name, checked, then moved there."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heteroopt.deployment.export_drafts import FORMER, clear_abandoned, entries, new_draft
from heteroopt.errors import HeteroOptError

MANIFEST = "manifest.json"
FORMAT = "heteroopt-export"
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


def check_folder(folder: Path, *, replace: bool) -> None:
    """Raise ``HeteroOptError`` unless an export may be put there: a new or empty folder, with ``replace`` also one
    that holds an export: ``export_folder_used``, ``export_folder_foreign``.
    """
    if not os.path.lexists(folder) or (folder.is_dir() and not entries(folder)):
        return
    if not replace:
        raise HeteroOptError(
            "export_folder_used",
            f"{folder} exists and is not an empty folder.",
            hint="Name a new folder: files of two exports must not mix. To replace an earlier export: --force.",
            path=str(folder),
        )
    if not _is_export(folder):
        raise HeteroOptError(
            "export_folder_foreign",
            f"{folder} is no folder of an export, so it is not replaced.",
            hint="Empty it by hand, or name another folder.",
            path=str(folder),
        )


def check_archive(target: Path, *, replace: bool) -> None:
    """Raise ``HeteroOptError`` ``export_file_used`` where something is there, with ``replace`` unless it is a file."""
    if os.path.lexists(target) and not (replace and target.is_file()):
        raise HeteroOptError(
            "export_file_used",
            f"{target} exists.",
            hint="Name another file. To replace it: --force.",
            path=str(target),
        )


@contextmanager
def draft_beside(target: Path, *, parents: bool = False) -> Iterator[Path]:
    """A folder on the same file system in which to write; gone at the end, with the parents made for it on failure.
    What an export to the same place left that was killed goes first.

    Raises ``HeteroOptError`` ``export_disk_full`` in place of errors that say that nothing more can be written.
    """
    made = _make_parents(target.parent) if parents else []
    done = False
    try:
        with full_disk_named(target):
            clear_abandoned(target, _home(target))
            with new_draft(target, _home(target)) as draft:
                yield draft
                done = True
    finally:
        for folder in [] if done else reversed(made):
            try:
                folder.rmdir()
            except OSError:  # somebody else uses it by now
                break


def put_folder(written: Path, target: Path, *, replace: bool) -> None:
    """Move a finished folder of :func:`draft_beside` to where it is wanted. ``replace``: what was there goes with the
    draft, and comes back where the move fails. Raises what :func:`check_folder` raises for what came there meanwhile.
    """
    check_folder(target, replace=replace)
    place, former = Path(os.path.realpath(target)), written.with_name(FORMER)
    if place in written.parents:
        _put_inside(written, place)
        return
    try:
        if replace and place.exists():
            os.rename(place, former)
        os.rename(written, place)
    except BaseException:
        if former.exists() and not place.exists():
            os.rename(former, place)
        raise


def put_file(written: Path, target: Path) -> None:
    """Move a finished file to where it is wanted, in place of what was there."""
    with written.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(written, os.path.realpath(target))


def check_room(target: Path, size_bytes: int) -> None:
    """Raise ``HeteroOptError`` ``export_disk_full`` where the file system has less room than that."""
    folder = target
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return
    if free < size_bytes:
        raise _full(target, f"{size_bytes} bytes are to be written and {free} are free")


@contextmanager
def full_disk_named(target: Path) -> Iterator[None]:
    """Raise ``HeteroOptError`` ``export_disk_full`` in place of an ``OSError`` of a full disk or a limit on files."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise _full(target, str(error.strerror)) from error


def _full(target: Path, says: str) -> HeteroOptError:
    return HeteroOptError(
        "export_disk_full",
        f"There is no room for the export {target.name}: {says}. Nothing was left behind.",
        hint="Make room or name a folder on another disk, or choose a format that does not carry the model.",
        name=target.name,
        says=says,
    )


def _home(target: Path) -> Path:
    """The folder for drafts: beside the target, or inside an empty one that cannot be replaced itself."""
    place = Path(os.path.realpath(target))
    inside = place.is_dir() and not entries(place)
    return place if inside and (os.path.ismount(place) or not os.access(place.parent, os.W_OK)) else place.parent


def _put_inside(written: Path, target: Path) -> None:
    moved: list[Path] = []
    try:
        for entry in sorted(written.iterdir(), key=lambda item: item.name == MANIFEST):  # the manifest last
            os.rename(entry, target / entry.name)
            moved.append(target / entry.name)
    except BaseException:
        for entry in moved:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        raise


def _make_parents(folder: Path) -> list[Path]:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
    return missing[::-1]


def _is_export(folder: Path) -> bool:
    """Whether a folder was written by an export and holds nothing but it."""
    try:
        document = json.loads((folder / MANIFEST).read_text("utf-8"))
        listed = {MANIFEST, *document["files"]}
        found = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if not file.is_dir()}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False
    return document.get("format") == FORMAT and found <= listed
