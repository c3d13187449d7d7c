"""What exactly computed something: the shared objects that a process maps, and the versions of packages and drivers."""

from __future__ import annotations

import hashlib
import json
import platform
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

_NOTE_HEADER = struct.Struct("<III")
_BUILD_ID_NOTE = 3
_HEAD_BYTES = 1 << 16
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """``objects``: build-id or sha256 of every mapped shared object by file name, by path where two have one name;
    ``versions`` by package.
    """

    objects: Mapping[str, str]
    versions: Mapping[str, str]
    hash: str

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dictionary that ``from_dict`` reads back."""
        return {"objects": dict(self.objects), "versions": dict(self.versions), "hash": self.hash}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Fingerprint:
        """Read ``to_dict``'s form."""
        return make_fingerprint(data["objects"], data["versions"])

    def changes_to(self, other: Fingerprint) -> list[dict[str, str]]:
        """Return what differs: ``{"kind": "object"|"version", "name", "before", "after"}``, "" where it is absent."""
        found: list[dict[str, str]] = []
        for kind, before, after in (
            ("version", self.versions, other.versions),
            ("object", self.objects, other.objects),
        ):
            for name in sorted({*before, *after}):
                if before.get(name, "") != after.get(name, ""):
                    found.append(
                        {"kind": kind, "name": name, "before": before.get(name, ""), "after": after.get(name, "")}
                    )
        return found


def make_fingerprint(objects: Mapping[str, str], versions: Mapping[str, str]) -> Fingerprint:
    """Return the fingerprint over these; its hash is 16 hex digits of sha256 over sorted JSON."""
    text = json.dumps([dict(objects), dict(versions)], sort_keys=True)
    return Fingerprint(dict(objects), dict(versions), hashlib.sha256(text.encode()).hexdigest()[:16])


def take_fingerprint(versions: Mapping[str, str]) -> Fingerprint:
    """Return this process's fingerprint: what is mapped now, ``versions``, the interpreter and the kernel."""
    objects = identify(mapped_objects())
    system = {"python": platform.python_version(), "kernel": platform.release()}
    return make_fingerprint(objects, {**system, **versions})


def identify(paths: Sequence[Path]) -> dict[str, str]:
    """Return what each file is by its name; by its path where another one of these has the same name."""
    counts = Counter(path.name for path in paths)
    return {path.name if counts[path.name] == 1 else str(path): object_id(str(path)) for path in paths}


def mapped_objects(maps: Path = Path("/proc/self/maps")) -> list[Path]:
    """Return the shared objects that a process maps, by path. Empty where the system has no such file."""
    try:
        lines = maps.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    names = {line.split(maxsplit=5)[5] for line in lines if len(line.split(maxsplit=5)) == 6}
    return sorted(Path(name) for name in names if name.startswith("/") and ".so" in Path(name).name)


@lru_cache(maxsize=4096)
def object_id(path: str) -> str:
    """Return ``build-id:…`` of an ELF file, or ``sha256:…`` of its bytes; ``unreadable`` if it is gone."""
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD_BYTES)
            found = build_id(head)
            if found:
                return f"build-id:{found}"
            digest = hashlib.sha256(head)
            while block := file.read(_BLOCK_BYTES):
                digest.update(block)
            return f"sha256:{digest.hexdigest()[:32]}"
    except OSError:
        return "unreadable"


def build_id(head: bytes) -> str:
    """Return the GNU build-id in the first bytes of a 64-bit little-endian ELF file, or "" if there is none."""
    if head[:6] != b"\x7fELF\x02\x01" or len(head) < 64:
        return ""
    (offset,) = struct.unpack_from("<Q", head, 32)
    entry_size, count = struct.unpack_from("<HH", head, 54)
    for index in range(count):
        start = offset + index * entry_size
        if start + 56 > len(head):
            return ""
        (kind,) = struct.unpack_from("<I", head, start)
        if kind == 4:  # PT_NOTE
            place, size = struct.unpack_from("<Q", head, start + 8)[0], struct.unpack_from("<Q", head, start + 32)[0]
            found = _find_note(head[place : place + size])
            if found:
                return found
    return ""


def _find_note(notes: bytes) -> str:
    at = 0
    while at + _NOTE_HEADER.size <= len(notes):
        name_size, data_size, kind = _NOTE_HEADER.unpack_from(notes, at)
        name_at = at + _NOTE_HEADER.size
        data_at = name_at + (name_size + 3) // 4 * 4
        if kind == _BUILD_ID_NOTE and notes[name_at : name_at + 4] == b"GNU\0":
            return notes[data_at : data_at + data_size].hex()
        at = data_at + (data_size + 3) // 4 * 4
    return ""
