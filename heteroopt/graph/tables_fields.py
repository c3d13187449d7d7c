"""Typed access to the fields of a plain-tables document; every refusal names the place in the document."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from heteroopt.errors import ModelError
from heteroopt.graph.names import MAX_LENGTH, display_name

MAX_DOCUMENT_BYTES = 64 * 2**20
MAX_AMOUNT_BYTES = 2**50


def refuse(code: str, where: str, message: str, hint: str = "", **params: object) -> ModelError:
    """An error about one place of the document, such as ``operators[3].time_ms.gpu0``."""
    return ModelError(code, f"{where}: {message}", hint=hint or "See docs/plain-tables.md.", where=where, **params)


def parse_json(text: bytes) -> Any:
    """JSON without NaN, infinity or repeated keys; raises :class:`ModelError` ``tables_json``."""
    if len(text) > MAX_DOCUMENT_BYTES:
        raise ModelError("tables_too_large", f"The document is larger than {MAX_DOCUMENT_BYTES:,} bytes.")

    def no_constant(name: str) -> None:
        raise _not_json("json_number", f"{name} is not a number")

    def no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise _not_json("json_repeated", "a key is given twice in one object")
        return found

    try:
        return json.loads(text.decode("utf-8"), parse_constant=no_constant, object_pairs_hook=no_repeats)
    except json.JSONDecodeError as error:
        raise _not_json("json_syntax", display_name(str(error)), line=error.lineno, column=error.colno) from error
    except UnicodeDecodeError as error:
        raise _not_json("not_utf8", display_name(str(error))) from error
    except ValueError as error:
        raise _not_json("json_limits", display_name(str(error))) from error
    except RecursionError as error:
        raise _not_json("json_nested", "nested too deeply") from error


def _not_json(detail: str, reason: str, **place: int) -> ModelError:
    return ModelError(
        "tables_json",
        f"The document is not valid JSON: {reason}.",
        hint="Check the file.",
        detail=detail,
        reason=reason,
        **place,
    )


def an_object(value: Any, where: str) -> Mapping[str, Any]:
    """A JSON object with text keys."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise refuse("tables_type", where, "must be an object.")
    return value


def a_list(value: Any, where: str, limit: int) -> list[Any]:
    """A list of at most ``limit`` items."""
    if not isinstance(value, list | tuple):
        raise refuse("tables_type", where, "must be a list.")
    if len(value) > limit:
        raise refuse("tables_too_large", where, f"has more than {limit:,} items.", limit=limit)
    return list(value)


def only_keys(value: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Refuse keys that the format does not have: a misspelt one would silently change the plan."""
    unknown = sorted(set(value) - set(known))
    if unknown:
        name = display_name(unknown[0])
        raise refuse(
            "tables_unknown_key", where, f"has an unknown key {name!r}.", f"Known keys: {', '.join(known)}.", key=name
        )


def a_name(value: Any, where: str) -> str:
    """A printable text of 1 to 200 characters."""
    if not isinstance(value, str) or not value or len(value) > MAX_LENGTH or display_name(value) != value:
        raise refuse("tables_name", where, f"must be a printable text of 1 to {MAX_LENGTH} characters.")
    return value


def a_number(value: Any, where: str, highest: float) -> float:
    """A finite number from 0 to ``highest``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refuse("tables_type", where, "must be a number.")
    if not math.isfinite(value) or not 0 <= value <= highest:
        raise refuse("tables_range", where, f"must be a finite number from 0 to {highest:g}.", highest=highest)
    return float(value)


def an_amount(value: Any, where: str) -> int:
    """A whole number of bytes or FLOP from 0 to 2^50 (a float with a whole value is accepted)."""
    number = a_number(value, where, MAX_AMOUNT_BYTES)
    if number != int(number):
        raise refuse("tables_type", where, "must be a whole number.")
    return int(number)
