"""How much memory a control group leaves to this process, in either version of control groups."""

from __future__ import annotations

from pathlib import Path

UNLIMITED = 1 << 60
"""Version 1 writes a huge number where there is no limit."""


def memory_limit_bytes(root: Path = Path("/")) -> int | None:
    """Return the smallest limit of this process's control group and those above it; ``None`` if there is none."""
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    found: list[int] = []
    for line in lines[:100]:
        _, _, rest = line.partition(":")
        controllers, _, place = rest.partition(":")
        if not controllers:
            found += _limits(root / "sys/fs/cgroup", place, "memory.max")
        elif "memory" in controllers.split(","):
            found += _limits(root / "sys/fs/cgroup/memory", place, "memory.limit_in_bytes")
    return min(found, default=None)


def _limits(base: Path, place: str, name: str) -> list[int]:
    """Limits from the group's folder up; inside a container its own folder may be the top."""
    parts = [part for part in place.split("/") if part not in ("", ".", "..")][:64]
    found = []
    for depth in range(len(parts), -1, -1):
        try:
            text = base.joinpath(*parts[:depth], name).read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            continue
        if text.isascii() and text.isdigit() and int(text[:20]) < UNLIMITED:
            found.append(int(text))
    return found
