"""Names that are safe to show: bounded, printable, unique, and the scope that they stand in."""

from __future__ import annotations

import re
import unicodedata

MAX_LENGTH = 200
_UNSAFE_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_DEVICE_PREFIX = re.compile(r"^(?:gpu|cpu)_\d+$")
_BRANCH = re.compile(r"^(\w+?)_branch\d")  # Caffe2's residual blocks: res2_0_branch2a
_ESCAPE = re.compile(r"[^\x20-\x7e]")
_BARE = re.compile(r"^(?:(?:n|node|op|r|t|v|val|x)?[_:]?\d+)?$")


def is_bare(text: str) -> bool:
    """Whether a name says nothing: empty, a number, or a counter such as ``n12`` or ``node_3``."""
    return _BARE.match(text) is not None


def display_name(text: str) -> str:
    """``text`` without control, bidirectional and other invisible characters, at most 200 characters long."""
    if len(text) > MAX_LENGTH:
        text = text[:MAX_LENGTH]
        shortened = True
    else:
        shortened = False
    if _ESCAPE.search(text):
        text = "".join("\ufffd" if unicodedata.category(c) in _UNSAFE_CATEGORIES else c for c in text)
    return text[: MAX_LENGTH - 1] + "\u2026" if shortened else text


def scope_of(name: str) -> str:
    """The part of a hierarchical name before its last ``/``: ``encoder/layer.3`` of ``/encoder/layer.3/Add``."""
    parts = [part for part in name.split("/")[:-1] if part and part not in (".", "..")]
    while parts and _DEVICE_PREFIX.match(parts[0]):
        del parts[0]
    if parts:
        return "/".join(parts)
    branch = _BRANCH.match(name)
    return branch[1] if branch else ""


class UniqueNames:
    """Hands out display names, appending ``_2``, ``_3``, ... where one is taken."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """A name like ``wanted`` that was not handed out before."""
        name = base = display_name(wanted)
        if name in self._taken:
            number = self._next.get(base, 2)
            while name in self._taken:
                suffix = f"_{number}"
                name = base[: MAX_LENGTH - len(suffix)] + suffix
                number += 1
            self._next[base] = number
        self._taken.add(name)
        return name
