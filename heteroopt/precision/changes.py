"""What a comparison says that the one before it did not: out of tolerance now, back within it, slower now.

``changes_since`` returns, of comparisons of operators and of models alike::

    {"out": ["Conv/3"], "mended": ["Exp/1"], "slower": [{"key": "Gemm/0", "side": "right", "before_ms": 1.0,
     "after_ms": 1.6}]}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SLOWER = 1.5
"""Less is the scatter of a shared machine."""

SHORTEST_MS = 0.05
"""Times below this say more of the clock than of the device."""

MOST_LISTED = 100


def changes_since(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Compare two ``to_json`` of one kind, case by case by their keys; lists hold at most 100 entries."""
    known = {case["key"]: case for case in before["cases"]}
    found: dict[str, list[Any]] = {"out": [], "mended": [], "slower": []}
    for case in after["cases"]:
        earlier = known.get(case["key"])
        if earlier is None:
            continue
        if case["status"] == "out" and earlier["status"] != "out":
            found["out"].append(case["key"])
        if case["status"] == "within" and earlier["status"] == "out":
            found["mended"].append(case["key"])
        found["slower"] += _slower(case["key"], earlier, case)
    if not after["stopped"]:
        found["slower"] += _slower("", before["summary"], after["summary"])
    return {name: entries[:MOST_LISTED] for name, entries in found.items()}


def _slower(key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = []
    for side in ("left", "right"):
        first, now = before.get(f"{side}_ms"), after.get(f"{side}_ms")
        if first is not None and now is not None and now > SLOWER * max(first, SHORTEST_MS):
            found.append({"key": key, "side": side, "before_ms": first, "after_ms": now})
    return found
