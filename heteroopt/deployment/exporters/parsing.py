"""Parsing files of an export again, with one error for all that cannot be."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
from onnx import ModelProto

from heteroopt.errors import HeteroOptError
from heteroopt.graph.names import display_name


def parsed_json(key: str, path: Path) -> Any:
    """The JSON in a file of an export. Raises ``HeteroOptError`` ``export_unparsable``."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise unparsable(key, path.name, str(error)) from error


def parsed_python(key: str, path: Path) -> None:
    """Parse a script of an export. Raises ``HeteroOptError`` ``export_unparsable``."""
    try:
        ast.parse(path.read_text("utf-8"))
    except (OSError, ValueError, SyntaxError) as error:
        raise unparsable(key, path.name, str(error)) from error


def parsed_model(key: str, path: Path) -> ModelProto:
    """The ONNX model in a file of an export, without its external data. Raises as :func:`parsed_json`."""
    try:
        return onnx.load(str(path), load_external_data=False)
    except Exception as error:  # protobuf raises several unrelated kinds
        raise unparsable(key, path.name, str(error)) from error


def planned_in(
    model: ModelProto, wanted: Mapping[str, tuple[int, str]], names: Mapping[str, str] | None = None
) -> list[int]:
    """Indices of the planned operators that a model holds, as often as it does: nodes of their type with all their
    outputs. ``wanted``: of :func:`operators_by_output`; ``names``: of tensors that the file calls otherwise.
    """
    found: list[int] = []
    needed = Counter(index for index, _ in wanted.values())
    for node in model.graph.node:
        real = [display_name((names or {}).get(name, name)) for name in node.output if name]
        made = [wanted[name] for name in real if name in wanted]
        if made and len({index for index, _ in made}) == 1 and made[0][1] == display_name(node.op_type):
            found += [made[0][0]] if len(made) == needed[made[0][0]] else []
    return found


def unparsable(key: str, file: str, reason: str) -> HeteroOptError:
    """The error of a file that its engine would not read."""
    return HeteroOptError(
        "export_unparsable",
        f"{file} of the {key} export cannot be parsed again: {reason[:200]}.",
        hint="Export again; if it stays so, report it as a bug.",
        format=key,
        file=file,
        reason=reason[:200],
    )
