"""Where compiled kernels are kept: a folder for exactly these sources. Known without loading the compiler.

Numba's cache notices a changed file only by the function that it belongs to: a kernel that calls a changed kernel of
another file would be loaded as it was, and would go on computing old numbers. So the cache's folder bears a
fingerprint of all sources with kernels and of what they import.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent
_WITH_KERNELS = ("simulation", "search")
_DECORATED = re.compile(r"^@(kernel|inlined)\b", re.MULTILINE)
_IMPORTED = re.compile(r"^from heteroopt\.([\w.]+) import", re.MULTILINE)
_PREFIX = "kernels-"
_KEPT = 3


def fingerprint() -> str:
    """16 hex digits over the sources with kernels and what of ours they import, whose constants they hold."""
    digest = hashlib.sha256()
    for path in sorted(_compiled_sources()):
        digest.update(f"{path.relative_to(_PACKAGE)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _compiled_sources() -> set[Path]:
    files = (path for name in _WITH_KERNELS for path in (_PACKAGE / name).rglob("*.py"))
    waiting = [path for path in files if _DECORATED.search(path.read_text(encoding="utf-8"))]
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for module in _IMPORTED.findall(path.read_text(encoding="utf-8")):
            source = _PACKAGE / f"{module.replace('.', '/')}.py"
            if source.is_file():
                waiting.append(source)
    return found


def cache_folder(configured: str) -> Path:
    """Where kernels are cached: below ``NUMBA_CACHE_DIR`` if set, else beside the package, else in the user's cache."""
    if configured:
        base = Path(configured)
    elif os.access(_PACKAGE, os.W_OK):
        base = _PACKAGE / "__pycache__"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "heteroopt"
    return base / f"{_PREFIX}{fingerprint()}"


def forget_old_caches(folder: Path) -> None:
    """Remove all but the three newest caches beside ``folder``; one that another process removes first is no error."""
    caches = sorted(folder.parent.glob(f"{_PREFIX}*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in caches[_KEPT:]:
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)
