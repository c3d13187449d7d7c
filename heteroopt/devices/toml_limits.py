"""Bounds on the shape of TOML text, checked before it is parsed, so that parsing takes time linear in its length."""

from __future__ import annotations

import re

from heteroopt.errors import PoolError

MAX_KEY_PARTS = 8
MAX_NESTING = 16
MAX_WORD_LENGTH = 128
MAX_TABLES = 10_000
MAX_KEY_DOTS = 10_000

# Strings and comments as whole tokens, as in the TOML grammar; possessive, so nothing is tried twice.
_TOKEN = re.compile(
    r'''
      (?P<string> """ (?: [^"\\] | \\[\s\S] | "(?!"") )*+ """ "{0,2} | \'\'\' (?: [^'] | '(?!'') )*+ \'\'\' '{0,2}
                | " (?: [^"\\\n] | \\[^\n] )*+ " | ' [^'\n]*+ ' | \#[^\n]*+ )
    | (?P<open_string> ["'] )
    | (?P<word> [^\s.,=\[\]{}"'\#]++ )
    | (?P<mark> [.,=\[\]{}\n] )
    ''',
    re.VERBOSE,
)


def check_toml_shape(text: str) -> None:
    """Refuse TOML text of a shape that no pool has and that a parser takes long over.

    Bounded are the parts of a dotted key, the dots of all keys, the tables, the nesting of arrays and inline tables,
    and the length of bare words and numbers. The standard parser works in the square of a key's parts and allocates
    about a kilobyte for a part. Raises ``PoolError`` (``toml_shape``) with ``line``, ``what``, ``value`` and ``limit``.
    """
    line, dots, depth, tables, key_dots, header = 1, 0, 0, 0, 0, False
    fresh = True  # nothing but blanks since the start of a statement
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind == "open_string":
            return  # the parser fails here too, and has read nothing that is not checked
        if kind == "string":
            line += token.count("\n")
            fresh = fresh and token[0] == "#"
            continue
        if kind == "word":
            fresh = False
            if len(token) > MAX_WORD_LENGTH:
                raise _refused(line, "characters in a word or number", len(token), MAX_WORD_LENGTH)
            continue
        if token == ".":
            dots += 1
            if dots >= MAX_KEY_PARTS:
                raise _refused(line, "parts of a dotted key", dots + 1, MAX_KEY_PARTS)
        elif token in "[{":
            depth += 1
            if depth > MAX_NESTING:
                raise _refused(line, "nested brackets", depth, MAX_NESTING)
            header = header or fresh
            if fresh or token == "{":
                tables += 1
                if tables > MAX_TABLES:
                    raise _refused(line, "tables", tables, MAX_TABLES)
        if token == "=" or (token == "]" and header):
            key_dots += dots
            if key_dots > MAX_KEY_DOTS:
                raise _refused(line, "dots in keys", key_dots, MAX_KEY_DOTS)
        if token in "]}":
            depth = max(0, depth - 1)
        if token != ".":
            dots = 0
        fresh = False
        if token == "\n":
            line += 1
            if depth == 0:
                fresh, header = True, False


def _refused(line: int, what: str, value: int, limit: int) -> PoolError:
    return PoolError(
        "toml_shape",
        f"Line {line} of the pool file goes beyond {limit} {what}.",
        hint="A pool file has plain keys, [[devices]] and [[links]]. Start from a sample pool.",
        line=line,
        what=what,
        value=value,
        limit=limit,
    )
