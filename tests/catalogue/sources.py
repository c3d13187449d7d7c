"""Finds in a parsed Python source where codes are emitted, and what is known of each: code, parameters, hint."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

ELSEWHERE = {
    "error.code",
    "str(data['code'])",
    "error['code']",
    "self.code",
    "code if isinstance(code, str) else error.default_code",
}
"""Codes that are passed on: they are found where they come from."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Call:
    """One place. ``helper``: the function whose parameter ``parameter`` the code is, where it is one; ``template`` has
    ``{}`` in the place of its value. ``keys``: helper's parameters whose value is a parameter's name.
    """

    module: str
    line: int
    kind: str
    codes: tuple[str, ...]
    params: frozenset[str]
    hint: bool
    helper: str | None = None
    parameter: str = ""
    template: str = "{}"
    keys: tuple[str, ...] = ()
    open_params: bool = False
    hint_parameter: str = ""

    @property
    def where(self) -> str:
        return f"{self.module}:{self.line}"


class Module:
    """A source file."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self.path = path
        self.tree = tree
        self.scopes = dict(self._scopes(tree, None))
        self.imported = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        self.functions = {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}

    def _scopes(self, node: ast.AST, inside: Function | None) -> Iterator[tuple[ast.AST, Function | None]]:
        for child in ast.iter_child_nodes(node):
            yield child, inside
            yield from self._scopes(child, child if isinstance(child, Function) else inside)

    def namesakes(self, classes: frozenset[str]) -> set[str]:
        """Classes of this file that are called like an error and are none."""
        return {
            node.name
            for node in self.scopes
            if isinstance(node, ast.ClassDef)
            and node.name in classes - {"HeteroOptError"}
            and not any(isinstance(base, ast.Name) and base.id in classes for base in node.bases)
        }

    def makes_its_code(self, node: ast.ClassDef) -> bool:
        """Whether the class gives its base a fixed code."""
        return any(
            isinstance(item, ast.Call) and ast.unparse(item.func) == "super().__init__" and _is_text(item.args[:1])
            for item in ast.walk(node)
        )

    def emitted(self, classes: frozenset[str], answers: frozenset[str]) -> Iterator[Call]:
        """Every place that makes an error of ``classes``, an answer, or a note."""
        classes = classes - self.namesakes(classes)
        for node in self.scopes:
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else ""
                where = ast.unparse(node.func)
                if name in classes or (where == "super().__init__" and _is_text(node.args[:1])):
                    yield self._call(node, "error", node.args[0], node.keywords)
                    for keyword in node.keywords:
                        if keyword.arg == "detail":
                            yield self._call(node, "detail", keyword.value, node.keywords)
                elif name in answers:
                    yield self._call(node, "error", next(a for a in node.args if _codelike(a)), [])
                elif where.endswith("notes.add"):
                    yield self._call(node, "note", node.args[0], node.keywords)
                elif name == "PermissionDenied" or where.endswith(".PermissionDenied"):
                    for keyword in node.keywords:
                        if keyword.arg == "code":
                            yield self._call(node, "error", keyword.value, [])
            elif isinstance(node, ast.Dict):
                values = {
                    k.value: v for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant)
                }
                if {"code", "params"} <= set(values) and ast.unparse(values["code"]) not in ELSEWHERE:
                    if isinstance(values["code"], ast.Name):
                        continue  # the collector of notes itself
                    keywords = [ast.keyword(None, values["params"])]
                    if "hint" in values:
                        keywords.append(ast.keyword("hint", values["hint"]))
                    yield self._call(node, "error" if "message" in values else "note", values["code"], keywords)

    def calls_of(self, wanted: Call) -> Iterator[Call]:
        """The same kind of place at every call of a helper, with the code that is given there."""
        home = wanted.module == self.path
        if not home and wanted.helper not in self.imported:
            return
        for node in self.scopes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == wanted.helper:
                yield self._given(node, wanted)

    def _given(self, node: ast.Call, wanted: Call) -> Call:
        function = _HELPERS[wanted.module, str(wanted.helper)]
        names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
        named = {*names, *(arg.arg for arg in function.args.kwonlyargs)}
        given = dict(zip(names, node.args, strict=False))
        given.update({item.arg: item.value for item in node.keywords if item.arg})
        extra = {item.arg for item in node.keywords if item.arg and item.arg not in named}
        for key in wanted.keys:
            value = given.get(key) or _default(function, key)
            assert isinstance(value, ast.Constant), f"{self.path}:{node.lineno}: {key} is not a plain text"
            extra.add(value.value)
        hint = wanted.hint or _filled(given.get(wanted.hint_parameter))
        made = self._call(node, wanted.kind, given[wanted.parameter], [])
        params = wanted.params | (extra if wanted.open_params else extra & set(_keys_only(wanted, given, function)))
        codes = tuple(wanted.template.format(code) for code in made.codes)
        return replace(made, codes=codes, params=frozenset(params), hint=hint, template=wanted.template)

    def _call(self, node: ast.expr, kind: str, code: ast.expr, keywords: list[ast.keyword]) -> Call:
        function = self.scopes[node]
        params: set[str] = set()
        keys: list[str] = []
        is_open = hint = False
        hint_parameter = ""
        for keyword in keywords:
            if keyword.arg == "hint":
                hint = _filled(keyword.value)
                if isinstance(keyword.value, ast.Name) and function and keyword.value.id in _parameters(function):
                    hint, hint_parameter = False, keyword.value.id
            elif keyword.arg:
                params.add(keyword.arg)
            elif isinstance(keyword.value, ast.Dict):
                for key in keyword.value.keys:
                    if isinstance(key, ast.Constant):
                        params.add(key.value)
                    elif isinstance(key, ast.Name):
                        keys.append(key.id)
                    else:
                        is_open = True
            else:
                is_open = True
        made = Call(
            self.path, node.lineno, kind, (), frozenset(params), hint, keys=tuple(keys), open_params=is_open,
            hint_parameter=hint_parameter,
        )  # fmt: skip
        parameter, template = _parameter(code, function)
        if parameter and function is not None:
            _HELPERS[self.path, function.name] = function
            return replace(made, helper=function.name, parameter=parameter, template=template)
        return replace(made, codes=tuple(self._texts(code, function)))

    def _texts(self, code: ast.expr, function: Function | None) -> Iterator[str]:
        if isinstance(code, ast.Constant) and isinstance(code.value, str):
            yield code.value
        elif ast.unparse(code) in ELSEWHERE:
            return
        elif isinstance(code, ast.IfExp):
            yield from self._texts(code.body, function)
            yield from self._texts(code.orelse, function)
        elif isinstance(code, ast.Name) and function is not None:
            values = list(_values(code.id, function))
            if not values:
                raise LookupError(f"{self.path}:{code.lineno}: where does the code {code.id} come from?")
            for value in values:
                yield from self._texts(value, function)
        else:
            raise LookupError(f"{self.path}:{code.lineno}: the code {ast.unparse(code)} cannot be read")


_HELPERS: dict[tuple[str, str], Function] = {}


@lru_cache(maxsize=4)
def modules(root: Path, folders: tuple[str, ...]) -> tuple[Module, ...]:
    """All Python files below ``folders``."""
    paths = sorted(path for folder in folders for path in (root / folder).rglob("*.py"))
    return tuple(Module(path.relative_to(root).as_posix(), ast.parse(path.read_text())) for path in paths)


def _keys_only(wanted: Call, given: dict[str | None, ast.expr], function: Function) -> Iterable[str]:
    for key in wanted.keys:
        value = given.get(key) or _default(function, key)
        if isinstance(value, ast.Constant):
            yield value.value


def _is_text(args: list[ast.expr]) -> bool:
    return bool(args) and isinstance(args[0], ast.Constant) and isinstance(args[0].value, str)


def _codelike(node: ast.expr) -> bool:
    """A text, or a variable that holds a code."""
    return _is_text([node]) or "code" in ast.unparse(node)


def _filled(node: ast.expr | None) -> bool:
    return node is not None and not (isinstance(node, ast.Constant) and not node.value)


def _parameters(function: Function) -> set[str]:
    args = function.args
    return {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}


def _default(function: Function, name: str) -> ast.expr | None:
    args = function.args
    positional = [*args.posonlyargs, *args.args]
    defaults = dict(zip([arg.arg for arg in positional][::-1], args.defaults[::-1], strict=False))
    defaults.update({a.arg: d for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None})
    return defaults.get(name)


def _parameter(code: ast.expr, function: Function | None) -> tuple[str, str]:
    """The helper's parameter that holds the code, and the text around it; ``""`` where it is none."""
    if function is None:
        return "", ""
    names = _parameters(function)
    if isinstance(code, ast.Name) and code.id in names:
        return code.id, "{}"
    if isinstance(code, ast.JoinedStr):
        inner = [part.value for part in code.values if isinstance(part, ast.FormattedValue)]
        if len(inner) == 1 and isinstance(inner[0], ast.Name) and inner[0].id in names:
            return inner[0].id, "".join(p.value if isinstance(p, ast.Constant) else "{}" for p in code.values)
    return "", ""


def _values(name: str, function: Function) -> Iterator[ast.expr]:
    """What a local variable may be: from assignments, and from loops over written-out rows."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            yield node.value
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Tuple) and isinstance(node.iter, ast.Tuple):
            for position, target in enumerate(node.target.elts):
                if isinstance(target, ast.Name) and target.id == name:
                    yield from (row.elts[position] for row in node.iter.elts if isinstance(row, ast.Tuple))
