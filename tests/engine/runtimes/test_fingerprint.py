"""Fingerprints: the identity of what computes, and what changed."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

from heteroopt.runtimes.fingerprint import Fingerprint, build_id, identify, make_fingerprint, mapped_objects, object_id

HEADER = 64
PROGRAM = 56


def elf(note: bytes) -> bytes:
    """A 64-bit little-endian ELF head with one note segment behind the program headers."""
    head = bytearray(HEADER)
    head[:6] = b"\x7fELF\x02\x01"
    struct.pack_into("<Q", head, 32, HEADER)
    struct.pack_into("<HH", head, 54, PROGRAM, 1)
    program = bytearray(PROGRAM)
    struct.pack_into("<I", program, 0, 4)
    struct.pack_into("<Q", program, 8, HEADER + PROGRAM)
    struct.pack_into("<Q", program, 32, len(note))
    return bytes(head + program) + note


def note(kind: int, name: bytes, data: bytes) -> bytes:
    pad = lambda value: value + b"\0" * (-len(value) % 4)  # noqa: E731
    return struct.pack("<III", len(name), len(data), kind) + pad(name) + pad(data)


def test_the_build_id_is_found_behind_other_notes():
    notes = note(1, b"GNU\0", b"\1\2\3") + note(3, b"GNU\0", bytes.fromhex("c0ffee00"))
    assert build_id(elf(notes)) == "c0ffee00"
    assert build_id(elf(note(3, b"XYZ\0", b"\1\2\3\4"))) == ""
    assert build_id(b"#!/bin/sh") == ""
    assert build_id(elf(notes)[:100]) == ""


def test_a_file_without_build_id_is_known_by_its_bytes(tmp_path):
    path = tmp_path / "lib.so"
    path.write_bytes(b"one")
    first = object_id(str(path))
    other = tmp_path / "lib2.so"
    other.write_bytes(b"two")
    assert first.startswith("sha256:")
    assert object_id(str(other)) != first
    assert object_id(str(tmp_path / "gone.so")) == "unreadable"


def test_two_files_of_one_name_are_both_listed(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "lib.so").write_bytes(folder.encode())
    other = tmp_path / "other.so"
    other.write_bytes(b"c")
    found = identify([tmp_path / "a/lib.so", tmp_path / "b/lib.so", other])
    assert set(found) == {str(tmp_path / "a/lib.so"), str(tmp_path / "b/lib.so"), "other.so"}
    assert len(set(found.values())) == 3


def test_what_is_mapped_is_listed_once(tmp_path):
    maps = tmp_path / "maps"
    maps.write_text(
        "7f0 r-xp 0 08:01 1 /usr/lib/a b.so.1\n7f1 r--p 0 08:01 1 /usr/lib/a b.so.1\n"
        "7f2 rw-p 0 00:00 0 [heap]\n7f3 r--p 0 08:01 2 /usr/share/zone\n7f4 rw-p 0 00:00 0\n"
    )
    assert mapped_objects(maps) == [Path("/usr/lib/a b.so.1")]
    assert mapped_objects(tmp_path / "none") == []
    if sys.platform == "linux":
        assert any("libc" in path.name for path in mapped_objects())


def test_changes_name_what_changed():
    before = make_fingerprint({"a.so": "1", "b.so": "2"}, {"driver": "5"})
    after = make_fingerprint({"a.so": "1", "c.so": "3"}, {"driver": "6"})
    assert before.hash != after.hash
    assert Fingerprint.from_dict(before.to_dict()) == before
    assert before.changes_to(after) == [
        {"kind": "version", "name": "driver", "before": "5", "after": "6"},
        {"kind": "object", "name": "b.so", "before": "2", "after": ""},
        {"kind": "object", "name": "c.so", "before": "", "after": "3"},
    ]
