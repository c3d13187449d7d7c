"""Every published operator type is counted by a formula, counts 0 by its class, or is named with a reason."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from heteroopt.graph.flops import MICROSOFT_FORMULAS, ONNX_FORMULAS, WORKLESS_CLASSES, formula
from heteroopt.graph.graph import OP_CLASSES
from heteroopt.graph.op_classes import OP_CLASS, UNCOUNTED

MICROSOFT = "com.microsoft"
EXPORTED = Path(__file__).parent / "microsoft_operators.txt"
"""Operators of com.microsoft that exporters and ONNX Runtime's optimiser write; one a line."""


def unexplained(op_type: str, domain: str) -> bool:
    if formula(op_type, domain) is not None:
        return op_type not in OP_CLASS  # without a class it would be costed as unknown
    return OP_CLASS.get(op_type) not in WORKLESS_CLASSES and op_type not in UNCOUNTED


def test_every_operator_of_the_installed_onnx_is_counted_or_explained():
    names = {(schema.name, schema.domain) for schema in onnx.defs.get_all_schemas_with_history()}
    assert len(names) > 200
    assert sorted(name for name in names if unexplained(*name)) == []


def test_every_exported_operator_of_microsoft_is_counted_or_explained():
    names = EXPORTED.read_text().split()
    assert len(names) == len(set(names)) > 90
    assert [name for name in names if unexplained(name, MICROSOFT)] == []


def test_formulas_belong_to_published_operators_and_classes_are_known():
    published = {schema.name for schema in onnx.defs.get_all_schemas_with_history()}
    assert set(ONNX_FORMULAS) <= published
    assert set(MICROSOFT_FORMULAS) <= {*EXPORTED.read_text().split()}
    assert set(OP_CLASS.values()) <= set(OP_CLASSES)


@pytest.mark.parametrize("op_type", sorted({**ONNX_FORMULAS, **MICROSOFT_FORMULAS}))
def test_a_formula_says_what_it_counts(op_type):
    for domain in ("", MICROSOFT):
        found = formula(op_type, domain)
        assert found is not None
        assert found.text


def test_an_unexplained_operator_is_noticed():
    assert unexplained("Magic", "")
    assert unexplained("Gelu2", MICROSOFT)
