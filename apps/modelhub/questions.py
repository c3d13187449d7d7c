"""What the reader of a model asks a person: open shapes, trips of loops, branches, costs of unknown operators.

Made in the sandbox from the graph and its notes, so it knows neither Django nor rows. What was answered is listed
too, with the answer, so that it can be changed.
"""

from __future__ import annotations

from typing import Any

from heteroopt.graph.graph import Graph

SHOWN = 100
SHOWN_OPERATORS = 5


def questions(graph: Graph) -> dict[str, Any]:
    """Lists ``shapes``, ``trips``, ``branches`` and ``operators``, each of at most 100 entries."""
    notes: dict[str, list[dict[str, Any]]] = {}
    for note in graph.notes:
        notes.setdefault(note["code"], []).append(note["params"])
    found = {
        "shapes": _shapes(notes),
        "trips": _trips(notes),
        "branches": _branches(notes),
        "operators": _operators(graph, notes),
    }
    return {kind: entries[:SHOWN] for kind, entries in found.items()}


def _shapes(notes: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Tensors where a shape is needed; those that merely follow from one are left out."""
    given = [
        {"tensor": note["tensor"], "op_type": "", "operator": "", "reason": "", "size_bytes": 0, "shape": note["shape"]}
        for note in notes.get("shape_given", ())
    ]
    fields = ("tensor", "op_type", "operator", "reason", "size_bytes")
    return given + [
        {**{name: note[name] for name in fields}, "shape": None}
        for note in notes.get("size_estimated", ())
        if note["reason"] != "input_unknown"
    ]


def _trips(notes: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Loops whose length a person gives: ``assumed`` rounds, ``is_given`` by whom."""
    given = [
        {"operator": note["operator"], "assumed": note["trips"], "is_given": True, "is_bound": False}
        for note in notes.get("trip_count_given", ())
    ]
    for code in ("trip_count_unknown", "trip_count_bound"):
        given += [
            {
                "operator": note["operator"],
                "assumed": note["assumed"],
                "is_given": False,
                "is_bound": code == "trip_count_bound",
            }
            for note in notes.get(code, ())
        ]
    return _once(given, "operator")


def _branches(notes: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Choices between branches and the share of runs that take the first; ``None``: the larger one counts."""
    given = [{"operator": note["operator"], "then_share": note["share"]} for note in notes.get("branch_given", ())]
    given += [{"operator": note["operator"], "then_share": None} for note in notes.get("branch_unknown", ())]
    return _once(given, "operator")


def _operators(graph: Graph, notes: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Types of operators that the reader does not know, most frequent first; ``key`` is what a cost is given for."""
    answered = {note["operator"] for note in notes.get("cost_given", ())}
    kinds: dict[str, dict[str, Any]] = {}
    for op in graph.operators:
        if op.flops_source != "bytes_only" and op.name not in answered:
            continue
        key = f"{op.domain}::{op.op_type}" if op.domain else op.op_type
        kind = kinds.setdefault(key, {"key": key, "count": 0, "is_given": True, "operators": []})
        kind["count"] += 1
        kind["is_given"] = kind["is_given"] and op.name in answered
        if len(kind["operators"]) < SHOWN_OPERATORS:
            kind["operators"].append(op.name)
    return sorted(kinds.values(), key=lambda kind: (-kind["count"], kind["key"]))


def _once(entries: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """The first entry of each name: operators of one name are asked for once."""
    return list({entry[key]: entry for entry in reversed(entries)}.values())[::-1]
