"""Keeps other vendors' OpenCL libraries out of OpenVINO's process.

OpenVINO looks for its GPUs through the system's OpenCL loader, which loads every vendor's library that is installed
(PoCL with its own LLVM and libhwloc, NVIDIA's). Only Intel's is of use to it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path

VARIABLE = "OCL_ICD_VENDORS"
"""Names the loader's folder of vendors; both loaders in use (ocl-icd, Khronos) read it."""

VENDORS = Path("/etc/OpenCL/vendors")
INTEL = ("igdrcl", "intel")
NOWHERE = "/nonexistent"


def intels(folder: Path = VENDORS) -> list[Path]:
    """Return the files of a folder of vendors that name Intel's library."""
    found = []
    for path in sorted(folder.glob("*.icd")):
        try:
            library = path.read_text(encoding="utf-8", errors="replace").lower()
        except OSError:
            continue
        if any(mark in library for mark in INTEL):
            found.append(path)
    return found


def keep_to_intels(owner: object, folder: Path = VENDORS) -> None:
    """Let the loader see Intel's libraries only, unless the administrator has named a folder.

    Where there are some, a folder with links to them lives as long as ``owner``.
    """
    if VARIABLE in os.environ:
        return
    files = intels(folder)
    if not files:
        os.environ[VARIABLE] = NOWHERE
        return
    links = Path(tempfile.mkdtemp(prefix="heteroopt-icd-"))
    weakref.finalize(owner, shutil.rmtree, links, ignore_errors=True)
    for path in files:
        (links / path.name).symlink_to(path)
    os.environ[VARIABLE] = str(links)
