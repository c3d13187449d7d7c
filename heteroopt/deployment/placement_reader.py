"""Reading a placement that somebody made by hand: operator, device and perhaps order, as CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from heteroopt.deployment.csv_cells import restored
from heteroopt.deployment.operator_csv import COLUMNS, members_text
from heteroopt.deployment.plan_json import FORMAT
from heteroopt.errors import PlanError

MAX_PLACEMENT_BYTES = 32 << 20
SHOWN = 20
"""How many names an error lists; its ``count`` says how many there are."""
BRIEF = 60
"""Characters of a wrong value that an error repeats."""

_EXPORTED = {heading: key for key, heading in COLUMNS}
_OPERATOR, _DEVICE, _ORDER, _MEMBERS = "operator", "device", "order", "members"
_HINT = "Give one row per operator: operator, device, and order for all or none."


@dataclass(frozen=True, slots=True)
class PlacedOperator:
    """One row: names of operator and device; ``order`` ``None`` where none is given. ``members``: the text of the
    column "model operators" of an exported table, ``None`` without that column.
    """

    operator: str
    device: str
    order: int | None = None
    members: str | None = None


def read_placement(source: Path | str | bytes) -> tuple[PlacedOperator, ...]:
    """Read a file (or its bytes). Raises what :func:`parse_placement` raises, and ``placement_unreadable``."""
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
        if len(data) > MAX_PLACEMENT_BYTES:
            raise _unreadable(
                "too_large", f"it is larger than {MAX_PLACEMENT_BYTES} bytes", limit_bytes=MAX_PLACEMENT_BYTES
            )
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable("not_utf8", f"it is not UTF-8 text, CSV UTF-8 in spreadsheets ({error})") from error
    except OSError as error:
        raise _unreadable("file_failed", str(error)) from error
    return parse_placement(text)


def parse_placement(text: str) -> tuple[PlacedOperator, ...]:
    """Rows of a CSV text with a heading, or of a JSON text; the operator table that we export is such a CSV.

    CSV: columns ``operator`` (or ``name``) and ``device``, optionally ``order``; no others but those of our own
    table. JSON: as :func:`placement_of` takes it. Raises :class:`PlanError`: ``placement_unreadable``,
    ``placement_columns``, ``placement_row`` (with its number), ``placement_order_partial``, ``placement_duplicate``,
    ``placement_order_duplicate``, ``placement_empty``.
    """
    text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    if text.lstrip()[:1] in ("{", "["):
        try:
            return placement_of(json.loads(text, object_pairs_hook=_without_repetition))
        except json.JSONDecodeError as error:
            raise _unreadable("json_syntax", str(error), line=error.lineno, column=error.colno) from error
        except (ValueError, RecursionError) as error:
            raise _unreadable("json_limits", str(error)) from error
    return _checked(_csv_rows(text))


def placement_of(data: Any) -> tuple[PlacedOperator, ...]:
    """Rows of JSON-able data: ``{operator: device}``, a list of ``{"operator", "device", "order"?}``, that list as
    ``{"placement": [...]}``, or a plan document. Raises as :func:`parse_placement`.
    """
    if isinstance(data, Mapping) and data.get("format") == FORMAT:
        return _checked(_document_row(number, row) for number, row in enumerate(_list(data.get("operators")), 1))
    if isinstance(data, Mapping) and not isinstance(data.get("placement"), list):
        return _checked(
            _json_row(number, {"operator": operator, "device": device})
            for number, (operator, device) in enumerate(data.items(), 1)
        )
    rows = _list(data["placement"] if isinstance(data, Mapping) else data)
    return _checked(_json_row(number, row) for number, row in enumerate(rows, 1))


def shown(names: Iterable[str]) -> tuple[str, list[str], int]:
    """``(text, first names, count)`` for an error about names."""
    listed = list(names)
    text = ", ".join(repr(name) for name in listed[:SHOWN])
    more = len(listed) - SHOWN
    return (f"{text} and {more} more" if more > 0 else text), listed[:SHOWN], len(listed)


def _csv_rows(text: str) -> Iterable[PlacedOperator]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        headings = next(reader, [])
        columns = _columns([heading.strip() for heading in headings])
        for number, cells in enumerate(reader, 2):
            if not cells:
                continue
            if len(cells) != len(headings):
                raise _row(
                    number,
                    "cells",
                    f"it has {len(cells)} cells, the heading {len(headings)}",
                    cells=len(cells),
                    headings=len(headings),
                )
            order = cells[columns[_ORDER]].strip() if _ORDER in columns else ""
            if order and not (order.isascii() and order.isdigit() and len(order) < 19):
                raise _row(number, "order_not_whole", f"its order {order!r} is not 0, 1, 2, ...", order=_brief(order))
            yield _named(
                number,
                restored(cells[columns[_OPERATOR]]),
                restored(cells[columns[_DEVICE]]),
                int(order) if order else None,
                restored(cells[columns[_MEMBERS]]) if _MEMBERS in columns else None,
            )
    except csv.Error as error:
        raise _unreadable("csv_syntax", f"line {reader.line_num}: {error}", line=reader.line_num) from error


def _columns(headings: Sequence[str]) -> dict[str, int]:
    """Position of each column that counts."""
    found: dict[str, int] = {}
    unknown = []
    for position, heading in enumerate(headings):
        key = _OPERATOR if heading in (_OPERATOR, "name") else _EXPORTED.get(heading)
        if key is None:
            unknown.append(heading)
        elif key in found:
            raise _wrong_columns(f"The column {key!r} is there twice.", headings)
        else:
            found[key] = position
    if unknown:
        raise _wrong_columns(f"Unknown columns: {shown(unknown)[0]}.", headings)
    missing = [key for key in (_OPERATOR, _DEVICE) if key not in found]
    if missing:
        raise _wrong_columns(f"There is no column {' and no column '.join(missing)}.", headings)
    return found


def _document_row(number: int, row: Any) -> PlacedOperator:
    """A row of a plan document, which says which operators of the model it holds."""
    if not isinstance(row, Mapping):
        raise _row(number, "no_object", "it is no object")
    placed = _json_row(number, {_OPERATOR: row.get("name"), _DEVICE: row.get(_DEVICE), _ORDER: row.get(_ORDER)})
    members = row.get(_MEMBERS)
    names = [str(member) for member in members] if isinstance(members, list) else [placed.operator]
    return replace(placed, members=members_text(names))


def _json_row(number: int, row: Any) -> PlacedOperator:
    if not isinstance(row, Mapping):
        raise _row(number, "no_object", "it is no object")
    unknown = sorted(str(key) for key in set(row) - {_OPERATOR, _DEVICE, _ORDER})
    if unknown:
        raise _row(number, "unknown_keys", f"unknown keys {shown(unknown)[0]}", keys=shown(unknown)[1])
    operator, device, order = row.get(_OPERATOR), row.get(_DEVICE), row.get(_ORDER)
    if not isinstance(operator, str) or not isinstance(device, str):
        raise _row(number, "names_missing", "operator and device must be names")
    if order is not None and (isinstance(order, bool) or not isinstance(order, int) or not 0 <= order < 1 << 62):
        raise _row(number, "order_not_whole", f"its order {order!r} is not 0, 1, 2, ...", order=_brief(order))
    return _named(number, operator, device, order, None)


def _named(number: int, operator: str, device: str, order: int | None, members: str | None) -> PlacedOperator:
    if not operator or not device:
        raise _row(number, "names_empty", "operator or device is empty")
    return PlacedOperator(operator, device, order, members)


def _checked(rows: Iterable[PlacedOperator]) -> tuple[PlacedOperator, ...]:
    """The rows, if there are any, no operator and no order comes twice, and all or none have an order."""
    placed = tuple(rows)
    if not placed:
        raise PlanError("placement_empty", "The placement has no rows.", hint=_HINT)
    text, operators, count = shown(_repeated(row.operator for row in placed))
    if count:
        raise PlanError(
            "placement_duplicate", f"Placed more than once: {text}.", hint=_HINT, operators=operators, count=count
        )
    without = [row.operator for row in placed if row.order is None]
    if len(without) == len(placed):
        return placed
    if without:
        text, operators, count = shown(without)
        raise PlanError(
            "placement_order_partial",
            f"Some operators have an order, these have none: {text}.",
            hint=_HINT,
            operators=operators,
            count=count,
        )
    text, orders, count = shown(_repeated(str(row.order) for row in placed))
    if count:
        raise PlanError(
            "placement_order_duplicate", f"Orders given more than once: {text}.", hint=_HINT, orders=orders, count=count
        )
    return placed


def _repeated(values: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    again: dict[str, None] = {}
    for value in values:
        if value in seen:
            again[value] = None
        seen.add(value)
    return list(again)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    repeated = _repeated(key for key, _ in pairs)
    if repeated:
        text, operators, count = shown(repeated)
        raise PlanError(
            "placement_duplicate", f"Given more than once: {text}.", hint=_HINT, operators=operators, count=count
        )
    return dict(pairs)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _unreadable("no_rows", "it is neither a list of rows nor a mapping of operators to devices")
    return value


def _unreadable(detail: str, reason: str, **figures: object) -> PlanError:
    return PlanError(
        "placement_unreadable",
        f"The placement cannot be read: {reason}.",
        hint=_HINT,
        detail=detail,
        reason=reason,
        **figures,
    )


def _wrong_columns(message: str, headings: Sequence[str]) -> PlanError:
    return PlanError(
        "placement_columns",
        message,
        hint="The first line names the columns: operator, device and, if you like, order.",
        columns=list(headings[:SHOWN]),
    )


def _row(number: int, detail: str, reason: str, **figures: object) -> PlanError:
    return PlanError(
        "placement_row",
        f"Row {number} of the placement: {reason}.",
        hint=_HINT,
        row=number,
        detail=detail,
        reason=reason,
        **figures,
    )


def _brief(value: object) -> str:
    """A value for a message: as JSON would write a text, the start of what is longer."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= BRIEF else f"{text[:BRIEF]}…"
