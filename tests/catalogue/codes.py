"""Collects the codes that the Python sources emit and a page shows, with the parameters that go with each.

``python -m tests.catalogue.codes`` writes ``frontend/src/i18n/codes.json``, from which the front end's tests check that
each code has its texts. The sources are parsed, not run: a code is the text that an error class, a note or a reason is
given, also where it passes through a helper's parameter. A code that cannot be found this way is an error here.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rest_framework.exceptions import APIException

from heteroopt.costs.table import COST_SOURCES
from heteroopt.explanation.explanation import ALTERNATIVE_CODES, REASONS
from heteroopt.graph.graph import FLOPS_SOURCES, SIZE_SOURCES
from heteroopt.graph.notes import ESTIMATE_REASONS
from tests.catalogue.sources import Call, Module, modules

ROOT = Path(__file__).parents[2]
CODES = ROOT / "frontend/src/i18n/codes.json"
SOURCES = ("heteroopt", "apps", "workers", "config")
NOT_ON_A_PAGE = (
    "heteroopt/cli/", "heteroopt/api/", "heteroopt/explanation/", "apps/searches/front_json.py",
    "heteroopt/graph/pytorch/convert.py", "heteroopt/graph/pytorch/files.py", "heteroopt/graph/pytorch/inputs.py",
)  # fmt: skip
"""For shells and Python alone; reasons, which come from their table; remarks beside a front, of the REST API."""
VARIANTS = ("saves_energy_only", "balance_only", "trade_off_only")
"""Reasons that the page says otherwise where the plan would not be faster elsewhere."""
ANSWERS = {"config/errors.py": frozenset(("error_body", "_answer"))}
"""What makes an error answer outside of an exception, by file: the code is its first argument that is a text."""


@dataclass
class Entry:
    """A code: the parameters that every place gives it, whether any gives a hint."""

    params: set[str] | None = None
    hint: bool = False
    where: list[str] = field(default_factory=list)

    def add(self, params: Iterable[str], hint: bool, where: str) -> None:
        found = set(params)
        self.params = found if self.params is None else self.params & found
        self.hint |= hint
        self.where.append(where)


METHODS = ("delete", "get", "patch", "post", "put")
"""Acts of refused attempts at another team's objects: :func:`apps.audit.services.get_visible_or_404`."""


def acts(root: Path = ROOT) -> list[str]:
    """Every act that the audit log gets from the apps, as written at ``record(request, "model.delete", ...)``."""
    found = set(METHODS)
    for module in modules(root, ("apps",)):
        if module.path.startswith("apps/audit/"):
            continue
        for node in ast.walk(module.tree):
            given = _act(node) if isinstance(node, ast.Call) else None
            if given is None:
                continue
            literals = _literals(_assigned(module.tree, given) if isinstance(given, ast.Name) else [given])
            if not literals:
                raise LookupError(f"{module.path}:{node.lineno}: which act is recorded here?")
            found |= literals
    return sorted(found)


def collect(root: Path = ROOT) -> dict[str, dict[str, Entry]]:
    """``{"error": {code: entry}, "note": ..., "detail": ...}`` of all sources below ``root``."""
    shown = [m for m in modules(root, SOURCES) if not m.path.startswith(NOT_ON_A_PAGE)]
    found: dict[str, dict[str, Entry]] = {"error": {}, "note": {}, "detail": {}}
    classes = _error_classes(modules(root, SOURCES))
    for module in shown:
        for call in module.emitted(classes, ANSWERS.get(module.path, frozenset())):
            for code, params, hint in _resolved(call, shown):
                found[call.kind].setdefault(code, Entry()).add(params, hint, f"{module.path}:{call.line}")
    for code in _framework_codes():
        found["error"].setdefault(code, Entry()).add((), False, "rest_framework")
    return found


def document(found: dict[str, dict[str, Entry]]) -> dict[str, object]:
    """What the front end's test reads: parameters by code, and lists of codes without any."""
    errors = found["error"]
    return {
        "error": {code: sorted(errors[code].params or ()) for code in sorted(errors)},
        "hint": [code for code in sorted(errors) if errors[code].hint],
        **{
            family: {code: sorted(entry.params or ()) for code, entry in sorted(found[family].items())}
            for family in ("detail", "note")
        },
        "reason": {
            **{code: sorted(params) for code, params in sorted(REASONS.items())},
            **{code: sorted(REASONS[code.removesuffix("_only")]) for code in VARIANTS},
            **{code: [] for code in ESTIMATE_REASONS},
        },
        "team.act": acts(),
        "explorer.alt": sorted(ALTERNATIVE_CODES),
        "explorer.source": sorted(COST_SOURCES),
        "model.source": sorted(FLOPS_SOURCES),
        "model.sizeSource": sorted(SIZE_SOURCES),
    }


def text(content: dict[str, object]) -> str:
    """The file's text."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _act(call: ast.Call) -> ast.expr | None:
    """What a call records as an act; None for a call that records none."""
    if isinstance(call.func, ast.Name) and call.func.id == "record":
        return call.args[1]
    if ast.unparse(call.func) == "AuditEvent.objects.create":
        return next(keyword.value for keyword in call.keywords if keyword.arg == "action")
    return None


def _assigned(tree: ast.Module, name: ast.Name) -> list[ast.expr]:
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name.id for to in node.targets)
    ]


def _literals(values: list[ast.expr]) -> set[str]:
    """The texts that ``values`` can be; none where one of them is neither a text nor a choice of two."""
    found: set[str] = set()
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            found.add(value.value)
        elif isinstance(value, ast.IfExp) and (both := _literals([value.body, value.orelse])):
            found |= both
        else:
            return set()
    return found


def _error_classes(found: Iterable[Module]) -> frozenset[str]:
    """``HeteroOptError`` and what inherits from it, except classes that make their own code."""
    classes = {"HeteroOptError"}
    own: set[str] = set()
    listed = list(found)
    while True:
        more = {
            node.name
            for module in listed
            for node in ast.walk(module.tree)
            if isinstance(node, ast.ClassDef) and any(isinstance(b, ast.Name) and b.id in classes for b in node.bases)
        } - classes
        if not more:
            break
        classes |= more
    for module in listed:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef) and node.name in classes and module.makes_its_code(node):
                own.add(node.name)
    return frozenset(classes - own)


def _resolved(call: Call, shown: list[Module]) -> Iterator[tuple[str, set[str], bool]]:
    """Each code with parameters and hint; a code that is a helper's parameter is taken from the helper's callers."""
    if call.helper is None:
        for code in call.codes:
            yield code, call.params, call.hint
        return
    callers = [inner for module in shown for inner in module.calls_of(call)]
    if not callers:
        raise LookupError(f"{call.where}: nothing gives {call.helper} its code.")
    for inner in callers:
        yield from _resolved(inner, shown)


def _framework_codes() -> set[str]:
    """Codes of the web framework's own refusals, such as an unknown method."""
    found: set[str] = set()
    waiting: list[type[APIException]] = [APIException]
    while waiting:
        kind = waiting.pop()
        found.add(kind.default_code)
        waiting += [item for item in kind.__subclasses__() if item.__module__ == "rest_framework.exceptions"]
    return (found - {"error"}) | {"bad_request", "server_error"}


if __name__ == "__main__":
    CODES.write_text(text(document(collect())))
