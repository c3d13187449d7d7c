"""Dimensions that exporters write as formulas of other ones, such as ``past + 1`` or ``floor(height/32)``."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

MAX_TEXT: Final = 200
_BINARY: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "floor": math.floor, "ceiling": math.ceil, "ceil": math.ceil, "Max": max, "max": max, "Min": min, "min": min,
}  # fmt: skip


def formula_size(text: str, bound: Mapping[str, int]) -> int | None:
    """The positive size that ``text`` stands for under ``bound``; ``None`` where it names anything else."""
    if text in bound:
        return bound[text]
    if not text or len(text) > MAX_TEXT or text.isidentifier():
        return None
    try:
        value = _value(ast.parse(text, mode="eval").body, bound)
        size = math.floor(value)
    except (SyntaxError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError, MemoryError):
        return None
    return size if size == value and 0 < size < 2**40 else None


def _value(node: ast.expr, bound: Mapping[str, int]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name):
            return bound[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, bound)
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_value(left, bound), _value(right, bound))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _FUNCTIONS[name](*(_value(argument, bound) for argument in arguments))
    raise LookupError(type(node).__name__)
